//! `walk-direct`: each thread owns a list. A transaction in direct mode walks it from end to end,
//! removes the value that the one before has inserted, and inserts another; both look for their
//! place from the head on.

use super::case::{Case, TxPlan};
use super::linked_list;
use super::threads;
use crate::error::BenchError;
use crate::samples::Measured;
use odeon_example_run::SplitMix64;
use odeon_example_sorted_list::SortedList;
use odeon_stm::collections::TList;
use odeon_stm::staged::{Attempted, attempt};
use odeon_stm::{Abort, Mode};
use std::convert::Infallible;
use std::hint::black_box;
use std::sync::Arc;

pub(super) const CASE: Case = Case { name: "walk-direct", run, floor };

fn run(plan: &TxPlan) -> Result<Measured, BenchError> {
    let prepare = |_| Arc::new(linked_list::linked(plan));
    let (measured, ended) = threads::run(plan, prepare, |thread, list| {
        each(plan, thread, |change| direct(list, change))
    });
    check(plan, ended)?;
    Ok(measured)
}

/// The same on a list of boxes.
fn floor(plan: &TxPlan) -> Result<Measured, BenchError> {
    let prepare = |_| linked_list::boxed(plan);
    let (measured, ended) = threads::run(plan, prepare, |thread, list| {
        each(plan, thread, |change| plain(list, change))
    });
    check(plan, ended)?;
    Ok(measured)
}

fn check<L>(plan: &TxPlan, ended: Vec<(L, u64)>) -> Result<(), BenchError> {
    plan.check_all(ended.into_iter().map(|(_, right)| right))
}

/// What one transaction changes.
#[derive(Clone, Copy)]
struct Change {
    /// `None` in the first one.
    remove: Option<u32>,
    insert: u32,
}

/// What it has seen; nothing if it did not succeed.
type WalkSeen = Option<Walk>;

#[derive(PartialEq)]
struct Walk {
    sum: u64,
    is_removed: bool,
    is_inserted: bool,
}

/// Does all transactions of a thread, and counts those that have seen what they should.
#[inline]
fn each(plan: &TxPlan, thread: usize, mut walk: impl FnMut(Change) -> WalkSeen) -> u64 {
    let mut random = SplitMix64::new(plan.seed.wrapping_add(thread as u64));
    let (values, mut present) = (linked_list::sum_of_values(plan), None);
    let walk = |_: &u64| {
        let insert = 2 * (random.next() % u64::from(plan.nodes)) as u32 + 1;
        let seen = walk(Change { remove: present, insert });
        let sum = values + present.map_or(0, u64::from);
        present = Some(insert);
        seen == Some(Walk { sum, is_removed: true, is_inserted: true })
    };
    (0..plan.share(thread)).filter(walk).count() as u64
}

fn direct(list: &Arc<TList<u32>>, change: Change) -> WalkSeen {
    let run = attempt(list.clone(), Mode::Direct, |list, tx| {
        let sum = linked_list::sum(list, tx)?;
        let is_removed = match change.remove {
            Some(value) => list.remove(tx, &value)?.is_some(),
            None => true,
        };
        let is_inserted = list.insert(tx, change.insert)?;
        Ok::<_, Abort<Infallible>>(Walk { sum, is_removed, is_inserted })
    });
    match run {
        Attempted::Finished(finished, walk) => finished.commit().is_ok().then_some(walk),
        Attempted::Failed(_) | Attempted::RolledBack(_) => None,
    }
}

fn plain(list: &mut SortedList, change: Change) -> WalkSeen {
    let sum = linked_list::sum_of_boxes(black_box(list));
    let is_removed = change.remove.is_none_or(|value| list.remove(value));
    let is_inserted = list.insert(change.insert);
    Some(Walk { sum, is_removed, is_inserted })
}
