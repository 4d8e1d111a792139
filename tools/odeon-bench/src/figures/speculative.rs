//! What speculative actors promise.

use super::Goal::{AtMostTimes, GrowsAtMostKiBPerMinute};
use super::{Group, alone};
use crate::parameter::Setting;
use crate::parameter::Value::{Number, Word};

const PLAIN: &[Setting] = &[("mode", Word("plain"))];
const CONCURRENT: &[Setting] = &[("mode", Word("concurrent"))];
const ONE_AT_A_TIME: &[Setting] = &[("mode", Word("sequential"))];
const RWLOCK: &[Setting] = &[("mode", Word("rwlock"))];
const ADAPTIVE: &[Setting] = &[("mode", Word("adaptive"))];
const ALONE: &[Setting] = &[("askers", Number(0)), ("asked", Word("ledger"))];
const ASKED: &[Setting] = &[("askers", Number(4)), ("asked", Word("ledger"))];
const ANOTHER_ASKED: &[Setting] = &[("askers", Number(4)), ("asked", Word("another"))];
const QUICK: &[Setting] = &[("entries", Number(2000))];
const QUICK_LIST: &[Setting] = &[("requests", Number(10))];

const QUICK_LASTING: &[Setting] = &[("seconds", Number(1))];

/// TUNE: KiB a minute, tried 2026-11: what a heap of constant use moves by within ten seconds, seen
/// as a slope. A byte lost with each message would be four times as much.
const FLAT: f64 = 4096.0;

/// What the best fixed mode may be faster than the adaptive one.
const ADAPTS: f64 = 1.0 / 0.93;

pub(super) fn groups() -> Vec<Group> {
    let mut groups = ledger_groups();
    groups.push(memory_group());
    groups.push(beside_group());
    groups.extend(
        [("read", 1.5), ("write", 1.2), ("mixed", 1.2)].map(|(mix, times)| list_group(mix, times)),
    );
    groups
}

/// WHY 20 s: memory has found its size after some ten, of which the second half sees nothing.
fn memory_group() -> Group {
    alone("ledger", QUICK_LASTING)
        .with(&[("seconds", Number(20)), ("conflict", Number(20))])
        .figure(
            "ledger: memory at full load, second half of 20 s",
            ADAPTIVE,
            GrowsAtMostKiBPerMinute(FLAT),
        )
}

/// Changes that questions should not slow down; a run in which an attempt was in vain fails.
fn beside_group() -> Group {
    // 0.95 of the speed.
    let goal = |other| AtMostTimes(1.0 / 0.95, other);
    alone("beside", QUICK)
        .with(&[("handler_ns", Number(2000)), ("entries", Number(100_000))])
        .figure("changes of 2 us beside questions, against no questions", ASKED, goal(ALONE))
        .figure(
            "changes of 2 us beside questions, against questions to another actor",
            ASKED,
            goal(ANOTHER_ASKED),
        )
}

/// One list actor; `times` is how much faster than the plain one it is to be.
fn list_group(mix: &'static str, times: f64) -> Group {
    let against = |whom| format!("list, 1 list actor, {mix}: {whom}");
    alone("list", QUICK_LIST)
        .with(&[("requests", Number(200)), ("workload", Word(mix))])
        .figure(
            &against("concurrent against the plain actor"),
            CONCURRENT,
            AtMostTimes(1.0 / times, PLAIN),
        )
        .figure(
            &against("adaptive against the plain actor"),
            ADAPTIVE,
            AtMostTimes(1.0 / 0.95, PLAIN),
        )
        .figure(&against("adaptive against concurrent"), ADAPTIVE, AtMostTimes(ADAPTS, CONCURRENT))
        .figure(
            &against("adaptive against one at a time"),
            ADAPTIVE,
            AtMostTimes(ADAPTS, ONE_AT_A_TIME),
        )
}

/// The ledger's adaptive actor: near to the better fixed mode, and with entries that do not meet
/// by how much faster than a plain actor.
fn ledger_groups() -> Vec<Group> {
    let adapts = |what: &str, settings: &[(&'static str, u64)]| {
        let settings: Vec<Setting> =
            settings.iter().map(|(name, number)| (*name, Number(*number))).collect();
        let figure = |whom| format!("ledger: {what}, against {whom}");
        alone("ledger", QUICK)
            .with(&settings)
            .figure(&figure("concurrent"), ADAPTIVE, AtMostTimes(ADAPTS, CONCURRENT))
            .figure(&figure("one at a time"), ADAPTIVE, AtMostTimes(ADAPTS, ONE_AT_A_TIME))
    };
    let against = |group: Group, what: &str, whom: &str, goal| {
        group.figure(&format!("ledger: {what}, against {whom}"), ADAPTIVE, goal)
    };
    let of = |what: &str, settings: &[(&'static str, u64)], times: f64| {
        let goal = AtMostTimes(1.0 / times, PLAIN);
        against(adapts(what, settings), what, "a plain actor", goal)
    };
    let asked = |what: &str, settings: &[(&'static str, u64)]| {
        against(adapts(what, settings), what, "an RwLock", AtMostTimes(1.0, RWLOCK))
    };
    let entries = |ns, count| [("handler_ns", ns), ("entries", count)];
    let half_us = entries(500, 300_000);
    let two_us = entries(2000, 100_000);
    let and = |[a, b]: [(&'static str, u64); 2], more| [a, b, more];
    vec![
        of("empty entries", &entries(0, 1_000_000), 0.85),
        of("entries of 100 ns that do not meet", &entries(100, 500_000), 0.95),
        of("entries of 500 ns that do not meet", &entries(500, 300_000), 1.3),
        of("entries of 2 us that do not meet", &two_us, 1.85),
        of("entries of 10 us that do not meet", &entries(10_000, 50_000), 1.9),
        of("entries of 2 us that all meet", &and(two_us, ("conflict", 100)), 0.9),
        of("questions of 2 us", &and(two_us, ("reads", 100)), 1.85),
        adapts("entries of 200 ns", &entries(200, 400_000)),
        adapts("entries of 300 ns", &entries(300, 400_000)),
        adapts("entries of 700 ns", &entries(700, 200_000)),
        adapts("entries of 1 us", &entries(1000, 150_000)),
        adapts("entries of 5 us", &entries(5000, 50_000)),
        adapts("entries of 100 us", &entries(100_000, 5_000)),
        adapts("entries of 500 ns, 5 % meet", &and(half_us, ("conflict", 5))),
        adapts("entries of 500 ns, 20 % meet", &and(half_us, ("conflict", 20))),
        adapts("entries of 2 us, 20 % meet", &and(two_us, ("conflict", 20))),
        adapts("entries of 500 ns of 4 senders", &and(half_us, ("senders", 4))),
        adapts("entries of 500 ns of 64 senders", &and(half_us, ("senders", 64))),
        asked("entries of 100 ns, 95 % questions", &and(entries(100, 500_000), ("reads", 95))),
        asked("entries of 500 ns, 95 % questions", &and(half_us, ("reads", 95))),
        asked("entries of 2 us, 95 % questions", &and(two_us, ("reads", 95))),
    ]
}
