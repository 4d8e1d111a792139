//! `beside`: one sender never stops changing a ledger, which is one speculative actor; others
//! meanwhile ask for accounts, on snapshots. Only the changes are measured. Nobody enters but that
//! one sender, so changes have one place at a time: a rollback of whatever would be one that a
//! question has caused or met, and makes the run fail.

mod ledger;
mod senders;

use super::shared_state::{self, HANDLER_NS};
use crate::workload::prelude::*;
use ledger::{Ledger, ToLedger};
use odeon_example_shared_state::ledger::LedgerPlan;
use odeon_example_shared_state::{SharedState, Work};
use odeon_speculative::{Processing, SpawnSpeculative, SpeculationStats};
use senders::{LedgerAsker, ToAsker, ToWriter, Writer};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// See the module.
pub(super) static BESIDE: Workload = Workload {
    summary: "changes of one sender to a ledger that others ask on snapshots meanwhile",
    operation: "change",
    floor_is: "one thread that makes all changes in an array",
    parameters: &[
        HANDLER_NS,
        Parameter::number("askers", "actors that never stop to ask", 0, 64, 4).outside_floor(),
        Parameter::word(
            "asked",
            "whom they ask: the ledger, or another one that nobody changes",
            &["ledger", "another"],
        )
        .outside_floor(),
        Parameter::number("entries", "changes", 1, 1_000_000_000, 100_000),
        Parameter::number("seed", "seed of all random draws", 0, u64::MAX, 1),
        WORKERS,
    ],
    ..Workload::new("beside", run, floor)
};

/// WHY two: one for the changes and one for the questions, if there are any.
const WIDTH: usize = 2;

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let theater = theater(params)?;
    let plan = plan(params, 0);
    let spawn = |width| {
        let processing = Processing::concurrent().width(width);
        theater.spawn_speculative(Ledger::new(plan.speculative()), processing)
    };
    let (ledger, another) = (spawn(WIDTH), spawn(WIDTH - 1));
    let asked = if params.word("asked") == "ledger" { &ledger } else { &another };

    let ended = Arc::new(AtomicBool::new(false));
    let askers: Vec<_> = (0..params.number("askers"))
        .map(|asker| {
            let questions = self::plan(params, asker + 1).deeds_of(0);
            theater.spawn(LedgerAsker::new(asked.actor_ref(), questions, ended.clone()))
        })
        .collect();
    askers.iter().for_each(|asker| asker.post(ToAsker::Go));
    let (finish, waiting) = finish_line(1);
    let writer = theater.spawn(Writer::new(ledger.actor_ref(), plan.deeds_of(0), finish));
    let (measured, outcome) = Measured::time(plan.deeds(), || {
        writer.post(ToWriter::Go);
        waiting.wait()
    });
    // ORDERING: Relaxed: askers look again and again, and only stop for it.
    ended.store(true, Ordering::Relaxed);
    outcome?;
    let total = ledger.ask(ToLedger::Total).wait().map_err(runtime)?;
    plan.check(vec![total], &[1])?;
    check(&ledger.speculation())?;
    check(&another.speculation())?;
    Ok(measured)
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    shared_state::floor(&plan(params, 0))
}

/// What one sender of a ledger does: number 0 changes, the others ask.
fn plan(params: &Params, sender: u64) -> LedgerPlan {
    LedgerPlan {
        senders: 1,
        entries: params.number("entries"),
        conflict: 0,
        reads: if sender == 0 { 0 } else { 100 },
        work: Work::of_ns(params.number("handler_ns")),
        seed: params.number("seed").wrapping_add(sender),
        is_named: false,
    }
}

/// Refuses a run in which an attempt was in vain.
fn check(speculation: &SpeculationStats) -> Result<(), BenchError> {
    match speculation.rolled_back() + speculation.failures {
        0 => Ok(()),
        _ => Err(BenchError::WrongResult(format!("attempts were in vain:\n{speculation}"))),
    }
}

#[cfg(test)]
mod tests;
