//! The one exit for effects: they leave in the order of the commits. And the end of all commits:
//! nothing commits after one that ends the actor, nor when the actor has ended.

use odeon_sync::Mutex;
use odeon_sync::atomic::{AtomicBool, Ordering};
use odeon_sync::interruption::Whole;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Exit {
    /// Whether the actor has ended. The lock is held from before a commit that has effects until
    /// they have happened, so that their order is that of the commits. Not by the actor's own turn
    /// while nothing is outstanding: nobody else commits then.
    is_closed: Mutex<bool>,
    /// Whether it is closed, or a commit is under way that may close it: who sees that passes under
    /// the lock, also without effects.
    is_closing: AtomicBool,
}

/// The actor has ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Closed;

impl Exit {
    /// Whether a commit without effects has to pass as well.
    pub(crate) fn is_closing(&self) -> bool {
        // ORDERING: Relaxed: whoever has read what the last commit wrote sees the store before that
        // commit; for all others this one may come first.
        self.is_closing.load(Ordering::Relaxed)
    }

    /// Calls `commit`, which commits and lets effects happen; if it succeeds and `is_last`, nothing
    /// passes any more.
    ///
    /// # Errors
    /// If there has been a last one, or the exit was closed; `commit` is dropped.
    pub(crate) fn pass<R, E>(
        &self,
        is_last: bool,
        commit: impl FnOnce() -> Result<R, E>,
    ) -> Result<Result<R, E>, Closed> {
        let mut is_closed = self.is_closed.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        // Others wait for the lock, and users' code runs under it.
        let _whole = Whole::new();
        if *is_closed {
            return Err(Closed);
        }
        if is_last {
            // ORDERING: Relaxed: the commit publishes it (`is_closing`).
            self.is_closing.store(true, Ordering::Relaxed);
        }
        let outcome = commit();
        if is_last {
            *is_closed = outcome.is_ok();
            // ORDERING: Relaxed: as above; who still sees `true` takes the lock.
            self.is_closing.store(outcome.is_ok(), Ordering::Relaxed);
        }
        Ok(outcome)
    }

    /// Nothing passes any more. Waits for what is passing.
    pub(crate) fn close(&self) {
        let _ = self.pass(true, || Ok::<_, Closed>(()));
    }
}
