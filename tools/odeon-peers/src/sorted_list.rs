//! A sorted singly linked list of heap cells with a running sum: what a list actor of `list` keeps.
//!
//! A real list, though an array would be faster: the walk along the cells is the actor's work.

/// What is compared at the end of a sample.
#[derive(Debug)]
pub struct Audit {
    /// As updated by each insert and remove.
    pub partial_sum: i64,
    /// As counted over the cells.
    pub cell_sum: i64,
}

#[derive(Debug, Default)]
pub struct SortedList {
    first: Link,
    partial_sum: i64,
}

type Link = Option<Box<Node>>;

#[derive(Debug)]
struct Node {
    value: u32,
    next: Link,
}

impl SortedList {
    pub fn partial_sum(&self) -> i64 {
        self.partial_sum
    }

    /// Whether the value is present.
    pub fn lookup(&self, value: u32) -> bool {
        let mut link = &self.first;
        while let Some(node) = link {
            if node.value >= value {
                return node.value == value;
            }
            link = &node.next;
        }
        false
    }

    /// Puts the value in, and says whether it was absent.
    pub fn insert(&mut self, value: u32) -> bool {
        let link = self.first_not_below(value);
        if link.as_ref().is_some_and(|node| node.value == value) {
            return false;
        }
        let next = link.take();
        *link = Some(Box::new(Node { value, next }));
        self.partial_sum += i64::from(value);
        true
    }

    /// Takes the value out, and says whether it was present.
    pub fn remove(&mut self, value: u32) -> bool {
        let link = self.first_not_below(value);
        match link.take() {
            Some(node) if node.value == value => {
                *link = node.next;
                self.partial_sum -= i64::from(value);
                true
            }
            other => {
                *link = other;
                false
            }
        }
    }

    pub fn audit(&self) -> Audit {
        let mut cell_sum = 0;
        let mut link = &self.first;
        while let Some(node) = link {
            cell_sum += i64::from(node.value);
            link = &node.next;
        }
        Audit { partial_sum: self.partial_sum, cell_sum }
    }

    /// The link to the first cell whose value is not below `value`, or the empty one at the end.
    fn first_not_below(&mut self, value: u32) -> &mut Link {
        let mut link = &mut self.first;
        while link.as_ref().is_some_and(|node| node.value < value) {
            link = &mut link.as_mut().expect("a cell was just seen here").next;
        }
        link
    }
}

impl Drop for SortedList {
    /// Cell by cell: the derived way recurses and would overflow the stack on a long list.
    fn drop(&mut self) {
        let mut link = self.first.take();
        while let Some(mut node) = link {
            link = node.next.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::SortedList;
    use crate::splitmix::SplitMix64;

    fn values(list: &SortedList) -> Vec<u32> {
        std::iter::successors(list.first.as_deref(), |node| node.next.as_deref())
            .map(|node| node.value)
            .collect()
    }

    #[test]
    fn agrees_with_a_set() {
        let mut numbers = SplitMix64::new(3);
        let mut list = SortedList::default();
        let mut set = BTreeSet::new();
        for _ in 0..2_000 {
            let value = numbers.below(64);
            match numbers.below(3) {
                0 => assert_eq!(list.insert(value), set.insert(value)),
                1 => assert_eq!(list.remove(value), set.remove(&value)),
                _ => assert_eq!(list.lookup(value), set.contains(&value)),
            }
            assert_eq!(values(&list), Vec::from_iter(set.iter().copied()));
            let audit = list.audit();
            assert_eq!(audit.partial_sum, audit.cell_sum);
            assert_eq!(list.partial_sum(), set.iter().copied().map(i64::from).sum::<i64>());
        }
    }

    #[test]
    fn a_long_list_is_dropped_without_recursion() {
        let mut list = SortedList::default();
        for value in (0..1_000_000).rev() {
            assert!(list.insert(value));
        }
        drop(list);
    }
}
