//! How the keys of hash maps and sets are hashed unless their maker says otherwise.

use std::fmt;
use std::hash::{BuildHasher, Hasher};

/// Seeds of the hashes of [`TMap`](super::TMap) and [`TSet`](super::TSet): random ones, different for each map.
///
/// The hash function is [foldhash](https://docs.rs/foldhash), a multiplication or two for a number. It keeps
/// keys that are alike apart, and nobody can choose colliding keys beforehand. It is no defence against somebody
/// who chooses keys *and* measures times to find the seeds: for such keys, take
/// [`RandomState`](std::hash::RandomState) of the standard library.
#[derive(Clone, Default)]
pub struct QuickState(foldhash::fast::RandomState);

/// The [`Hasher`] of a [`QuickState`].
#[derive(Clone)]
pub struct QuickHasher(foldhash::fast::FoldHasher<'static>);

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
    use std::hash::Hash;

    /// How many of `keys` have the most popular value of the upper `bits` of their hashes, which choose the
    /// place in a root.
    fn most_in_one_place<K: Hash>(bits: u32, keys: impl Iterator<Item = K>) -> usize {
        let state = QuickState::default();
        let mut places = vec![0; 1 << bits];
        for key in keys {
            places[(state.hash_one(key) >> (64 - bits)) as usize] += 1;
        }
        places.into_iter().max().expect("there are places")
    }

    #[test]
    fn keys_that_are_alike_go_to_different_places() {
        // 4,096 keys for 4,096 places: with random hashes the fullest place has some 6 to 8.
        for _ in 0..20 {
            for shift in [0, 3, 12, 20, 32, 40, 52] {
                let most = most_in_one_place(12, (0..4_096_u64).map(|key| key << shift));
                assert!(most <= 16, "{most} of the multiples of 2^{shift}");
            }
            let names = (0..4_096).map(|number| format!("account/{number}"));
            assert!(most_in_one_place(12, names) <= 16);
            let pairs = (0..4_096_u32).map(|number| (number / 64, number % 64));
            assert!(most_in_one_place(12, pairs) <= 16);
        }
    }

    #[test]
    fn each_state_has_seeds_of_its_own() {
        let hashes: std::collections::HashSet<u64> =
            (0..100).map(|_| QuickState::default().hash_one(1_u64)).collect();
        assert_eq!(hashes.len(), 100);
    }
}
