//! The one exit for effects: they leave in the order of the commits, and no more after the actor has ended.

use odeon_sync::Mutex;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Exit {
    /// Whether the actor has ended. The lock is held from before a commit that has effects until they have happened,
    /// so that their order is that of the commits.
    is_closed: Mutex<bool>,
}

/// The actor has ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Closed;

impl Exit {
    /// Calls `commit`, which commits and lets effects happen; it answers whether this was the last commit of all.
    ///
    /// # Errors
    /// If there has been a last one, or the exit was closed; `commit` is dropped.
    pub(crate) fn pass<R>(&self, commit: impl FnOnce(&mut bool) -> R) -> Result<R, Closed> {
        let mut is_closed = self.is_closed.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if *is_closed { Err(Closed) } else { Ok(commit(&mut is_closed)) }
    }

    /// Nothing passes any more. Waits for what is passing.
    pub(crate) fn close(&self) {
        let _ = self.pass(|is_closed| *is_closed = true);
    }
}
