//! What tests of workers elsewhere are made with: a broker of their own, worker processes, work.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

pub mod broker;
pub mod job;
pub mod process;
pub mod stranger;

use std::thread;
use std::time::{Duration, Instant};

/// Longer than anything here takes on a slow machine.
pub const LONG: Duration = Duration::from_secs(120);

/// Waits until something is so.
#[track_caller]
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Says that a test has not done what it is for. Not by `println`: of tests that pass the harness
/// shows nothing.
pub fn skipped(test: &str, reason: &str) {
    use std::io::Write;
    let mut errors = std::io::stderr();
    writeln!(errors, "skipped: {test}: {reason}").unwrap();
}

/// Numbers that follow from a seed.
pub struct Numbers(u64);

impl Numbers {
    pub fn from_seed(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}
