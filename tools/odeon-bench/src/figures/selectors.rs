//! What selectors promise: times beside those of the Savina suite's programs on such a machine, and
//! never to be slower than plain actors that do the same.

use super::Goal::{AtMostNanoseconds, AtMostTimes};
use super::{Goal, Group, alone};
use crate::parameter::Setting;
use crate::parameter::Value::{Number, Word};

const ACTOR: &[Setting] = &[("version", Word("actor"))];
const QUEUE: &[Setting] = &[("version", Word("queue"))];
const SELECTOR: &[Setting] = &[("version", Word("selector"))];
const ANY_ORDER: &[Setting] = &[("version", Word("any-order"))];
const ROUND_ROBIN: &[Setting] = &[("version", Word("round-robin"))];
const DECLARED: &[Setting] = &[("version", Word("declared"))];
const IMPERATIVE: &[Setting] = &[("version", Word("imperative"))];

const ARRIVAL_ORDER: &[Setting] = &[("version", Word("arrival-order"))];
const WRITERS_FIRST: &[Setting] = &[("version", Word("writers-first"))];

const MAILBOXES_1: &[Setting] = &[("mailboxes", Number(1))];
const MAILBOXES_8: &[Setting] = &[("mailboxes", Number(8))];
const MAILBOXES_16: &[Setting] = &[("mailboxes", Number(16))];
const MAILBOXES_32: &[Setting] = &[("mailboxes", Number(32))];
const MAILBOXES_64: &[Setting] = &[("mailboxes", Number(64))];

/// What more mailboxes may cost.
const FLAT: Goal = AtMostTimes(1.05, MAILBOXES_1);

/// What the best policy is to reach with reads that take long: 1.6 times as fast.
const READS_SCALE: f64 = 1.0 / 1.6;

/// What declared guards may cost beside imperative ones.
const DECLARED_AGAINST_IMPERATIVE: f64 = 1.0 / 0.97;

/// Milliseconds of a run, as nanoseconds of one of its operations.
fn ms(of_run: f64, operations: u64) -> Goal {
    AtMostNanoseconds(of_run * 1e6 / operations as f64)
}

