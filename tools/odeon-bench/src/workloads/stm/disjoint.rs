//! `disjoint`: what `read-write` does, each thread on variables of its own. The time of a
//! transaction is that of all threads together: twice the threads should halve it.

use super::case::{Case, TxPlan};
use super::{marks, threads};
use crate::error::BenchError;
use crate::samples::Measured;

pub(super) const CASE: Case = Case { name: "disjoint", run, floor: marks::floor };

fn run(plan: &TxPlan) -> Result<Measured, BenchError> {
    // Made by the threads themselves, so that no two threads' variables share a cache line.
    let prepare = |_| marks::unmarked(plan);
    let (measured, ended) =
        threads::run(plan, prepare, |thread, variables| marks::transact(plan, thread, variables));
    for (thread, (variables, seen)) in ended.iter().enumerate() {
        let values: Vec<u64> = variables.iter().map(|variable| variable.peek()).collect();
        marks::check_own(plan, thread, &values, *seen)?;
    }
    Ok(measured)
}
