//! `ledger`: many senders enter into one ledger that cannot be sharded away; how long an entry takes and how often two
//! of them meet are parameters.

mod book;
mod entries;

use super::shared_state::{self, HANDLER_NS, MODE, SECONDS, SENDERS};
use crate::trace;
use crate::workload::prelude::*;

pub(super) use book::Accounts;
pub(super) use entries::{Entries, Entry, Plan};

/// See the module.
pub(super) static LEDGER: Workload = Workload {
    summary: "senders enter into one ledger: as one actor, sharded, or behind a lock",
    operation: "entry",
    floor_is: "one thread that makes all entries in an array",
    parameters: &[
        MODE,
        HANDLER_NS,
        Parameter::number("conflict", "entries into one hot account, in per cent", 0, 100, 0),
        Parameter::number("reads", "questions for one account, in per cent", 0, 100, 0),
        SENDERS,
        Parameter::number("entries", "entries of all senders together", 1, 1_000_000_000, 100_000),
        Parameter::number("seed", "seed of all random draws", 0, u64::MAX, 1),
        SECONDS,
        WORKERS,
    ],
    traced_modes: &trace::MODES,
    ..Workload::new("ledger", run, floor)
};

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    shared_state::run(&Plan::new(params), params)
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    shared_state::floor(&Plan::new(params))
}
