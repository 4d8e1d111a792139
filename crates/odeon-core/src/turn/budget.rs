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
    started: Option<Duration>,
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
        Self { limits, until_look: stride, spent: 0, stride, started: None }
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

    #[cold]
    #[inline(never)]
    fn look(&mut self) -> bool {
        self.spent += self.stride;
        self.stride = 0;
        if self.spent >= self.limits.messages {
            return true;
        }
        let now = self.limits.clock.now();
        let next = match self.started {
            None => {
                self.started = Some(now);
                1
            }
            Some(started) => {
                let elapsed = now.saturating_sub(started);
                if elapsed >= self.limits.time {
                    return true;
                }
                // Unless the turn's begin was known, the messages before the first look were not
                // timed.
                let known = self.limits.telemetry.is_some_and(|telemetry| telemetry.counts);
                let timed = u64::from(if known { self.spent } else { self.spent - FIRST_LOOK });
                let per_message = (elapsed.as_nanos() as u64 / timed).max(1);
                let left = (self.limits.time - elapsed).as_nanos() as u64;
                // Look again when half of what is left should be spent: handlers may get slower.
                (left / per_message / 2).clamp(1, 1 << 20) as u32
            }
        };
        self.stride = next.min(self.limits.messages - self.spent);
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
}
