//! The only source of randomness: seeds come from the theater, each worker draws its own numbers.

use std::hash::{BuildHasher, RandomState};

/// A small generator (Vigna's splitmix64), good enough to choose whom to steal from.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence of `seed`.
    pub fn from_seed(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A seed that differs from run to run.
    pub fn fresh_seed() -> u64 {
        RandomState::new().hash_one(0u8)
    }

    /// The next number, uniform over all of `u64`.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must not be 0. The bias is below `bound / 2^64`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }
}
