//! What the three implementations of `list` have in common besides the list itself: the values at
//! the start, the requesters' requests, and the check at the end.

use crate::params::{List, Mix};
use crate::sorted_list::{Audit, SortedList};
use crate::splitmix::SplitMix64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Lookup(u32),
    Insert(u32),
    Remove(u32),
    Sum,
}

/// Which list actor is responsible for a value.
#[derive(Clone, Copy, Debug)]
pub struct Division {
    values_per_actor: usize,
}

impl Division {
    pub fn new(params: &List) -> Self {
        Self { values_per_actor: (params.range as usize).div_ceil(params.list_actors) }
    }

    pub fn actor_of(self, value: u32) -> usize {
        value as usize / self.values_per_actor
    }
}

/// The list of each list actor at the start.
pub fn prefilled_lists(params: &List) -> Vec<SortedList> {
    let division = Division::new(params);
    let mut lists = Vec::new();
    lists.resize_with(params.list_actors, SortedList::default);
    let mut numbers = SplitMix64::new(params.seed);
    let mut missing = u64::from(params.range) * u64::from(params.fill) / 100;
    while missing > 0 {
        let value = numbers.below(params.range);
        if lists[division.actor_of(value)].insert(value) {
            missing -= 1;
        }
    }
    lists
}

/// One requester's requests, in order.
#[derive(Debug)]
pub struct Requests {
    numbers: SplitMix64,
    /// A draw below this is a lookup.
    lookups_below: u32,
    /// A draw below this and no lookup is an update, a greater one a sum.
    updates_below: u32,
    range: u32,
    left: usize,
}

impl Requests {
    pub fn of_requester(requester: usize, params: &List) -> Self {
        let (lookups, updates) = match params.mix {
            Mix::Read => (97, 2),
            Mix::Write => (1, 98),
            Mix::Mixed => (49, 50),
        };
        let seed = params.seed.wrapping_mul(1_000_003).wrapping_add(requester as u64 + 1);
        Self {
            numbers: SplitMix64::new(seed),
            lookups_below: lookups,
            updates_below: lookups + updates,
            range: params.range,
            left: params.requests,
        }
    }
}

impl Iterator for Requests {
    type Item = Operation;

    fn next(&mut self) -> Option<Operation> {
        self.left = self.left.checked_sub(1)?;
        let percent = self.numbers.below(100);
        let value = self.numbers.below(self.range);
        Some(if percent < self.lookups_below {
            Operation::Lookup(value)
        } else if percent >= self.updates_below {
            Operation::Sum
        } else if self.numbers.next().is_multiple_of(2) {
            Operation::Insert(value)
        } else {
            Operation::Remove(value)
        })
    }
}

/// What one requester's updates have changed the sum by, according to their answers.
#[derive(Debug, Default)]
pub struct Tally(i64);

impl Tally {
    pub fn inserted(&mut self, value: u32, was_absent: bool) {
        if was_absent {
            self.0 += i64::from(value);
        }
    }

    pub fn removed(&mut self, value: u32, was_present: bool) {
        if was_present {
            self.0 -= i64::from(value);
        }
    }
}

/// The check at the end: nothing was lost and nothing was done twice.
pub fn check_sums(prefill_sum: i64, tallies: &[Tally], audits: &[Audit]) -> Result<(), String> {
    let expected = prefill_sum + tallies.iter().map(|tally| tally.0).sum::<i64>();
    let partial_sums: i64 = audits.iter().map(|audit| audit.partial_sum).sum();
    let cell_sums: i64 = audits.iter().map(|audit| audit.cell_sum).sum();
    if partial_sums == expected && cell_sums == expected {
        Ok(())
    } else {
        Err(format!(
            "the requesters' answers make {expected}, the partial sums {partial_sums}, \
             the values in the lists {cell_sums}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefill_has_as_many_values_as_asked_each_in_its_part() {
        let params = List { list_actors: 3, range: 100, fill: 50, ..List::default() };
        let lists = prefilled_lists(&params);
        let present = |value: &u32| lists.iter().filter(|list| list.lookup(*value)).count();
        assert_eq!((0..100).map(|value| present(&value)).sum::<usize>(), 50);
        for value in 0..100 {
            let owner = (value / 34) as usize;
            let strays = lists.iter().enumerate();
            assert!(!strays.filter(|(i, _)| *i != owner).any(|(_, list)| list.lookup(value)));
        }
    }

    #[test]
    fn the_mix_is_kept() {
        let params = List { requests: 10_000, mix: Mix::Write, ..List::default() };
        let requests = Vec::from_iter(Requests::of_requester(0, &params));
        let count = |kind: fn(&Operation) -> bool| requests.iter().filter(|op| kind(op)).count();
        assert_eq!(requests.len(), 10_000);
        assert!(count(|op| matches!(op, Operation::Insert(_))) > 4_500);
        assert!(count(|op| matches!(op, Operation::Remove(_))) > 4_500);
        assert!((50..200).contains(&count(|op| matches!(op, Operation::Sum))));
        assert!((50..200).contains(&count(|op| matches!(op, Operation::Lookup(_)))));
    }

    #[test]
    fn a_wrong_sum_is_an_error() {
        let audits = [Audit { partial_sum: 9, cell_sum: 9 }];
        let mut tally = Tally::default();
        tally.inserted(4, true);
        tally.inserted(5, false);
        tally.removed(1, true);
        assert_eq!(check_sums(6, &[tally], &audits), Ok(()));
        assert!(check_sums(6, &[], &audits).is_err());
    }
}
