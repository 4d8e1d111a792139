//! What an attempt is whose handler has ended well: of its own, or one of several on a snapshot.

use odeon_stm::staged::{AfterCommit, FinishedHere, FinishedOnSnapshot, RolledBack};

/// See the module; the methods are those of its implementors.
pub(super) trait Finished {
    fn has_written(&self) -> bool;
    fn has_hooks(&self) -> bool;

    /// # Errors
    /// If there is a conflict.
    fn commit_before_hooks(self) -> Result<AfterCommit, RolledBack>;
}

impl Finished for FinishedHere<'_> {
    fn has_written(&self) -> bool {
        FinishedHere::has_written(self)
    }

    fn has_hooks(&self) -> bool {
        FinishedHere::has_hooks(self)
    }

    fn commit_before_hooks(self) -> Result<AfterCommit, RolledBack> {
        FinishedHere::commit_before_hooks(self)
    }
}

impl Finished for FinishedOnSnapshot {
    fn has_written(&self) -> bool {
        false
    }

    fn has_hooks(&self) -> bool {
        FinishedOnSnapshot::has_hooks(self)
    }

    fn commit_before_hooks(self) -> Result<AfterCommit, RolledBack> {
        Ok(FinishedOnSnapshot::commit_before_hooks(self))
    }
}
