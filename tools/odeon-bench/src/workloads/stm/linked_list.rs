//! The sorted list that is walked: once of nodes that link transactionally, once of boxes. In both the last
//! node is allocated first.

use super::case::Plan;
use super::threads;
use crate::error::BenchError;
use crate::samples::Measured;
use crate::sorted_list::SortedList;
use odeon_stm::{Rollback, TLink, Tx, View};
use std::hint::black_box;
use std::sync::Arc;

/// A value and the link to the next node.
pub(super) struct Node {
    value: u32,
    next: TLink<Node>,
}

impl Drop for Node {
    /// WHY: the compiler's own drop recurses once per node.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut node) = next.and_then(Arc::into_inner) {
            next = node.next.take();
        }
    }
}

/// The values of the list at first: even, so that others fit between them.
fn values(plan: &Plan) -> impl DoubleEndedIterator<Item = u32> {
    (0..plan.nodes).map(|number| 2 * number)
}

/// What they add up to.
pub(super) fn sum_of_values(plan: &Plan) -> u64 {
    values(plan).map(u64::from).sum()
}

/// A list of transactional links.
pub(super) fn linked(plan: &Plan) -> TLink<Node> {
    let link = |next, value| TLink::new(Some(Arc::new(Node { value, next })));
    values(plan).rev().fold(TLink::new(None), link)
}

/// A list of boxes.
pub(super) fn boxed(plan: &Plan) -> SortedList {
    let mut list = SortedList::default();
    for value in values(plan).rev() {
        list.insert(value);
    }
    list
}

/// Walks a transactional list from end to end.
#[inline]
pub(super) fn sum<'t, V: View<'t>>(head: &'t TLink<Node>, view: &mut V) -> Result<u64, Rollback> {
    let (mut sum, mut link) = (0, head);
    while let Some(node) = link.get(view)? {
        sum += u64::from(node.value);
        link = &node.next;
    }
    Ok(sum)
}

/// Whether `value` was absent and is now in the list.
pub(super) fn insert<'t>(
    head: &'t TLink<Node>,
    tx: &mut Tx<'t, '_>,
    value: u32,
) -> Result<bool, Rollback> {
    let link = link_to(head, tx, value)?;
    if link.get(tx)?.is_some_and(|node| node.value == value) {
        return Ok(false);
    }
    let next = TLink::new(link.share(tx)?);
    link.set(tx, Some(Arc::new(Node { value, next })))?;
    Ok(true)
}

/// Whether `value` was in the list and is now gone.
pub(super) fn remove<'t>(
    head: &'t TLink<Node>,
    tx: &mut Tx<'t, '_>,
    value: u32,
) -> Result<bool, Rollback> {
    let link = link_to(head, tx, value)?;
    match link.get(tx)? {
        Some(node) if node.value == value => {
            let next = node.next.share(tx)?;
            link.set(tx, next)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// The link to the first node that holds `value` or more.
fn link_to<'t>(
    head: &'t TLink<Node>,
    tx: &mut Tx<'t, '_>,
    value: u32,
) -> Result<&'t TLink<Node>, Rollback> {
    let mut link = head;
    while let Some(node) = link.get(tx)? {
        if node.value >= value {
            break;
        }
        link = &node.next;
    }
    Ok(link)
}

/// The floor of walks that change nothing: all threads walk one list of boxes.
pub(super) fn floor_of_walks(plan: &Plan) -> Result<Measured, BenchError> {
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
