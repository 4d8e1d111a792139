//! A sorted singly linked list of heap cells: the list of the OPODIS 2013 benchmark, where walking
//! is the work.

/// Distinct integers in ascending order, one heap cell each.
#[derive(Debug, Default)]
pub struct SortedList {
    head: ValueLink,
}

type ValueLink = Option<Box<ValueCell>>;

#[derive(Debug)]
struct ValueCell {
    value: u32,
    next: ValueLink,
}

impl SortedList {
    /// Whether `value` is in the list.
    pub fn contains(&self, value: u32) -> bool {
        self.values().find(|held| *held >= value) == Some(value)
    }

    /// Whether `value` was absent and is now in the list.
    pub fn insert(&mut self, value: u32) -> bool {
        let link = self.link_to(value);
        if link.as_ref().is_some_and(|cell| cell.value == value) {
            return false;
        }
        let next = link.take();
        *link = Some(Box::new(ValueCell { value, next }));
        true
    }

    /// Whether `value` was in the list and is now gone.
    pub fn remove(&mut self, value: u32) -> bool {
        let link = self.link_to(value);
        match link.take() {
            Some(cell) if cell.value == value => {
                *link = cell.next;
                true
            }
            other => {
                *link = other;
                false
            }
        }
    }

    /// The values in ascending order.
    pub fn values(&self) -> impl Iterator<Item = u32> + '_ {
        let cells = std::iter::successors(self.head.as_deref(), |cell| cell.next.as_deref());
        cells.map(|cell| cell.value)
    }

    /// The link to the first cell that holds `value` or more.
    fn link_to(&mut self, value: u32) -> &mut ValueLink {
        let mut link = &mut self.head;
        while link.as_ref().is_some_and(|cell| cell.value < value) {
            link = &mut link.as_mut().expect("the loop's condition has seen a cell").next;
        }
        link
    }
}

impl Drop for SortedList {
    /// WHY: the compiler's own drop recurses once per cell, and worker threads have small stacks.
    fn drop(&mut self) {
        let mut link = self.head.take();
        while let Some(mut cell) = link {
            link = cell.next.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_example_run::SplitMix64;
    use std::collections::BTreeSet;

    #[test]
    fn agrees_with_an_ordered_set() {
        let (mut list, mut set) = (SortedList::default(), BTreeSet::new());
        let mut random = SplitMix64::new(7);
        for _ in 0..20_000 {
            let value = (random.next() % 200) as u32;
            match random.next() % 3 {
                0 => assert_eq!(list.insert(value), set.insert(value)),
                1 => assert_eq!(list.remove(value), set.remove(&value)),
                _ => assert_eq!(list.contains(value), set.contains(&value)),
            }
        }
        assert!(list.values().eq(set.iter().copied()));
    }

    #[test]
    fn a_long_list_drops_without_recursion() {
        let mut list = SortedList::default();
        for value in (0..1_000_000).rev() {
            list.insert(value);
        }
        drop(list);
    }
}
