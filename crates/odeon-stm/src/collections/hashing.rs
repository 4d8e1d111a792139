//! How the keys of hash maps and sets are hashed unless their maker says otherwise.

use odeon_sync::interruption;
use std::fmt;
use std::hash::{BuildHasher, Hasher};

/// Seeds of the hashes of [`TMap`](super::TMap) and [`TSet`](super::TSet): random ones, different
/// for each map.
///
/// The hash function is [foldhash](https://docs.rs/foldhash), two multiplications for a number. It
/// keeps keys that are alike apart, also in the upper bits of the hash, which choose the place; and
/// nobody can choose colliding keys beforehand. It is no defence against somebody who chooses keys
/// *and* measures times to find the seeds: for such keys, take
/// [`RandomState`](std::hash::RandomState) of the standard library.
///
/// In a deterministic test they are the same in each run.
#[derive(Clone)]
pub struct QuickState(foldhash::quality::SeedableRandomState);

impl Default for QuickState {
    fn default() -> Self {
        use foldhash::quality::SeedableRandomState as State;
        // How keys lie determines what transactions read on their way.
        Self(if interruption::test().is_some() { State::fixed() } else { State::random() })
    }
}

/// The [`Hasher`] of a [`QuickState`].
#[derive(Clone)]
pub struct QuickHasher(foldhash::quality::FoldHasher<'static>);

impl BuildHasher for QuickState {
    type Hasher = QuickHasher;

    #[inline(always)]
    fn build_hasher(&self) -> QuickHasher {
        QuickHasher(self.0.build_hasher())
    }
}

/// Hands the types on: each has a way of its own, quicker than by bytes.
macro_rules! hand_on {
    ($($write:ident $number:ty),*) => {
        $(#[inline(always)]
        fn $write(&mut self, number: $number) {
            self.0.$write(number);
        })*
    };
}

impl Hasher for QuickHasher {
    #[inline(always)]
    fn finish(&self) -> u64 {
        self.0.finish()
    }

    #[inline(always)]
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    hand_on!(write_u8 u8, write_u16 u16, write_u32 u32, write_u64 u64, write_u128 u128, write_usize usize);
    hand_on!(write_i8 i8, write_i16 i16, write_i32 i32, write_i64 i64, write_i128 i128, write_isize isize);
}

impl fmt::Debug for QuickState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuickState").finish_non_exhaustive()
    }
}

impl fmt::Debug for QuickHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuickHasher").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::hash::Hash;

    /// How many of 4,096 places are chosen by the upper bits of the hashes of as many `keys`.
    fn places_used<K: Hash>(keys: impl Iterator<Item = K>) -> usize {
        let state = QuickState::default();
        let places: HashSet<u64> = keys.map(|key| state.hash_one(key) >> 52).collect();
        places.len()
    }

    #[test]
    fn keys_that_are_alike_go_to_different_places() {
        // Random hashes use 63 % of the places, give or take half a per cent.
        const ENOUGH: usize = 4_096 * 60 / 100;
        for _ in 0..20 {
            for shift in [0, 3, 12, 20, 32, 40, 52] {
                let used = places_used((0..4_096_u64).map(|key| key << shift));
                assert!(used > ENOUGH, "{used} by the multiples of 2^{shift}");
            }
            assert!(places_used((0..4_096).map(|number| format!("account/{number}"))) > ENOUGH);
            assert!(places_used((0..4_096_u32).map(|number| (number / 64, number % 64))) > ENOUGH);
        }
    }

    #[test]
    fn each_state_has_seeds_of_its_own() {
        let hashes: HashSet<u64> =
            (0..100).map(|_| QuickState::default().hash_one(1_u64)).collect();
        assert_eq!(hashes.len(), 100);
    }
}