pub(super) fn groups() -> Vec<Group> {
    vec![
        alone("chameneos", &[("meetings", Number(20_000))])
            .with(&[("creatures", Number(500)), ("meetings", Number(2_000_000))])
            .figure(
                "chameneos, 500 creatures: 2,000,000 meetings in 270 ms",
                &[],
                ms(270.0, 2_000_000),
            )
            .figure(
                "chameneos, 500 creatures, 8 mailboxes: 2,000,000 meetings in 270 ms",
                MAILBOXES_8,
                ms(270.0, 2_000_000),
            ),
        alone("fjthrput", &[("messages", Number(20_000))])
            .figure(
                "fjthrput, 8 mailboxes: 24,000,000 messages in 600 ms",
                MAILBOXES_8,
                ms(600.0, 24_000_000),
            )
            .figure(
                "fjthrput, 64 mailboxes: 24,000,000 messages in 600 ms",
                MAILBOXES_64,
                ms(600.0, 24_000_000),
            )
            .figure("8 mailboxes against 1 (fjthrput)", MAILBOXES_8, FLAT)
            .figure("16 mailboxes against 1 (fjthrput)", MAILBOXES_16, FLAT)
            .figure("32 mailboxes against 1 (fjthrput)", MAILBOXES_32, FLAT)
            .figure("64 mailboxes against 1 (fjthrput)", MAILBOXES_64, FLAT),
        one("logmap", &[("terms", Number(200))])
            .figure(
                "logmap: 150 series of 15,000 terms in 170 ms",
                SELECTOR,
                ms(170.0, 150 * 15_000),
            )
            .figure("logmap: selector against actor", SELECTOR, AtMostTimes(1.0, ACTOR)),
        one("banking", &[("transfers", Number(10_000))])
            .figure("banking: 1,000,000 transfers in 180 ms", SELECTOR, ms(180.0, 1_000_000))
            .figure("banking: selector against actor", SELECTOR, AtMostTimes(1.0, ACTOR)),
        one("filterbank", &[("items", Number(600)), ("columns", Number(128))])
            .figure("filterbank: 34,816 items in 670 ms", ANY_ORDER, ms(670.0, 34_816))
            .figure("filterbank: any order against actor", ANY_ORDER, AtMostTimes(1.0, ACTOR))
            .figure("filterbank: round robin against actor", ROUND_ROBIN, AtMostTimes(1.0, ACTOR)),
        one("adderjoin", &[("numbers", Number(20_000))])
            .figure(
                "adderjoin, 8 sources: any order against actor",
                ANY_ORDER,
                AtMostTimes(1.0, ACTOR),
            )
            .figure(
                "adderjoin, 8 sources: round robin against actor",
                ROUND_ROBIN,
                AtMostTimes(1.0, ACTOR),
            ),
        queens(48_500)
            .figure("nqueens: 48,500 solutions in 700 ms", SELECTOR, ms(700.0, 48_500))
            .figure("nqueens: selector against actor", SELECTOR, AtMostTimes(1.0, ACTOR))
            .figure("nqueens: selector against priority queue", SELECTOR, AtMostTimes(1.0, QUEUE)),
        queens(5_000)
            .figure(
                "nqueens, 5,000 solutions: selector against actor",
                SELECTOR,
                AtMostTimes(1.0, ACTOR),
            )
            .figure(
                "nqueens, 5,000 solutions: selector against priority queue",
                SELECTOR,
                AtMostTimes(1.0, QUEUE),
            ),
        one("astar", &[("edge", Number(15))])
            .figure("astar: 75 x 75 x 75 in 1,400 ms", SELECTOR, ms(1400.0, 1))
            .figure("astar: selector against actor", SELECTOR, AtMostTimes(1.0, ACTOR))
            .figure("astar: selector against priority queue", SELECTOR, AtMostTimes(1.0, QUEUE)),
        one("bndbuffer", &[("items", Number(20))])
            .figure("bndbuffer: 500,000 items in 110 ms", DECLARED, ms(110.0, 500_000))
            .figure("bndbuffer: declared guards against actor", DECLARED, AtMostTimes(1.0, ACTOR))
            .figure(
                "bndbuffer: imperative guards against actor",
                IMPERATIVE,
                AtMostTimes(1.0, ACTOR),
            )
            .figure(
                "bndbuffer: declared guards against imperative ones",
                DECLARED,
                AtMostTimes(DECLARED_AGAINST_IMPERATIVE, IMPERATIVE),
            ),
        one("dictionary", &[("requests", Number(500))])
            .figure("dictionary: 960,000 requests in 210 ms", ARRIVAL_ORDER, ms(210.0, 24 * 40_000))
            .figure(
                "dictionary: arrival order against actor",
                ARRIVAL_ORDER,
                AtMostTimes(1.0, ACTOR),
            ),
        one("sortedlist", &[("requests", Number(100))])
            .figure("sortedlist: 36,000 requests in 290 ms", WRITERS_FIRST, ms(290.0, 24 * 1500))
            .figure(
                "sortedlist: arrival order against actor",
                ARRIVAL_ORDER,
                AtMostTimes(READS_SCALE, ACTOR),
            )
            .figure(
                "sortedlist: writers first against actor",
                WRITERS_FIRST,
                AtMostTimes(READS_SCALE, ACTOR),
            ),
        one("philosophers", &[("rounds", Number(50))]).figure(
            "philosophers: selector against actor",
            SELECTOR,
            AtMostTimes(1.0, ACTOR),
        ),
        one("barber", &[("haircuts", Number(200))]).figure(
            "barber: selector against actor",
            SELECTOR,
            AtMostTimes(1.0, ACTOR),
        ),
        one("cigsmok", &[("rounds", Number(50))]).figure(
            "cigsmok: selector against actor",
            SELECTOR,
            AtMostTimes(1.0, ACTOR),
        ),
    ]
}

fn one(workload: &'static str, quick: &'static [Setting]) -> Group {
    alone(workload, quick)
}

fn queens(limit: u64) -> Group {
    const QUICK: &[Setting] =
        &[("size", Number(9)), ("threshold", Number(3)), ("limit", Number(100))];
    one("nqueens", QUICK).with(&[("limit", Number(limit))])
}
