//! `counter`: all threads add to one `TCounter`.

use super::case::{Case, TxPlan};
use super::threads;
use crate::error::BenchError;
use crate::samples::Measured;
use odeon_stm::{TCounter, atomically};
use std::hint::black_box;

pub(super) const CASE: Case = Case { name: "counter", run, floor };

fn run(plan: &TxPlan) -> Result<Measured, BenchError> {
    let counter = TCounter::new(0);
    let (measured, _) = threads::run_unprepared(plan, |thread| {
        (0..plan.share(thread)).for_each(|_| atomically(|tx| counter.add(tx, 1)));
    });
    let total = atomically(|tx| counter.get(tx));
    plan.check_total(total as u64).map(|()| measured)
}

/// Additions to plain memory, on one thread.
pub(super) fn floor(plan: &TxPlan) -> Result<Measured, BenchError> {
    let plan = &plan.alone();
    let (measured, totals) = threads::run_unprepared(plan, |thread| {
        let mut total = 0_u64;
        for _ in 0..plan.share(thread) {
            *black_box(&mut total) += 1;
        }
        total
    });
    plan.check_total(totals[0]).map(|()| measured)
}
