//! What messages between theaters may cost, each theater in a process of its own on the loopback
//! interface.

use super::Goal::{
    AtMostFloors, AtMostNanoseconds, AtMostTimes, P50AtMostMicroseconds, P99AtMostMicroseconds,
};
use super::{Group, group};
use crate::parameter::{Setting, Value};
use crate::workload::Variant::{Pinned, Pool};

const LOCAL: &[Setting] = &[("kind", Value::Word("local"))];
const REMOTE: &[Setting] = &[("kind", Value::Word("remote"))];
const FRAMES: &[Setting] = &[("floor", Value::Word("frames"))];
const MOBILE: &[Setting] = &[("kind", Value::Word("mobile"))];
const HERE_LOCAL: &[Setting] = &[("created", Value::Word("here")), ("kind", Value::Word("local"))];
const REFERRED: &[Setting] =
    &[("created", Value::Word("referred")), ("kind", Value::Word("remote"))];
const TO_MANY: &[Setting] = &[("actors", Value::Number(1000))];
const ONE_RING: &[Setting] = &[("rings", Value::Number(1))];
const MANY_RINGS: &[Setting] = &[("rings", Value::Number(160))];

const REMOTE_RINGS: &[Setting] = &[("rings", Value::Number(160)), ("kind", Value::Word("remote"))];
const MOBILE_RINGS: &[Setting] = &[("rings", Value::Number(160)), ("kind", Value::Word("mobile"))];
const FEW_REMOTE: &[Setting] = &[("rings", Value::Number(10)), ("kind", Value::Word("remote"))];
const FEW_MOBILE: &[Setting] = &[("rings", Value::Number(10)), ("kind", Value::Word("mobile"))];
const MOST_REMOTE: &[Setting] = &[("rings", Value::Number(320)), ("kind", Value::Word("remote"))];
const MOST_MOBILE: &[Setting] = &[("rings", Value::Number(320)), ("kind", Value::Word("mobile"))];

/// 60,000 migrations a second.
const MIGRATION: f64 = 1e9 / 60e3;
/// 2,000,000 messages a second.
const MESSAGE: f64 = 1e9 / 2e6;
/// 240,000 hops a second.
const HOP: f64 = 1e9 / 240e3;
/// 0.7 of what frames of the same bytes reach.
const AGAINST_FRAMES: f64 = 1.0 / 0.7;

pub(super) fn groups() -> Vec<Group> {
    let ring = group("threadring", &[("hops", Value::Number(100_000))])
        .without_peers()
        .figure(
            "threadring: remote kind against local, pool",
            Pool,
            REMOTE,
            AtMostTimes(1.0, LOCAL),
        )
        .figure(
            "threadring: remote kind against local, one pinned stage",
            Pinned,
            REMOTE,
            AtMostTimes(1.0, LOCAL),
        )
        .figure(
            "threadring: mobile kind against local, pool",
            Pool,
            MOBILE,
            AtMostTimes(1.1, LOCAL),
        );
    let throughput = group("remotethroughput", &[("messages", Value::Number(20_000))])
        .without_peers()
        .with(&[("bytes", Value::Number(8)), ("messages", Value::Number(2_000_000))])
        .figure(
            "8-byte messages one way between two processes: 2,000,000 a second",
            Pool,
            &[],
            AtMostNanoseconds(MESSAGE),
        )
        .figure(
            "8-byte messages one way against bare frames of 60 kB",
            Pool,
            FRAMES,
            AtMostFloors(AGAINST_FRAMES),
        )
        .figure(
            "8-byte messages one way to a thousand actors: 2,000,000 a second",
            Pool,
            TO_MANY,
            AtMostNanoseconds(MESSAGE),
        );
    let ask = group("remoteask", &[("rounds", Value::Number(200))]).without_peers().figure(
        "remote ask against Zenoh's publish and subscribe",
        Pool,
        &[],
        AtMostFloors(1.3),
    );
    let rings = group("theaterrings", &[("hops", Value::Number(50))])
        .without_peers()
        .figure("theaterrings: one ring against TCP", Pool, ONE_RING, AtMostFloors(2.0))
        .figure(
            "theaterrings, 160 rings, four processes: 240,000 hops a second",
            Pool,
            MANY_RINGS,
            AtMostNanoseconds(HOP),
        )
        .figure(
            "theaterrings, 10 rings: mobile kind against remote",
            Pool,
            FEW_MOBILE,
            AtMostTimes(1.05, FEW_REMOTE),
        )
        .figure(
            "theaterrings, 160 rings: mobile kind against remote",
            Pool,
            MOBILE_RINGS,
            AtMostTimes(1.05, REMOTE_RINGS),
        )
        .figure(
            "theaterrings, 320 rings: mobile kind against remote",
            Pool,
            MOST_MOBILE,
            AtMostTimes(1.05, MOST_REMOTE),
        );
    let migrations =
        group("migrationrings", &[("migrations", Value::Number(100))]).without_peers().figure(
            "migrationrings, 160 actors, four processes: 60,000 migrations a second",
            Pool,
            &[],
            AtMostNanoseconds(MIGRATION),
        );
    let pauses = group("migrationrings", &[("migrations", Value::Number(200))])
        .without_peers()
        .with(&[
            ("actors", Value::Number(1)),
            ("bytes", Value::Number(1000)),
            ("pace", Value::Word("asked")),
        ])
        .figure("migration of an actor of 1 kB: the pause", Pool, &[], P50AtMostMicroseconds(200.0))
        .figure(
            "migration of an actor of 1 kB: the longest pauses",
            Pool,
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
    group("remotethroughput", &[("messages", Value::Number(5_000))])
        .without_peers()
        .with(&[("bytes", Value::Number(bytes)), ("messages", Value::Number(messages))])
        .figure(what, Pool, FRAMES, AtMostFloors(AGAINST_FRAMES))
}

/// The kinds, created in one's own theater.
fn creation() -> Group {
    group("remotecreate", &[("actors", Value::Number(2000))])
        .without_peers()
        .with(&[("created", Value::Word("here")), ("actors", Value::Number(100_000))])
        .figure("creation: remote kind against local", Pool, REMOTE, AtMostTimes(1.3, LOCAL))
        .figure(
            "creation, and a reference sent elsewhere: against local",
            Pool,
            REFERRED,
            AtMostTimes(1.3, HERE_LOCAL),
        )
        .figure("creation: mobile kind against local", Pool, MOBILE, AtMostTimes(2.0, LOCAL))
}
