//! What closures want done after the end of their attempt.

use std::fmt;

/// See the module; each list in the order in which it was made.
#[derive(Default)]
pub(crate) struct Hooks {
    pub(crate) on_commit: Vec<Box<dyn FnOnce() + Send>>,
    pub(crate) on_rollback: Vec<Box<dyn FnOnce() + Send>>,
}

/// How many hooks of each kind there are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Count {
    on_commit: usize,
    on_rollback: usize,
}

impl Hooks {
    pub(crate) fn count(&self) -> Count {
        Count { on_commit: self.on_commit.len(), on_rollback: self.on_rollback.len() }
    }

    /// Forgets what came after `count`.
    pub(crate) fn truncate(&mut self, count: Count) {
        self.on_commit.truncate(count.on_commit);
        self.on_rollback.truncate(count.on_rollback);
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.count(), f)
    }
}
