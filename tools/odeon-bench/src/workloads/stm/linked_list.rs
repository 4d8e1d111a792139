//! The sorted list that is walked: once a [`TList`], once one of boxes. Both allocate a cell for
//! each value, the last one first, of the same size where `malloc` gives pieces of 16 bytes.

use super::case::TxPlan;
use super::threads;
use crate::error::BenchError;
use crate::samples::Measured;
use odeon_example_sorted_list::SortedList;
use odeon_stm::collections::TList;
use odeon_stm::{Rollback, View};
use std::hint::black_box;

/// The values of the list at first: even, so that others fit between them.
fn values(plan: &TxPlan) -> impl DoubleEndedIterator<Item = u32> {
    (0..plan.nodes).map(|number| 2 * number)
}

/// What they add up to.
pub(super) fn sum_of_values(plan: &TxPlan) -> u64 {
    values(plan).map(u64::from).sum()
}

/// A list for transactions.
pub(super) fn linked(plan: &TxPlan) -> TList<u32> {
    values(plan).collect()
}

/// A list of boxes.
pub(super) fn boxed(plan: &TxPlan) -> SortedList {
    let mut list = SortedList::default();
    for value in values(plan).rev() {
        list.insert(value);
    }
    list
}

/// Walks a list for transactions from end to end.
#[inline]
pub(super) fn sum<'t, V: View<'t>>(list: &'t TList<u32>, view: &mut V) -> Result<u64, Rollback> {
    list.fold(view, 0, |sum, value| sum + u64::from(*value))
}

/// The floor of walks that change nothing: all threads walk one list of boxes.
pub(super) fn floor_of_walks(plan: &TxPlan) -> Result<Measured, BenchError> {
    let (list, expected) = (boxed(plan), sum_of_values(plan));
    let (measured, right) = threads::run_unprepared(plan, |thread| {
        let walk = |_: &u64| sum_of_boxes(black_box(&list)) == expected;
        (0..plan.share(thread)).filter(walk).count() as u64
    });
    plan.check_all(right).map(|()| measured)
}

/// Walks a list of boxes from end to end.
#[inline]
pub(super) fn sum_of_boxes(list: &SortedList) -> u64 {
    list.values().map(u64::from).sum()
}
