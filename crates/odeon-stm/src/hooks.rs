//! What closures want done after the end of their attempt.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

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

/// Calls each once, in order, outside of any transaction. One that panics does not keep the others from being
/// called; the first panic goes on after the last of them, unless this thread panics already.
pub(crate) fn call(hooks: Vec<Box<dyn FnOnce() + Send>>) {
    let mut panic = None;
    for act in hooks {
        if let Err(other) = catch_unwind(AssertUnwindSafe(act)) {
            panic.get_or_insert(other);
        }
    }
    if let Some(panic) = panic.filter(|_| !std::thread::panicking()) {
        resume_unwind(panic);
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.count(), f)
    }
}
