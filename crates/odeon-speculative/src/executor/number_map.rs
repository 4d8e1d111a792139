//! Maps whose keys are numbers that nobody chooses to collide: they need to be spread, and no more.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub(crate) type NumberMap<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;

/// Fibonacci hashing (Knuth, TAOCP 3, 6.4).
#[derive(Default)]
pub(crate) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("the keys are numbers");
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        let spread = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = spread ^ spread >> 32;
    }
}
