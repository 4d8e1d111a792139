//! `ledger`: many senders enter into one ledger that cannot be sharded away; how long an entry takes and how often two
//! of them meet are parameters.

mod book;
mod entries;
mod plain;
mod speculative;
mod threads;

use crate::error::BenchError;
use crate::parameter::{Parameter, Params};
use crate::samples::Measured;
use crate::trace;
use crate::workload::{About, Variant, WORKERS, Workload};
use book::Book;
use entries::Plan;

/// See the module.
pub(super) struct Ledger;

/// Shards of the sharded ledger.
const SHARDS: usize = 16;

static ABOUT: About = About {
    name: "ledger",
    summary: "senders enter into one ledger: as one actor, sharded, or behind a lock",
    operation: "entry",
    floor: "one thread that makes all entries in an array",
    parameters: &[
        Parameter::word(
            "mode",
            "how the ledger handles entries",
            &["adaptive", "concurrent", "sequential", "plain", "sharded", "mutex", "rwlock"],
        )
        .outside_floor(),
        Parameter::number("handler_ns", "computing of each entry, in ns", 0, 1_000_000, 2000),
        Parameter::number("conflict", "entries into one hot account, in per cent", 0, 100, 0),
        Parameter::number("reads", "questions for one account, in per cent", 0, 100, 0),
        Parameter::number("senders", "actors or threads that send", 1, 10_000, 16),
        Parameter::number("entries", "entries of all senders together", 1, 1_000_000_000, 100_000),
        Parameter::number("seed", "seed of all random draws", 0, u64::MAX, 1),
        WORKERS,
    ],
    variants: &[Variant::Pool],
};

impl Workload for Ledger {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn peers(&self) -> &'static [&'static str] {
        &[]
    }

    fn run(&self, _variant: Variant, params: &Params) -> Result<Measured, BenchError> {
        let plan = Plan::new(params);
        match params.word("mode") {
            "plain" => plain::run(&plan, params, 1),
            "sharded" => plain::run(&plan, params, SHARDS),
            "mutex" => threads::with_mutex(&plan, params),
            "rwlock" => threads::with_rwlock(&plan, params),
            mode => speculative::run(&plan, params, mode),
        }
    }

    fn traced_modes(&self) -> &'static [&'static str] {
        &trace::MODES
    }

    fn floor(&self, params: &Params) -> Result<Measured, BenchError> {
        let plan = Plan::new(params);
        let mut book = Book::new(plan.accounts());
        let (measured, ()) = Measured::time(plan.total(), || {
            for sender in 0..plan.senders {
                plan.entries_of(sender).for_each(|entry| {
                    book.apply(entry);
                });
            }
        });
        plan.check(book.total()).map(|()| measured)
    }
}
