//! What one list actor holds: its part of the list and the sum of it.

use super::sorted_list::SortedList;
use super::{ListOperation, ListPlan, OperationAnswer, Sum};
use odeon_example_run::SplitMix64;

#[derive(Debug, Default)]
pub(super) struct Segment {
    list: SortedList,
    partial_sum: i64,
    /// What it was filled with, in that order: another kind of list that is filled so lies in
    /// memory as this one does.
    filled: Vec<u32>,
}

impl Segment {
    /// The parts of all list actors before the measured part.
    pub(super) fn prefilled(plan: &ListPlan) -> Vec<Self> {
        let mut segments: Vec<Self> = (0..plan.list_actors).map(|_| Self::default()).collect();
        let mut random = SplitMix64::new(plan.seed);
        let mut missing = plan.range * plan.fill_percent / 100;
        while missing > 0 {
            let value = (random.next() % plan.range) as u32;
            let segment = &mut segments[plan.owner(value)];
            if segment.insert(value) {
                segment.filled.push(value);
                missing -= 1;
            }
        }
        segments
    }

    /// Answers a request about one value; of a sum, this part's share.
    #[inline]
    pub(super) fn answer(&mut self, request: ListOperation) -> OperationAnswer {
        match request {
            ListOperation::Lookup(value) => OperationAnswer::Whether(self.list.contains(value)),
            ListOperation::Insert(value) => OperationAnswer::Whether(self.insert(value)),
            ListOperation::Remove(value) => {
                let removed = self.list.remove(value);
                if removed {
                    self.partial_sum -= i64::from(value);
                }
                OperationAnswer::Whether(removed)
            }
            ListOperation::Sum(sum) => OperationAnswer::Sum(self.sum(sum)),
        }
    }

    fn insert(&mut self, value: u32) -> bool {
        let inserted = self.list.insert(value);
        if inserted {
            self.partial_sum += i64::from(value);
        }
        inserted
    }

    /// What it was filled with at first, in that order.
    pub(super) fn filled(&self) -> &[u32] {
        &self.filled
    }

    /// What its values add up to, found out in a way.
    pub(super) fn sum(&self, sum: Sum) -> i64 {
        if sum.is_kept() { self.partial_sum } else { self.sum_of_values() }
    }

    fn sum_of_values(&self) -> i64 {
        self.values().map(i64::from).sum()
    }

    pub(super) fn partial_sum(&self) -> i64 {
        self.partial_sum
    }

    pub(super) fn values(&self) -> impl Iterator<Item = u32> + '_ {
        self.list.values()
    }

    /// The partial sum as kept, and the sum of the values as found.
    pub(super) fn audit(&self) -> (i64, i64) {
        (self.partial_sum, self.sum_of_values())
    }
}
