//! How often an actor may be restarted, and how long it pauses before.

use std::collections::VecDeque;
use std::time::Duration;

/// When an actor was restarted lately.
#[derive(Debug, Default)]
pub(crate) struct Restarts {
    times: VecDeque<Duration>,
}

impl Restarts {
    /// How many restarts there were in the time of length `within` before `now`; forgets older
    /// ones.
    pub(crate) fn within(&mut self, now: Duration, within: Duration) -> u32 {
        while self.times.front().is_some_and(|time| now.saturating_sub(*time) > within) {
            self.times.pop_front();
        }
        self.times.len() as u32
    }

    pub(crate) fn count(&mut self, now: Duration) {
        self.times.push_back(now);
    }
}

/// The pause before a restart that has `before` others before it: none, `shortest`, twice that, and
/// so on up to `longest`.
pub(crate) fn pause(before: u32, shortest: Duration, longest: Duration) -> Duration {
    match before.checked_sub(1) {
        None => Duration::ZERO,
        Some(doublings) => {
            shortest.saturating_mul(1u32.checked_shl(doublings).unwrap_or(u32::MAX)).min(longest)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restarts_are_forgotten_after_their_time() {
        let mut restarts = Restarts::default();
        let second = Duration::from_secs(1);
        for n in 0..4 {
            restarts.count(n * second);
        }
        assert_eq!(restarts.within(3 * second, 10 * second), 4);
        assert_eq!(restarts.within(4 * second, 2 * second), 2);
        assert_eq!(restarts.within(100 * second, 2 * second), 0);
    }

    #[test]
    fn pauses_double_up_to_the_longest() {
        let ms = Duration::from_millis;
        let pauses: Vec<_> = (0..6).map(|before| pause(before, ms(10), ms(50))).collect();
        assert_eq!(pauses, [ms(0), ms(10), ms(20), ms(40), ms(50), ms(50)]);
        assert_eq!(pause(1000, ms(10), ms(50)), ms(50));
        assert_eq!(pause(5, Duration::ZERO, Duration::ZERO), Duration::ZERO);
    }
}
