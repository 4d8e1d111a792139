//! `counter-var`: what `counter` does, on a variable that each transaction reads and writes.

use super::case::{Case, TxPlan};
use super::{counter, threads};
use crate::error::BenchError;
use crate::samples::Measured;
use odeon_stm::{TVar, atomically};

pub(super) const CASE: Case = Case { name: "counter-var", run, floor: counter::floor };

fn run(plan: &TxPlan) -> Result<Measured, BenchError> {
    let counter = TVar::new(0_u64);
    let (measured, _) = threads::run_unprepared(plan, |thread| {
        let add = |_| atomically(|tx| counter.update(tx, |count| count + 1));
        (0..plan.share(thread)).for_each(add);
    });
    plan.check_total(counter.peek()).map(|()| measured)
}
