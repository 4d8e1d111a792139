//! What speculative actors promise.

use super::Goal::AtMostTimes;
use super::{Group, Setting, group};
use crate::parameter::Value;
use crate::workload::Variant::{Pool, Sequential};

const PLAIN: &[Setting] = &[("mode", Value::Word("plain"))];
const CONCURRENT: &[Setting] = &[("mode", Value::Word("concurrent"))];
const ONE_AT_A_TIME: &[Setting] = &[("mode", Value::Word("sequential"))];
const ADAPTIVE: &[Setting] = &[("mode", Value::Word("adaptive"))];
const QUICK: &[Setting] = &[("entries", Value::Number(2000))];
const QUICK_LIST: &[Setting] = &[("requests", Value::Number(10))];

/// What the best fixed mode may be faster than the adaptive one.
const ADAPTS: f64 = 1.0 / 0.93;

pub(super) fn groups() -> Vec<Group> {
    let mut groups = ledger_groups();
    groups.extend(
        [("read", 1.5), ("write", 1.2), ("mixed", 1.2)].map(|(mix, times)| list_group(mix, times)),
    );
    groups
}

/// One list actor; `times` is how much faster than the plain one it is to be.
fn list_group(mix: &'static str, times: f64) -> Group {
    let against = |whom| format!("list, 1 list actor, {mix}: {whom}");
    group("list", QUICK_LIST)
        .without_peers()
        .with(&[("requests", Value::Number(200)), ("workload", Value::Word(mix))])
        .figure(
            &against("concurrent against the plain actor"),
            Sequential,
            CONCURRENT,
            AtMostTimes(1.0 / times, PLAIN),
        )
        .figure(
            &against("adaptive against the plain actor"),
            Sequential,
            ADAPTIVE,
            AtMostTimes(1.0 / 0.95, PLAIN),
        )
        .figure(
            &against("adaptive against concurrent"),
            Sequential,
            ADAPTIVE,
            AtMostTimes(ADAPTS, CONCURRENT),
        )
        .figure(
            &against("adaptive against one at a time"),
            Sequential,
            ADAPTIVE,
            AtMostTimes(ADAPTS, ONE_AT_A_TIME),
        )
}

fn ledger_groups() -> Vec<Group> {
    let ledger = |settings: &[Setting]| group("ledger", QUICK).without_peers().with(settings);
    let number = |name, value| (name, Value::Number(value));
    vec![
        // 1.8 times faster.
        ledger(&[number("handler_ns", 2000), number("entries", 100_000)]).figure(
            "ledger: entries of 2 us that do not meet, against a plain actor",
            Pool,
            ADAPTIVE,
            AtMostTimes(1.0 / 1.8, PLAIN),
        ),
        ledger(&[number("handler_ns", 2000), number("entries", 100_000), number("conflict", 100)])
            .figure(
                "ledger: entries of 2 us that all meet, against a plain actor",
                Pool,
                ADAPTIVE,
                AtMostTimes(1.0 / 0.9, PLAIN),
            ),
        ledger(&[number("handler_ns", 0), number("entries", 1_000_000)]).figure(
            "ledger: empty entries, against a plain actor",
            Pool,
            ADAPTIVE,
            AtMostTimes(1.0 / 0.8, PLAIN),
        ),
        ledger(&[number("handler_ns", 2000), number("entries", 100_000), number("reads", 100)])
            .figure(
                "ledger: questions of 2 us, against a plain actor",
                Pool,
                ADAPTIVE,
                AtMostTimes(1.0 / 1.8, PLAIN),
            ),
    ]
}
