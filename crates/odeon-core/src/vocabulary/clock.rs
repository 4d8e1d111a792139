//! The only source of time.

use std::time::{Duration, Instant};

/// Tells the time since some fixed moment, for turns and timers. Replaced by a virtual clock in
/// deterministic tests.
pub trait Clock: Send + Sync + 'static {
    /// Time since this clock's origin; never goes back.
    fn now(&self) -> Duration;
}

/// The operating system's monotonic clock.
#[derive(Debug)]
pub struct SystemClock {
    origin: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { origin: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.origin.elapsed()
    }
}
