//! When a turn must end so that others get theirs.

use std::time::Duration;

use crate::clock::Clock;
use crate::observe::Observer;

/// How much one turn may do: whichever limit is reached first ends it.
#[derive(Clone, Copy)]
pub struct TurnLimits<'a> {
    /// Messages per turn, at least 1.
    pub messages: u32,
    /// Time per turn; checked between messages, so one message may exceed it.
    pub time: Duration,
    /// Where the time comes from.
    pub clock: &'a dyn Clock,
    /// Who is told about turns, if anybody.
    pub observer: Option<&'a dyn Observer>,
}

/// The spending of one turn.
///
/// Reading a clock costs about as much as handling a small message, so it is read rarely: not at
/// all in a turn of one message; after the third message the average decides how many more may
/// pass before the next look.
pub(crate) struct Budget<'a> {
    limits: &'a TurnLimits<'a>,
    spent: u32,
    next_look: u32,
    started: Option<Duration>,
}

impl<'a> Budget<'a> {
    #[inline(always)]
    pub(crate) fn new(limits: &'a TurnLimits<'a>) -> Self {
        Self { limits, spent: 0, next_look: 2, started: None }
    }

    /// Messages counted so far.
    pub(crate) fn spent(&self) -> u32 {
        self.spent
    }

    /// Counts one message; `true` if the turn must end.
    #[inline(always)]
    pub(crate) fn spend(&mut self) -> bool {
        self.spent += 1;
        self.spent >= self.limits.messages || (self.spent >= self.next_look && self.look())
    }

    #[cold]
    fn look(&mut self) -> bool {
        let now = self.limits.clock.now();
        let Some(started) = self.started else {
            self.started = Some(now);
            self.next_look = self.spent + 1;
            return false;
        };
        let elapsed = now.saturating_sub(started);
        if elapsed >= self.limits.time {
            return true;
        }
        // The first two messages were not timed: `started` was read after them.
        let timed = u64::from(self.spent - 2);
        let per_message = (elapsed.as_nanos() as u64 / timed).max(1);
        let left = (self.limits.time - elapsed).as_nanos() as u64;
        // Look again when half of what is left should be spent: handlers may get slower.
        self.next_look = self.spent + (left / per_message / 2).clamp(1, 1 << 20) as u32;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            TurnLimits { messages: 1_000, time: Duration::from_millis(1), clock, observer: None };
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
        assert_eq!(messages_until_end(&clock, 10_000), 3);
        let at_100_us = messages_until_end(&clock, 100);
        assert!((11..=13).contains(&at_100_us), "{at_100_us} messages of 100 us in 1 ms");
    }
}
