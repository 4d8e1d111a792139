//! `walk-snapshot`: each thread walks one list from end to end, in a snapshot.

use super::case::{Case, TxPlan};
use super::linked_list::{floor_of_walks, linked, sum, sum_of_values};
use super::threads;
use crate::error::BenchError;
use crate::samples::Measured;
use odeon_stm::snapshot;

pub(super) const CASE: Case = Case { name: "walk-snapshot", run, floor: floor_of_walks };

fn run(plan: &TxPlan) -> Result<Measured, BenchError> {
    let (list, expected) = (linked(plan), sum_of_values(plan));
    let (measured, right) = threads::run_unprepared(plan, |thread| {
        let walk = |_: &u64| snapshot(|view| sum(&list, view)) == Ok(expected);
        (0..plan.share(thread)).filter(walk).count() as u64
    });
    plan.check_all(right).map(|()| measured)
}
