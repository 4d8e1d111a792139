//! `read-write`: a transaction reads one half of the variables that it touches and writes the
//! other; with two of them, one each.

use super::case::{Case, TxPlan};
use super::{marks, threads};
use crate::error::BenchError;
use crate::samples::Measured;

pub(super) const CASE: Case = Case { name: "read-write", run, floor: marks::floor };

fn run(plan: &TxPlan) -> Result<Measured, BenchError> {
    let variables = marks::unmarked(plan);
    let (measured, seen) =
        threads::run_unprepared(plan, |thread| marks::transact(plan, thread, &variables));
    let values: Vec<u64> = variables.iter().map(|variable| variable.peek()).collect();
    match seen[..] {
        [alone] => marks::check_own(plan, 0, &values, alone)?,
        _ => marks::check_shared(plan, &values)?,
    }
    Ok(measured)
}
