//! The counters of one actor and of one thread of a stage.
//!
//! Each has one writer at a time, so that counting needs no read-modify-write: an actor's tally
//! belongs to whoever owns the actor (`woken_at` to whoever holds its task), a thread's to the
//! thread. Whoever reads sees each number as it was a moment ago, and no two numbers of exactly the
//! same moment.

use std::time::Duration;

use odeon_sync::atomic::{AtomicU64, Ordering};

use super::busy_clock::BusyClock;

/// A counter with one writer.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// The writer: adds `n`.
    #[inline]
    pub(crate) fn add(&self, n: u64) {
        self.set(self.get().wrapping_add(n));
    }

    /// The writer: sets it.
    #[inline]
    pub(crate) fn set(&self, n: u64) {
        // ORDERING: Relaxed, here and below: a number for people; nothing is decided by it. From
        // one writer to the next it is handed on with the actor.
        self.0.store(n, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn set_time(&self, time: Duration) {
        // 584 years of nanoseconds.
        self.set(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    pub(crate) fn time(&self) -> Duration {
        Duration::from_nanos(self.get())
    }
}

/// What is counted of one actor.
#[derive(Debug, Default)]
pub(crate) struct ActorTally {
    pub(crate) turns: Counter,
    pub(crate) messages: Counter,
    pub(crate) restarts: Counter,
    pub(crate) longest_wait: Counter,
    /// When it was woken, or put back.
    pub(crate) woken_at: Counter,
    /// How long its turns have taken, up to `counted_at` in the turn that it has.
    pub(crate) busy: Counter,
    pub(crate) counted_at: Counter,
    /// Where its owner was in the inbox when it last looked (`mailbox/inbox/length.rs`), ...
    pub(crate) position: Counter,
    /// ... and how many messages it had deferred.
    pub(crate) deferred: Counter,
    /// Of the turn that it has.
    pub(crate) turn: TurnTally,
}

/// What a turn must know besides what its budget says: how far the two are apart.
#[derive(Debug, Default)]
pub(crate) struct TurnTally {
    /// What the budget counted, and was no message: signals, and attempts to go idle.
    pub(crate) not_messages: Counter,
    /// Messages of this turn that have been counted already.
    pub(crate) counted: Counter,
    /// Whether a signal is being handled.
    pub(crate) in_signal: Counter,
}

impl ActorTally {
    /// Owner: a turn begins at `now`.
    pub(crate) fn turn_begins(&self, now: Option<Duration>) {
        self.turns.add(1);
        self.turn.not_messages.set(0);
        self.turn.counted.set(0);
        self.turn.in_signal.set(0);
        if let Some(now) = now {
            let now = now.as_nanos() as u64;
            let waited = now.saturating_sub(self.woken_at.get());
            if waited > self.longest_wait.get() {
                self.longest_wait.set(waited);
            }
            self.counted_at.set(now);
        }
    }

    /// Owner: its turn has come as far as `now`.
    pub(crate) fn busy_until(&self, now: Duration) {
        let now = now.as_nanos() as u64;
        self.busy.add(now.saturating_sub(self.counted_at.get()));
        self.counted_at.set(now);
    }

    /// Owner: so many messages have been handled in this turn; returns how many of them are new.
    pub(crate) fn handled_in_turn(&self, messages: u64) -> u64 {
        let new = messages.saturating_sub(self.turn.counted.get());
        self.turn.counted.set(messages);
        self.messages.add(new);
        new
    }
}

/// What is counted of one thread of a stage.
#[derive(Debug, Default)]
pub(crate) struct StageTally {
    pub(crate) turns: Counter,
    pub(crate) messages: Counter,
    pub(crate) steals: Counter,
    pub(crate) parks: Counter,
    pub(crate) busy: BusyClock,
}
