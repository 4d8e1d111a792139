//! What messages between theaters may cost, each theater in a process of its own on the loopback
//! interface.

use super::Goal::{
    AtMostFloors, AtMostNanoseconds, AtMostTimes, P50AtMostMicroseconds, P99AtMostMicroseconds,
};
use super::{Group, alone};
use crate::parameter::Setting;
use crate::parameter::Value::{Number, Word};
use crate::workload::Variant::Pinned;

const LOCAL: &[Setting] = &[("kind", Word("local"))];
const REMOTE: &[Setting] = &[("kind", Word("remote"))];
const FRAMES: &[Setting] = &[("floor", Word("frames"))];
const MOBILE: &[Setting] = &[("kind", Word("mobile"))];
const HERE_LOCAL: &[Setting] = &[("created", Word("here")), ("kind", Word("local"))];
const REFERRED: &[Setting] = &[("created", Word("referred")), ("kind", Word("remote"))];
const TO_MANY: &[Setting] = &[("actors", Number(1000))];
const ONE_RING: &[Setting] = &[("rings", Number(1))];
const MANY_RINGS: &[Setting] = &[("rings", Number(160))];

const REMOTE_RINGS: &[Setting] = &[("rings", Number(160)), ("kind", Word("remote"))];
const MOBILE_RINGS: &[Setting] = &[("rings", Number(160)), ("kind", Word("mobile"))];
const FEW_REMOTE: &[Setting] = &[("rings", Number(10)), ("kind", Word("remote"))];
const FEW_MOBILE: &[Setting] = &[("rings", Number(10)), ("kind", Word("mobile"))];
const MOST_REMOTE: &[Setting] = &[("rings", Number(320)), ("kind", Word("remote"))];
const MOST_MOBILE: &[Setting] = &[("rings", Number(320)), ("kind", Word("mobile"))];

/// 60,000 migrations a second.
const MIGRATION: f64 = 1e9 / 60e3;
/// 2,000,000 messages a second.
const MESSAGE: f64 = 1e9 / 2e6;
/// 240,000 hops a second.
const HOP: f64 = 1e9 / 240e3;
/// 0.7 of what frames of the same bytes reach.
const AGAINST_FRAMES: f64 = 1.0 / 0.7;

pub(super) fn groups() -> Vec<Group> {
    let ring = alone("threadring", &[("hops", Number(100_000))])
        .figure("threadring: remote kind against local, pool", REMOTE, AtMostTimes(1.0, LOCAL))
        .figure_on(
            Pinned,
            "threadring: remote kind against local, one pinned stage",
            REMOTE,
            AtMostTimes(1.0, LOCAL),
        )
        .figure("threadring: mobile kind against local, pool", MOBILE, AtMostTimes(1.1, LOCAL));
    let throughput = alone("remotethroughput", &[("messages", Number(20_000))])
        .with(&[("bytes", Number(8)), ("messages", Number(2_000_000))])
        .figure(
            "8-byte messages one way between two processes: 2,000,000 a second",
            &[],
            AtMostNanoseconds(MESSAGE),
        )
        .figure(
            "8-byte messages one way against bare frames of 60 kB",
            FRAMES,
            AtMostFloors(AGAINST_FRAMES),
        )
        .figure(
            "8-byte messages one way to a thousand actors: 2,000,000 a second",
            TO_MANY,
            AtMostNanoseconds(MESSAGE),
        );
    let ask = alone("remoteask", &[("rounds", Number(200))]).figure(
        "remote ask against Zenoh's publish and subscribe",
        &[],
        AtMostFloors(1.3),
    );
    let rings = alone("theaterrings", &[("hops", Number(50))])
        .figure("theaterrings: one ring against TCP", ONE_RING, AtMostFloors(2.0))
        .figure(
            "theaterrings, 160 rings, four processes: 240,000 hops a second",
            MANY_RINGS,
            AtMostNanoseconds(HOP),
        )
        .figure(
            "theaterrings, 10 rings: mobile kind against remote",
            FEW_MOBILE,
            AtMostTimes(1.05, FEW_REMOTE),
        )
        .figure(
            "theaterrings, 160 rings: mobile kind against remote",
            MOBILE_RINGS,
            AtMostTimes(1.05, REMOTE_RINGS),
        )
        .figure(
            "theaterrings, 320 rings: mobile kind against remote",
            MOST_MOBILE,
            AtMostTimes(1.05, MOST_REMOTE),
        );
    let migrations = alone("migrationrings", &[("migrations", Number(100))]).figure(
        "migrationrings, 160 actors, four processes: 60,000 migrations a second",
        &[],
        AtMostNanoseconds(MIGRATION),
    );
    let pauses = alone("migrationrings", &[("migrations", Number(200))])
        .with(&[("actors", Number(1)), ("bytes", Number(1000)), ("pace", Word("asked"))])
        .figure("migration of an actor of 1 kB: the pause", &[], P50AtMostMicroseconds(200.0))
        .figure(
            "migration of an actor of 1 kB: the longest pauses",
            &[],
            P99AtMostMicroseconds(2000.0),
        );
    let larger = [
        throughput_of("256-byte messages one way against bare frames of 60 kB", 256, 500_000),
        throughput_of("10 kB messages one way against bare frames of 60 kB", 10_000, 20_000),
    ];
    let mut groups = vec![ring, throughput];
    groups.extend(larger);
    groups.extend([ask, rings, migrations, pauses, creation()]);
    groups
}

fn throughput_of(what: &'static str, bytes: u64, messages: u64) -> Group {
    alone("remotethroughput", &[("messages", Number(5_000))])
        .with(&[("bytes", Number(bytes)), ("messages", Number(messages))])
        .figure(what, FRAMES, AtMostFloors(AGAINST_FRAMES))
}

/// The kinds, created in one's own theater.
fn creation() -> Group {
    alone("remotecreate", &[("actors", Number(2000))])
        .with(&[("created", Word("here")), ("actors", Number(100_000))])
        .figure("creation: remote kind against local", REMOTE, AtMostTimes(1.3, LOCAL))
        .figure(
            "creation, and a reference sent elsewhere: against local",
            REFERRED,
            AtMostTimes(1.3, HERE_LOCAL),
        )
        .figure("creation: mobile kind against local", MOBILE, AtMostTimes(2.0, LOCAL))
}
