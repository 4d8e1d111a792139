//! When a turn must end so that others get theirs.

use std::time::Duration;

use crate::process::turn_limits::TurnLimits;

/// The spending of one turn.
///
/// Reading a clock costs about as much as handling a small message, so it is read rarely: not at
/// all in a turn of one message; after the ninth message the average decides how many more may
/// pass before the next look.
pub(crate) struct Budget<'a> {
    limits: &'a TurnLimits<'a>,
    /// Messages until the next look, at which the turn may also end.
    until_look: u32,
    /// Messages counted at the last look.
    spent: u32,
    /// What `until_look` was set to at the last look.
    stride: u32,
    /// Messages that the turn may handle.
    most: u32,
    started: Option<Duration>,
    /// Messages that were handled before the time began.
    untimed: u32,
}

/// The first look starts the clock.
///
/// TUNE: below this many messages no time is read; handlers so long that it matters overrun the
/// limit by this many messages.
const FIRST_LOOK: u32 = 8;

impl<'a> Budget<'a> {
    #[inline(always)]
    pub(crate) fn new(limits: &'a TurnLimits<'a>) -> Self {
        let stride = limits.messages.min(FIRST_LOOK);
        let most = limits.messages;
        Self { limits, until_look: stride, spent: 0, stride, most, started: None, untimed: 0 }
    }

    /// Begins the time of the turn at `now` instead of at the first look, if it is known.
    pub(crate) fn start_at(&mut self, now: Option<Duration>) {
        self.started = now;
    }

    /// Messages counted so far.
    pub(crate) fn spent(&self) -> u32 {
        self.spent + self.stride - self.until_look
    }

    /// Whether the turn is for one message.
    pub(crate) fn is_for_one(&self) -> bool {
        self.limits.messages == 1
    }

    /// Counts one message; `true` if the turn must end.
    #[inline(always)]
    pub(crate) fn spend(&mut self) -> bool {
        self.until_look -= 1;
        self.until_look == 0 && self.look()
    }

    /// The turn must end, and so many senders wait for its actor. If only the number of its
    /// messages ends it, and more senders wait than that, it may handle as many messages again: a
    /// turn of each sender brings one message at least. `false`: it ends, as its time is over, few
    /// wait, or it is for one message.
    pub(crate) fn extend(&mut self, senders_waiting: usize) -> bool {
        let is_by_number = self.spent >= self.most && !self.is_for_one();
        if !is_by_number || senders_waiting <= self.limits.messages as usize {
            return false;
        }
        self.most = self.spent.saturating_add(self.limits.messages);
        !self.look()
    }

    #[cold]
    #[inline(never)]
    fn look(&mut self) -> bool {
        self.spent += self.stride;
        self.stride = 0;
        if self.spent >= self.most {
            return true;
        }
        let now = self.limits.clock.now();
        let next = match self.started {
            None => {
                self.started = Some(now);
                self.untimed = self.spent;
                1
            }
            Some(started) => {
                let elapsed = now.saturating_sub(started);
                if elapsed >= self.limits.time {
                    return true;
                }
                let timed = u64::from(self.spent - self.untimed).max(1);
                let per_message = (elapsed.as_nanos() as u64 / timed).max(1);
                let left = (self.limits.time - elapsed).as_nanos() as u64;
                // Look again when half of what is left should be spent: handlers may get slower.
                (left / per_message / 2).clamp(1, 1 << 20) as u32
            }
        };
        self.stride = next.min(self.most - self.spent);
        self.until_look = self.stride;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::clock::Clock;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Each look costs nothing; the test moves the time.
    struct Hand(AtomicU64);

    impl Clock for Hand {
        fn now(&self) -> Duration {
            Duration::from_micros(self.0.load(Ordering::Relaxed))
        }
    }

    fn messages_until_end(clock: &Hand, per_message_us: u64) -> u32 {
        let limits =
            TurnLimits { messages: 1_000, time: Duration::from_millis(1), clock, telemetry: None };
        let mut budget = Budget::new(&limits);
        for n in 1.. {
            clock.0.fetch_add(per_message_us, Ordering::Relaxed);
            if budget.spend() {
                return n;
            }
        }
        unreachable!()
    }

    #[test]
    fn fast_messages_end_by_count_and_slow_ones_by_time() {
        let clock = Hand(AtomicU64::new(0));
        assert_eq!(messages_until_end(&clock, 0), 1_000);
        assert_eq!(messages_until_end(&clock, 10_000), 9);
        let at_100_us = messages_until_end(&clock, 100);
        assert!((17..=19).contains(&at_100_us), "{at_100_us} messages of 100 us in 1 ms");
    }

    #[test]
    fn a_turn_that_goes_on_ends_by_its_time() {
        let clock = Hand(AtomicU64::new(0));
        let limits = |messages| TurnLimits {
            messages,
            time: Duration::from_millis(1),
            clock: &clock,
            telemetry: None,
        };
        let limits_of_ten = limits(10);
        let mut budget = Budget::new(&limits_of_ten);
        assert!((1..).find(|_| budget.spend()).is_some() && !budget.extend(10), "few wait");
        let mut budget = Budget::new(&limits_of_ten);
        for turn in 1..=3 {
            assert_eq!((1..).find(|_| budget.spend()), Some(10));
            assert_eq!(budget.spent(), 10 * turn);
            assert!(budget.extend(11));
        }
        clock.0.fetch_add(1_000, Ordering::Relaxed);
        assert!((1..).find(|_| budget.spend()).is_some_and(|n| n <= 10));
        assert!(!budget.extend(11), "its time is over");
        // Shorter than the time is looked at.
        let limits_of_two = limits(2);
        let mut budget = Budget::new(&limits_of_two);
        for _ in 0..3 {
            assert_eq!((1..).find(|_| budget.spend()), Some(2));
            assert!(budget.extend(3));
        }
        let limits_of_one = limits(1);
        let mut for_one = Budget::new(&limits_of_one);
        assert!(for_one.spend() && !for_one.extend(11));
    }
}
