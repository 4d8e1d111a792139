//! The inputs that a worker process has.

use std::collections::HashMap;

use crate::shared::{ContentId, Shared};

/// Inputs up to a number of bytes; those that were not used for longest go.
pub(super) struct Cache<T: ?Sized> {
    kept: HashMap<ContentId, CachedInput<T>>,
    bytes: usize,
    most_bytes: usize,
    /// Counts uses.
    uses: u64,
}

struct CachedInput<T: ?Sized> {
    input: Shared<T>,
    bytes: usize,
    used: u64,
}

impl<T: ?Sized> Cache<T> {
    pub(super) fn new(most_bytes: usize) -> Self {
        Self { kept: HashMap::new(), bytes: 0, most_bytes, uses: 0 }
    }

    pub(super) fn get(&mut self, id: ContentId) -> Option<Shared<T>> {
        self.uses += 1;
        let kept = self.kept.get_mut(&id)?;
        kept.used = self.uses;
        Some(kept.input.clone())
    }

    /// Keeps one, if it is not alone too large.
    pub(super) fn keep(&mut self, id: ContentId, input: Shared<T>, bytes: usize) {
        if bytes > self.most_bytes || self.kept.contains_key(&id) {
            return;
        }
        while self.bytes + bytes > self.most_bytes {
            let oldest = self.kept.iter().min_by_key(|(_, kept)| kept.used).map(|(&id, _)| id);
            let Some(gone) = oldest.and_then(|id| self.kept.remove(&id)) else { break };
            self.bytes -= gone.bytes;
        }
        self.uses += 1;
        self.bytes += bytes;
        self.kept.insert(id, CachedInput { input, bytes, used: self.uses });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_longest_goes() {
        let input = |number: u8| Shared::<[u8]>::new(vec![number]).unwrap();
        let mut cache = Cache::new(30);
        for number in 0..3 {
            cache.keep(input(number).id(), input(number), 10);
        }
        assert!(cache.get(input(0).id()).is_some());
        cache.keep(input(3).id(), input(3), 10);
        let there: Vec<_> = (0..4).map(|number| cache.get(input(number).id()).is_some()).collect();
        assert_eq!(there, [true, false, true, true]);
        cache.keep(input(4).id(), input(4), 25);
        let there: Vec<_> = (0..5).map(|number| cache.get(input(number).id()).is_some()).collect();
        assert_eq!((there, cache.bytes), (vec![false, false, false, false, true], 25));
        cache.keep(input(5).id(), input(5), 31);
        assert!(cache.get(input(5).id()).is_none() && cache.get(input(4).id()).is_some());
    }

    #[test]
    fn one_that_comes_twice_is_counted_once() {
        let input = Shared::<[u8]>::new(vec![1]).unwrap();
        let mut cache = Cache::new(30);
        cache.keep(input.id(), input.clone(), 10);
        cache.keep(input.id(), input, 10);
        assert_eq!(cache.bytes, 10);
    }
}
