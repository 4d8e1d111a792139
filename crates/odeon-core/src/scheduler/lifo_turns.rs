//! For how many turns in a row the actor in a worker's LIFO slot goes before those in its queue.
//!
//! Actors that wake each other stay in the slot, and what they do there holds up the queue. So all
//! of them together have the time of one turn, or [`MOST`] turns if these are shorter. How long
//! turns take is told from those before: [`TIMED_TOGETHER`] of them where they were short, the last
//! ones in a row where they were long.

use std::time::Duration;

/// TUNE: turns in a row, at most. 16 keeps chains of messages warm; the wait it adds for the own
/// queue is 16 turns.
const MOST: u32 = 16;

/// TUNE: turns that are timed together while they are short: to read the clock then costs less than
/// half a nanosecond for each.
const TIMED_TOGETHER: u32 = 4 * MOST;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub(super) struct LifoTurns {
    in_a_row: u32,
    /// When the clock was read, and the turns since then.
    timed_at: Duration,
    since: u32,
}

impl LifoTurns {
    pub(super) fn new() -> Self {
        Self { in_a_row: MOST, timed_at: Duration::ZERO, since: 0 }
    }

    /// The worker had no work until `now`.
    pub(super) fn begin_at(self, now: Duration) -> Self {
        Self { timed_at: now, since: 0, ..self }
    }

    /// How many turns there may be before the worker looks at its queue first.
    pub(super) fn in_a_row(self) -> u32 {
        self.in_a_row
    }

    /// So many turns are over. `together`: how long as many as come next should take.
    pub(super) fn after_turns(self, together: Duration, now: impl FnOnce() -> Duration) -> Self {
        let since = self.since + self.in_a_row;
        if self.in_a_row == MOST && since < TIMED_TOGETHER {
            return Self { since, ..self };
        }
        let now = now();
        let turn = now.saturating_sub(self.timed_at) / since;
        let fitting = together.as_nanos() / turn.as_nanos().max(1);
        // Not at once as many as before: the short turns were perhaps those of others.
        let most = MOST.min(2 * self.in_a_row);
        let in_a_row = fitting.clamp(1, u128::from(most)) as u32;
        Self { in_a_row, timed_at: now, since: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOGETHER: Duration = Duration::from_micros(100);

    /// After so many rounds of turns that take `turn` each, from `lifo` on.
    fn after_rounds(mut lifo: LifoTurns, rounds: u32, turn: Duration) -> LifoTurns {
        let mut now = lifo.timed_at + turn * lifo.since;
        for _ in 0..rounds {
            now += turn * lifo.in_a_row();
            lifo = lifo.after_turns(TOGETHER, || now);
        }
        lifo
    }

    #[test]
    fn chains_of_long_turns_take_as_long_as_one_turn_may() {
        for (us, in_a_row) in [(0, 16), (6, 16), (7, 14), (30, 3), (60, 1), (100, 1), (5_000, 1)] {
            let lifo = after_rounds(LifoTurns::new(), 8, Duration::from_micros(us));
            assert_eq!(lifo.in_a_row(), in_a_row, "turns of {us} us");
        }
    }

    #[test]
    fn long_turns_are_noticed_at_once_and_short_ones_step_by_step() {
        let long = after_rounds(LifoTurns::new(), 4, TOGETHER);
        assert_eq!(long.in_a_row(), 1);
        let rounds = [1, 2, 3, 4, 5].map(|rounds| after_rounds(long, rounds, Duration::ZERO));
        assert_eq!(rounds.map(LifoTurns::in_a_row), [2, 4, 8, 16, 16]);
        assert_eq!(after_rounds(rounds[2], 1, TOGETHER).in_a_row(), 1);
    }

    #[test]
    fn the_clock_is_read_rarely_while_turns_are_short() {
        let (mut lifo, mut read) = (LifoTurns::new(), 0);
        for _ in 0..40 {
            lifo = lifo.after_turns(TOGETHER, || {
                read += 1;
                Duration::ZERO
            });
        }
        assert_eq!(read, 10);
    }

    #[test]
    fn time_without_work_is_no_time_of_turns() {
        let woken = LifoTurns::new().begin_at(Duration::from_secs(1));
        assert_eq!(after_rounds(woken, 8, Duration::from_micros(6)).in_a_row(), 16);
    }
}
