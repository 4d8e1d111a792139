//! Which member of a worker pool gets a message.

use std::fmt;

use crate::vocabulary::message::Message;
use crate::vocabulary::random::Random;

/// How a [`WorkerPool`](crate::WorkerPool) chooses the member that gets a message.
pub enum Routing<M: Message> {
    /// Each in its turn. For messages that take about as long as each other.
    RoundRobin,
    /// Of two members drawn at random, the one with fewer messages of the pool before it, the one
    /// being handled included. For messages that take differently long: one that is stuck in a long
    /// message is avoided. (Mitzenmacher, "The Power of Two Choices in Randomized Load
    /// Balancing", 2001.)
    LeastLoaded,
    /// Messages with the same key to the same member, in their order (S2), while the size and the
    /// members stay the same. Members get about equally many keys. If a member ends, its keys are
    /// divided among the others, which keep theirs.
    ByKey(
        /// The key of a message; any `u64`, such as an account number or a hash.
        fn(&M) -> u64,
    ),
}

impl<M: Message> Clone for Routing<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Message> Copy for Routing<M> {}

impl<M: Message> fmt::Debug for Routing<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RoundRobin => "RoundRobin",
            Self::LeastLoaded => "LeastLoaded",
            Self::ByKey(_) => "ByKey(..)",
        })
    }
}

/// A number that has nothing to do with its neighbours'.
fn scatter(number: u64) -> u64 {
    Random::from_seed(number).next_u64()
}

/// Of two different members drawn by `number`, the one with less load.
#[inline]
pub(super) fn less_loaded(number: u64, size: usize, load: impl Fn(usize) -> usize) -> usize {
    let mut random = Random::from_seed(number);
    let one = random.below(size);
    if size == 1 {
        return one;
    }
    let other = (one + 1 + random.below(size - 1)) % size;
    if load(other) < load(one) { other } else { one }
}

/// Of `members`, the one that goes best with `choice`: a member that joins or leaves them changes
/// nothing between the others, and each gets about as many choices. (Thaler and Ravishankar, "Using
/// Name-Based Mappings to Increase Hit Rates", 1998: rendezvous hashing.)
#[inline]
pub(super) fn best_of(choice: u64, members: impl Iterator<Item = usize>) -> Option<usize> {
    let choice = scatter(choice);
    members.max_by_key(|member| scatter(choice ^ *member as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: u64 = 10_000;

    #[test]
    fn a_larger_size_moves_only_keys_to_the_new_members() {
        for (from, to) in [(1, 2), (4, 5), (5, 20), (63, 64)] {
            let moved = (0..KEYS).map(|key| (best_of(key, 0..from), best_of(key, 0..to)));
            let moved: Vec<_> = moved.filter(|(before, after)| before != after).collect();
            assert!(moved.iter().all(|(_, after)| *after >= Some(from)), "{from} to {to}");
            let expected = KEYS as usize * (to - from) / to;
            assert!(moved.len().abs_diff(expected) < KEYS as usize / 20, "{from} to {to}");
        }
    }

    #[test]
    fn keys_are_spread_evenly() {
        for shift in [0, 20, 48] {
            let mut members = [0; 10];
            (0..KEYS).for_each(|key| members[best_of(key << shift, 0..10).unwrap()] += 1);
            assert!(members.iter().all(|keys| (850..1150).contains(keys)), "{members:?}");
        }
    }

    #[test]
    fn a_choice_changes_only_with_its_own_member() {
        for key in 0..KEYS {
            let all = best_of(key, 0..10).unwrap();
            let without = best_of(key, (0..10).filter(|member| *member != 3)).unwrap();
            assert!(all == 3 || all == without);
        }
        assert_eq!(best_of(1, 0..0), None);
    }

    #[test]
    fn the_less_loaded_of_two_is_chosen() {
        let loads = [5, 0, usize::MAX];
        let chosen: Vec<_> = (0..300).map(|n| less_loaded(n, 3, |member| loads[member])).collect();
        assert!(!chosen.contains(&2));
        assert!(chosen.iter().filter(|member| **member == 1).count() > 150);
        assert_eq!(less_loaded(7, 1, |_| 0), 0);
    }
}
