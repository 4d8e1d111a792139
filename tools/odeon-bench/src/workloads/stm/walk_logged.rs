//! `walk-logged`: each thread walks one list from end to end, in a transaction that logs what it
//! reads.

use super::case::{Case, TxPlan};
use super::linked_list::{floor_of_walks, linked, sum, sum_of_values};
use super::threads;
use crate::error::BenchError;
use crate::samples::Measured;
use odeon_stm::atomically;

pub(super) const CASE: Case = Case { name: "walk-logged", run, floor: floor_of_walks };

fn run(plan: &TxPlan) -> Result<Measured, BenchError> {
    let (list, expected) = (linked(plan), sum_of_values(plan));
    let (measured, right) = threads::run_unprepared(plan, |thread| {
        let walk = |_: &u64| atomically(|tx| sum(&list, tx)) == expected;
        (0..plan.share(thread)).filter(walk).count() as u64
    });
    plan.check_all(right).map(|()| measured)
}
