//! When a turn ends so that others get theirs: the rules of `turn/budget.rs` in `odeon-core`.

use super::rules::{FIRST_LOOK, TURN_MESSAGES, TURN_TIME};
use super::world::Picoseconds;

/// Of one turn. What is counted is messages, and each time that an inbox is found empty in vain.
#[derive(Debug)]
pub(super) struct TurnBudget {
    /// Until the next look at the time, at which the turn may also end.
    until_look: usize,
    /// At the last look.
    spent: usize,
    /// What `until_look` was at the last look.
    stride: usize,
    /// What the turn may count.
    most: usize,
    started: Option<Picoseconds>,
}

impl Default for TurnBudget {
    fn default() -> Self {
        let (until_look, stride, most) = (FIRST_LOOK, FIRST_LOOK, TURN_MESSAGES);
        Self { until_look, spent: 0, stride, most, started: None }
    }
}

impl TurnBudget {
    /// Messages that are counted without a look.
    pub(super) fn until_look(&self) -> usize {
        self.until_look
    }

    /// Counts no more than there are until the next look; `true` if the turn is over.
    pub(super) fn spend(&mut self, messages: usize, now: Picoseconds) -> bool {
        self.until_look -= messages;
        self.until_look == 0 && self.look(now)
    }

    /// The turn is over. If only the number of its messages ends it, it may handle as many again.
    pub(super) fn extend(&mut self, now: Picoseconds) -> bool {
        if self.spent < self.most {
            return false;
        }
        self.most = self.spent + TURN_MESSAGES;
        !self.look(now)
    }

    fn look(&mut self, now: Picoseconds) -> bool {
        self.spent += std::mem::take(&mut self.stride);
        if self.spent >= self.most {
            return true;
        }
        let next = match self.started {
            None => {
                self.started = Some(now);
                1
            }
            Some(started) => {
                let elapsed = now - started;
                if elapsed >= TURN_TIME {
                    return true;
                }
                let each = (elapsed / (self.spent - FIRST_LOOK) as u64).max(1);
                ((TURN_TIME - elapsed) / each / 2).max(1) as usize
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

    fn messages_until_end(each: Picoseconds) -> usize {
        let mut budget = TurnBudget::default();
        let ends = |messages: &usize| budget.spend(1, *messages as u64 * each);
        (1..).find(ends).expect("each turn ends")
    }

    #[test]
    fn short_messages_end_a_turn_by_their_number_and_long_ones_by_their_time() {
        assert_eq!(messages_until_end(0), 64);
        assert_eq!(messages_until_end(200_000_000), 9, "the first eight are not timed");
        let of_10_us = messages_until_end(10_000_000);
        assert!((17..=19).contains(&of_10_us), "{of_10_us} messages of 10 us in 100 us");
    }

    #[test]
    fn a_turn_that_is_extended_ends_by_its_time() {
        let mut budget = TurnBudget::default();
        for turn in 1..=3 {
            assert_eq!((1..).find(|_| budget.spend(1, turn)), Some(TURN_MESSAGES));
            assert!(budget.extend(turn));
        }
        let over = TURN_TIME + 1;
        assert!((1..).find(|_| budget.spend(1, over)).is_some_and(|n| n <= TURN_MESSAGES));
        assert!(!budget.extend(over), "its time is over");
    }
}
