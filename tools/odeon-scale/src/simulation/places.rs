//! Places for shards: the rules of `executor/engine/shards.rs` and `executor/board/shards.rs` where
//! nothing else is on the board.

use std::collections::VecDeque;

#[derive(Debug)]
pub(super) struct ShardPlaces {
    free: usize,
    /// Shards, in the order in which they came.
    waiting: VecDeque<usize>,
    /// Of each shard: whether a place is kept for it until it begins.
    given: Vec<bool>,
}

impl ShardPlaces {
    pub(super) fn new(shards: usize, width: usize) -> Self {
        Self { free: width, waiting: VecDeque::new(), given: vec![false; shards] }
    }

    /// A shard has messages: whether it has a place. If not, it waits for one.
    pub(super) fn begin(&mut self, shard: usize) -> bool {
        if std::mem::take(&mut self.given[shard]) {
            return true;
        }
        if self.free == 0 || !self.waiting.is_empty() {
            self.waiting.push_back(shard);
            return false;
        }
        self.free -= 1;
        true
    }

    /// A shard gives its place back.
    pub(super) fn finish(&mut self) {
        self.free += 1;
    }

    /// Who goes on, after one place at most has been given back.
    pub(super) fn give(&mut self) -> Option<usize> {
        if self.free == 0 {
            return None;
        }
        let next = self.waiting.pop_front()?;
        self.free -= 1;
        self.given[next] = true;
        Some(next)
    }

    /// Whether nobody has a place, or waits for one.
    pub(super) fn are_all_free(&self, width: usize) -> bool {
        self.free == width && self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_handed_over_in_the_order_in_which_shards_came() {
        let mut places = ShardPlaces::new(4, 1);
        assert!(places.begin(0) && !places.begin(1) && !places.begin(2));
        assert_eq!(places.give(), None);
        places.finish();
        assert!(!places.begin(0), "who has given it back comes last");
        assert_eq!(places.give(), Some(1));
        assert_eq!(places.give(), None, "it is kept for that one");
        assert!(!places.begin(3) && places.begin(1));
        for next in [2, 0, 3] {
            places.finish();
            assert_eq!(places.give(), Some(next));
            assert!(places.begin(next) && !places.are_all_free(1));
        }
        places.finish();
        assert!(places.are_all_free(1));
    }
}
