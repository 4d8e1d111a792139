//! Work that only takes time, as several of Savina's workloads have it: draws of the generator
//! behind Java's `Math.random`. WHY each actor has a generator of its own: those of the suite share
//! one, and measure its contention as well.

use std::hint::black_box;

/// Java's 48-bit linear congruential generator.
#[derive(Debug, Clone)]
pub struct BusyWork {
    state: u64,
}

impl BusyWork {
    /// The same draws for the same seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: (seed ^ MULTIPLIER) & MASK }
    }

    /// Makes so many draws.
    pub fn draw(&mut self, draws: u64) {
        for _ in 0..draws {
            black_box(self.next_fraction());
        }
    }

    /// From 0 up to 1, from 53 bits.
    fn next_fraction(&mut self) -> f64 {
        let high = self.next_bits(26) << 27;
        (high + self.next_bits(27)) as f64 / (1_u64 << 53) as f64
    }

    fn next_bits(&mut self, bits: u32) -> u64 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT) & MASK;
        self.state >> (BITS - bits)
    }
}

const BITS: u32 = 48;
const MASK: u64 = (1 << BITS) - 1;
const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const INCREMENT: u64 = 0xB;

#[cfg(test)]
mod tests {
    use super::*;

    /// What `new java.util.Random(42).nextDouble()` returns first.
    #[test]
    fn reference_value() {
        assert_eq!(BusyWork::new(42).next_fraction(), 0.727_563_680_032_868_1);
    }

    #[test]
    fn each_draw_goes_on() {
        let (mut at_once, mut one_by_one) = (BusyWork::new(7), BusyWork::new(7));
        at_once.draw(3);
        (0..3).for_each(|_| one_by_one.draw(1));
        assert_eq!(at_once.state, one_by_one.state);
        assert_ne!(at_once.state, BusyWork::new(7).state);
    }
}
