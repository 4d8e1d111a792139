//! A clock that stands still until the test moves it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use odeon_core::Clock;

/// Time under the test's control; starts at zero.
#[derive(Debug, Default)]
pub struct VirtualClock {
    nanoseconds: AtomicU64,
}

impl VirtualClock {
    /// A clock at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// The latest time that it can say.
    pub(crate) const END: Duration = Duration::from_nanos(u64::MAX);

    /// Moves the time forward.
    ///
    /// # Panics
    /// If `by` is 584 years or more.
    #[track_caller]
    pub fn advance(&self, by: Duration) {
        // ORDERING: Relaxed: a single value; tests that need more order have it from their
        // messages.
        self.nanoseconds.fetch_add(whole_nanoseconds(by), Ordering::Relaxed);
    }

    /// Sets the time.
    ///
    /// # Panics
    /// If that would move it back: code under test may rely on [`Clock::now`] never doing so.
    #[track_caller]
    pub fn set(&self, to: Duration) {
        // ORDERING: Relaxed: as in `advance`.
        let before = self.nanoseconds.fetch_max(whole_nanoseconds(to), Ordering::Relaxed);
        assert!(before <= whole_nanoseconds(to), "a clock does not go back");
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Duration {
        // ORDERING: Relaxed: as in `advance`.
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }
}

#[track_caller]
fn whole_nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).expect("a test lasts less than 584 years")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_moves_only_when_told() {
        let clock = VirtualClock::new();
        assert_eq!(clock.now(), Duration::ZERO);
        clock.advance(Duration::from_millis(2));
        clock.set(Duration::from_secs(1));
        assert_eq!(clock.now(), Duration::from_secs(1));
    }

    #[test]
    #[should_panic(expected = "does not go back")]
    fn it_does_not_go_back() {
        let clock = VirtualClock::new();
        clock.set(Duration::from_secs(2));
        clock.set(Duration::from_secs(1));
    }
}
