//! `tmap`: a directory of sessions, which one actor keeps in a map. Some sessions are asked for much more often than
//! others; some are touched, some begin and some end.

mod directory;
mod requests;
mod zipf;

use super::shared_state::{self, HANDLER_NS, MODE, SECONDS, SENDERS};
use crate::trace;
use crate::workload::prelude::*;
use requests::Plan;

/// See the module.
pub(super) static SESSION_DIRECTORY: Workload = Workload {
    summary: "a directory of sessions in a map of one actor: speculative or plain, sharded, or behind a lock",
    operation: "request",
    floor_is: "one thread with a hash map",
    parameters: &[
        MODE,
        HANDLER_NS,
        Parameter::number(
            "keys",
            "sessions that can be; every other one is there at first",
            2,
            10_000_000,
            10_000,
        ),
        Parameter::number(
            "skew",
            "exponent of the Zipf distribution of the keys, in hundredths",
            0,
            300,
            99,
        ),
        Parameter::number("reads", "lookups, in per cent", 0, 100, 90),
        Parameter::number(
            "updates",
            "touches of a session, in per cent; the rest begins and ends sessions",
            0,
            100,
            8,
        ),
        SENDERS,
        Parameter::number(
            "requests",
            "requests of all senders together",
            1,
            1_000_000_000,
            100_000,
        ),
        Parameter::number("seed", "seed of all random draws", 0, u64::MAX, 1),
        SECONDS,
        WORKERS,
    ],
    check,
    traced_modes: &trace::MODES,
    ..Workload::new("tmap", run, floor)
};

fn check(params: &Params) -> Result<(), BenchError> {
    let (reads, updates) = (params.number("reads"), params.number("updates"));
    if reads + updates > 100 {
        let problem = format!("{reads} and {updates} per cent are more than all requests");
        return Err(BenchError::bad_argument("--updates", problem));
    }
    Ok(())
}

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    shared_state::run(&Plan::new(params), params)
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    shared_state::floor(&Plan::new(params))
}

#[cfg(test)]
mod tests;
