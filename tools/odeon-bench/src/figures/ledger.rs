//! What speculative actors promise.

use super::Goal::AtMostTimes;
use super::{Group, Setting, group};
use crate::parameter::Value;
use crate::workload::Variant::Pool;

const PLAIN: &[Setting] = &[("mode", Value::Word("plain"))];
const ADAPTIVE: &[Setting] = &[("mode", Value::Word("adaptive"))];
const QUICK: &[Setting] = &[("entries", Value::Number(2000))];

pub(super) fn groups() -> Vec<Group> {
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
