//! Devices for tests, and what could not be tested here.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::io::Write;

use odeon_gpu::{Found, GpuDevice, devices};

/// Says that a test has not done what it is for. Not by `println`: of tests that pass the harness shows nothing.
pub(crate) fn skipped(test: &str, reason: &str) {
    let mut errors = std::io::stderr();
    writeln!(errors, "skipped: {test}: {reason}").unwrap();
}

/// Does something with a session with each device that this machine has, and says so where it has none.
pub(crate) fn on_each_device(test: &str, mut check: impl FnMut(GpuDevice, &Found)) {
    let found = devices();
    if found.is_empty() {
        skipped(test, "no GPU, and no driver that stands in for one");
    }
    for device in found {
        let gpu = GpuDevice::open(device.which).unwrap_or_else(|why| panic!("{device}: {why}"));
        check(gpu, &device);
    }
}

/// Pseudo-random numbers that are the same in each run (SplitMix64).
pub(crate) struct Numbers(pub u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// From 0 to 1.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }
}
