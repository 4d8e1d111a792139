//! What a handler computes beside what it does to the state.

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

/// A number of steps that depend on each other.
#[derive(Debug, Clone, Copy)]
pub struct Work(u64);

impl Work {
    /// So many as take `ns`.
    pub fn of_ns(ns: u64) -> Self {
        Self(ns * steps_per_us() / 1000)
    }

    /// Computes, from a value of the state.
    #[inline(never)]
    pub fn compute(self, from: u64) {
        let mut mixed = from;
        for _ in 0..self.0 {
            mixed = step(mixed);
        }
        black_box(mixed);
    }
}

/// Each step depends on the one before.
#[inline(always)]
fn step(mixed: u64) -> u64 {
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9).rotate_left(7)
}

/// Steps that take 1,000 ns on this machine, measured once in each process.
fn steps_per_us() -> u64 {
    static MEASURED: OnceLock<u64> = OnceLock::new();
    *MEASURED.get_or_init(|| {
        const STEPS: u64 = 1 << 18;
        let ns = (0..8).map(|_| {
            let begun = Instant::now();
            black_box((0..STEPS).fold(1, |mixed, _| step(mixed)));
            begun.elapsed().as_nanos() as u64
        });
        STEPS * 1000 / ns.min().unwrap_or(1).max(1)
    })
}
