//! What coordinated transactions promise.

use super::Goal::{AtMostNanoseconds, AtMostTimes, P99AtMostMicroseconds};
use super::{Group, alone};
use crate::parameter::Setting;
use crate::parameter::Value::{Number, Word};

const ONE_AT_A_TIME: &[Setting] = &[("mode", Word("sequential"))];
const CONCURRENT: &[Setting] = &[("mode", Word("concurrent"))];
const NON_BLOCKING: &[Setting] = &[("mode", Word("nonblocking"))];
const COMBINED: &[Setting] = &[("mode", Word("combined"))];
const ADAPTIVE: &[Setting] = &[("mode", Word("adaptive"))];
const QUICK_LIST: &[Setting] = &[("requests", Number(10))];
const QUICK_TRANSFERS: &[Setting] = &[("transfers", Number(2000))];

/// 500,000 a second.
const NS_OF_A_TRANSFER: f64 = 2000.0;

/// What the best fixed mode may be faster than the adaptive one.
const ADAPTS: f64 = 1.0 / 0.93;

pub(super) fn groups() -> Vec<Group> {
    let sizes = [8, 32].into_iter();
    let mut groups: Vec<_> =
        sizes.flat_map(|size| ["read", "write"].map(|mix| list_group(size, mix))).collect();
    groups.extend([8, 32].map(delayed_group));
    groups.push(transfer_group());
    groups
}

/// Sums that do not block against those that do.
fn list_group(list_actors: u64, mix: &'static str) -> Group {
    let what = |whom| format!("list, {list_actors} list actors, {mix}, coordinated sums: {whom}");
    let figures = [
        ("non-blocking against one at a time", NON_BLOCKING, 1.0, ONE_AT_A_TIME),
        ("combined against concurrent", COMBINED, 1.0, CONCURRENT),
        ("adaptive against one at a time", ADAPTIVE, ADAPTS, ONE_AT_A_TIME),
        ("adaptive against non-blocking", ADAPTIVE, ADAPTS, NON_BLOCKING),
        ("adaptive against concurrent", ADAPTIVE, ADAPTS, CONCURRENT),
        ("adaptive against combined", ADAPTIVE, ADAPTS, COMBINED),
    ];
    let settings = [
        ("list_actors", Number(list_actors)),
        ("requests", Number(400)),
        ("workload", Word(mix)),
        ("sum", Word("coordinated")),
    ];
    let group = alone("list", QUICK_LIST).with(&settings);
    figures.into_iter().fold(group, |group, (whom, settings, times, other)| {
        group.figure(&what(whom), settings, AtMostTimes(times, other))
    })
}

/// With some time between list actors, as on a network.
fn delayed_group(list_actors: u64) -> Group {
    let what =
        |whom| format!("list, {list_actors} list actors, read, sums with 20 us a hop: {whom}");
    let settings = [
        ("list_actors", Number(list_actors)),
        ("requests", Number(40)),
        ("sum", Word("coordinated")),
        ("hop_delay", Number(20)),
    ];
    let goal = |other| AtMostTimes(1.0 / 1.5, other);
    alone("list", QUICK_LIST)
        .with(&settings)
        .figure(&what("non-blocking against one at a time"), NON_BLOCKING, goal(ONE_AT_A_TIME))
        .figure(&what("combined against concurrent"), COMBINED, goal(CONCURRENT))
}

fn transfer_group() -> Group {
    const HALF_HOT: &[Setting] = &[("mode", Word("adaptive")), ("hot", Number(50))];
    alone("transfer", QUICK_TRANSFERS)
        .figure("transfer between 2 actors", ADAPTIVE, AtMostNanoseconds(NS_OF_A_TRANSFER))
        .figure(
            "transfer between 2 actors, 50 % hot: latency",
            HALF_HOT,
            P99AtMostMicroseconds(1000.0),
        )
}
