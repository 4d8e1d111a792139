//! What speculative actors promise.

use super::Goal::{AtMostTimes, GrowsAtMostKiBPerMinute};
use super::{Group, alone};
use crate::parameter::Setting;
use crate::parameter::Value::{Number, Word};

const PLAIN: &[Setting] = &[("mode", Word("plain"))];
const CONCURRENT: &[Setting] = &[("mode", Word("concurrent"))];
const ONE_AT_A_TIME: &[Setting] = &[("mode", Word("sequential"))];
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

/// The ledger's adaptive actor; `times` is how much faster than the plain one it is to be.
fn ledger_groups() -> Vec<Group> {
    let against_plain = |what, settings: &[(&'static str, u64)], times: f64| {
        let settings: Vec<Setting> =
            settings.iter().map(|(name, number)| (*name, Number(*number))).collect();
        let what = format!("ledger: {what}, against a plain actor");
        let goal = AtMostTimes(1.0 / times, PLAIN);
        alone("ledger", QUICK).with(&settings).figure(&what, ADAPTIVE, goal)
    };
    let (two_us, entries) = (("handler_ns", 2000), ("entries", 100_000));
    vec![
        against_plain("entries of 2 us that do not meet", &[two_us, entries], 1.8),
        against_plain("entries of 2 us that all meet", &[two_us, entries, ("conflict", 100)], 0.9),
        against_plain("empty entries", &[("handler_ns", 0), ("entries", 1_000_000)], 0.8),
        against_plain("questions of 2 us", &[two_us, entries, ("reads", 100)], 1.8),
    ]
}
