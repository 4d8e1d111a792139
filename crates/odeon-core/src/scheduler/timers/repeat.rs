//! Whether a periodic timer goes on: between who fires it and who cancels it.
//!
//! PROTOCOL
//! 1. The timer's work is with whoever fires it (`Firing`) or put away between two times
//!    (`Waiting`).
//! 2. Cancelled while waiting, nobody gets the work any more: a timer that is due already finds
//!    `Ended`. Cancelled while firing, the present time is the last.
//! 3. The next time is armed under the lock, so a `Waiting` always has the key of its timer.
//!
//! Covered by `pending/loom.rs`, together with the pending timers.

use odeon_sync::{Mutex, MutexGuard};

use crate::scheduler::timers::TimerKey;

/// One periodic timer whose work is a `W`.
pub(crate) struct Repeat<W> {
    state: Mutex<RepeatState<W>>,
}

enum RepeatState<W> {
    Waiting { work: W, key: TimerKey },
    Firing,
    Ended,
}

impl<W> Repeat<W> {
    /// One that has not been armed: its maker fires it.
    pub(crate) fn new() -> Self {
        Self { state: Mutex::new(RepeatState::Firing) }
    }

    /// It is due: the work to be done, unless the timer has been cancelled.
    pub(crate) fn begin(&self) -> Option<W> {
        let mut state = self.lock();
        match std::mem::replace(&mut *state, RepeatState::Firing) {
            RepeatState::Waiting { work, .. } => Some(work),
            RepeatState::Firing => unreachable!("the next time is armed after the last"),
            RepeatState::Ended => {
                *state = RepeatState::Ended;
                None
            }
        }
    }

    /// The work is done: arms the next time. Gives the work back if the timer was cancelled
    /// meanwhile.
    #[must_use]
    pub(crate) fn go_on(&self, work: W, arm: impl FnOnce() -> TimerKey) -> Option<W> {
        let mut state = self.lock();
        if matches!(*state, RepeatState::Ended) {
            return Some(work);
        }
        let key = arm();
        *state = RepeatState::Waiting { work, key };
        None
    }

    /// Ends it: what was waiting, for the caller to disarm and to drop.
    pub(crate) fn end(&self) -> Option<(W, TimerKey)> {
        match std::mem::replace(&mut *self.lock(), RepeatState::Ended) {
            RepeatState::Waiting { work, key } => Some((work, key)),
            RepeatState::Firing | RepeatState::Ended => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, RepeatState<W>> {
        self.state.lock().expect("nothing panics under a timer's lock")
    }
}
