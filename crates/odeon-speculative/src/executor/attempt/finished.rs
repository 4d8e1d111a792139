//! What an attempt is whose handler has ended well: of its own, or one of several on a snapshot.

use odeon_stm::staged::{AfterCommit, FinishedHere, FinishedOnSnapshot, RolledBack};

/// See the module; the methods are those of its implementors.
pub(crate) trait Finished {
    fn has_written(&self) -> bool;
    fn has_hooks(&self) -> bool;

    /// # Errors
    /// If there is a conflict.
    fn commit_before_hooks(self) -> Result<AfterCommit, RolledBack>;

    /// # Errors
    /// As [`commit_before_hooks`](Self::commit_before_hooks).
    #[inline(always)]
    fn commit(self) -> Result<(), RolledBack>
    where
        Self: Sized,
    {
        self.commit_before_hooks().map(AfterCommit::call)
    }
}

impl Finished for FinishedHere<'_> {
    #[inline(always)]
    fn has_written(&self) -> bool {
        FinishedHere::has_written(self)
    }

    #[inline(always)]
    fn has_hooks(&self) -> bool {
        FinishedHere::has_hooks(self)
    }

    #[inline(always)]
    fn commit_before_hooks(self) -> Result<AfterCommit, RolledBack> {
        FinishedHere::commit_before_hooks(self)
    }
}

impl Finished for FinishedOnSnapshot {
    #[inline(always)]
    fn has_written(&self) -> bool {
        false
    }

    #[inline(always)]
    fn has_hooks(&self) -> bool {
        FinishedOnSnapshot::has_hooks(self)
    }

    #[inline(always)]
    fn commit_before_hooks(self) -> Result<AfterCommit, RolledBack> {
        Ok(FinishedOnSnapshot::commit_before_hooks(self))
    }
}
