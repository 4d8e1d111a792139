//! The pending timers of one theater and the sleep of the thread that fires them.
//!
//! PROTOCOL
//! 1. Whether a timer fires or is cancelled is decided under the lock: whoever takes its value out
//!    of the wheel has it. Values are neither run nor dropped under the lock.
//! 2. `look_at` is the tick at which the thread will look at the latest: before it sleeps it sets
//!    this under the lock and then sleeps no longer. Who arms an earlier timer lowers it, under the
//!    lock, and leaves a token.
//! 3. A `look_at` that lies ahead stays, even if the timer it was lowered for is cancelled: so
//!    timers that are armed and cancelled over and over wake the thread once, not each time.
//! 4. Once `ended` is set under the lock nothing is pending any more, and nothing is armed.

use odeon_sync::{Mutex, MutexGuard, Parker};

use super::wheel::Wheel;
use crate::scheduler::timers::TimerKey;

/// TUNE: timers that fire or cascade under one lock: a dozen microseconds for which those who arm
/// or cancel have to wait.
const STEPS: u32 = 64;

/// Timers that have neither fired nor been cancelled.
pub(super) struct Pending<T> {
    state: Mutex<PendingState<T>>,
    parker: Parker,
}

struct PendingState<T> {
    wheel: Wheel<T>,
    /// Rule 2.
    look_at: u64,
    ended: bool,
}

/// What the thread does after a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimerAction {
    /// There is more to be done now.
    Look,
    /// Nothing is due before this tick; `None`: nothing is pending.
    Sleep(Option<u64>),
    /// The theater has stopped.
    Return,
}

impl<T> Pending<T> {
    pub(super) fn new() -> Self {
        let state = PendingState { wheel: Wheel::new(), look_at: u64::MAX, ended: false };
        Self { state: Mutex::new(state), parker: Parker::new() }
    }

    /// Adds a timer; gives the value back if the theater has stopped.
    pub(super) fn arm(&self, tick: u64, value: T) -> Result<TimerKey, T> {
        let mut state = self.lock();
        if state.ended {
            return Err(value);
        }
        let key = state.wheel.insert(tick, value);
        let wakes = tick < state.look_at;
        if wakes {
            state.look_at = tick;
        }
        drop(state);
        if wakes {
            self.parker.unpark();
        }
        Ok(key)
    }

    /// Takes a timer out; `None` if it has been taken before.
    pub(super) fn disarm(&self, key: TimerKey) -> Option<T> {
        self.lock().wheel.remove(key)
    }

    /// The thread: takes some of what is due.
    pub(super) fn look(&self, now: u64, due: &mut Vec<T>) -> TimerAction {
        let mut state = self.lock();
        if state.ended {
            return TimerAction::Return;
        }
        let mut steps = STEPS;
        while let Some(value) = state.wheel.take_due(now, &mut steps) {
            due.push(value);
        }
        if steps == 0 || !due.is_empty() {
            return TimerAction::Look;
        }
        let next = state.wheel.next_look().unwrap_or(u64::MAX);
        // Rule 3.
        let asked = if state.look_at > now { state.look_at } else { u64::MAX };
        state.look_at = next.min(asked);
        TimerAction::Sleep((state.look_at != u64::MAX).then_some(state.look_at))
    }

    /// The thread: where it sleeps after a look.
    pub(super) fn parker(&self) -> &Parker {
        &self.parker
    }

    /// Takes the next timer that is due.
    pub(super) fn take_due(&self, now: u64) -> Option<T> {
        self.lock().wheel.take_due(now, &mut u32::MAX.clone())
    }

    /// Whether a timer is due.
    pub(super) fn has_due(&self, now: u64) -> bool {
        self.lock().wheel.has_due(now)
    }

    /// The tick of the earliest timer.
    pub(super) fn earliest(&self, now: u64) -> Option<u64> {
        self.lock().wheel.earliest(now)
    }

    /// How many timers are pending.
    pub(super) fn len(&self) -> usize {
        self.lock().wheel.len()
    }

    /// Ends it (rule 4) and gives back what was pending, for the caller to drop.
    pub(super) fn end(&self) -> impl Iterator<Item = T> + use<T> {
        let mut state = self.lock();
        state.ended = true;
        let wheel = std::mem::replace(&mut state.wheel, Wheel::new());
        drop(state);
        self.parker.unpark();
        wheel.into_values()
    }

    fn lock(&self) -> MutexGuard<'_, PendingState<T>> {
        self.state.lock().expect("nothing panics under the timers' lock")
    }
}

#[cfg(all(test, not(any(odeon_loom, odeon_shuttle))))]
mod tests;

#[cfg(all(test, odeon_loom))]
mod loom;
