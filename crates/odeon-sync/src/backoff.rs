//! Waiting for another thread that is known to be about to finish a few instructions.

use crate::{spin_loop, thread};

/// Spins a little longer at each step, then gives the processor away.
///
/// For waits whose end is some instructions of another running thread away; never a replacement
/// for parking.
#[derive(Debug, Default)]
pub struct Backoff {
    step: u32,
}

/// TUNE: steps (2^n spins each) before the thread yields. 2^6 spins are under a microsecond on the
/// machines tried; a waiting period longer than that means the other thread lost its processor.
const SPIN_STEPS: u32 = 6;

impl Backoff {
    /// A fresh wait.
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// One step of the wait.
    #[inline]
    pub fn wait(&mut self) {
        if self.step < SPIN_STEPS && !cfg!(any(odeon_loom, odeon_shuttle)) {
            for _ in 0..1u32 << self.step {
                spin_loop();
            }
            self.step += 1;
        } else {
            thread::yield_now();
        }
    }
}
