//! Parts of an attempt that [travels](crate::staged::Journey): each can be undone with all that it
//! has read and written.

use super::{Attempt, Mode, Nested};
use crate::words::abort::Rollback;

/// The logs when a part began.
#[derive(Debug)]
pub(crate) struct PartStart {
    nested: Nested,
    reads: usize,
}

impl Attempt {
    /// A part begins.
    pub(crate) fn begin_part(&mut self) -> PartStart {
        PartStart { nested: self.nest(), reads: self.reads.len() }
    }

    /// The part cannot be undone alone any more; the last one first.
    pub(crate) fn keep_part(&mut self, _part: PartStart) {
        self.writes.keep_nested();
    }

    /// Undoes the last part, of which nothing is protected: the logs are as they were at its begin.
    pub(crate) fn undo_part(&mut self, part: PartStart) {
        debug_assert!(self.protected.reads <= part.reads);
        self.writes.undo_nested(part.nested.writes, |_| ());
        if let Some(hooks) = &mut self.hooks {
            hooks.undo(part.nested.hooks);
        }
        self.told.undo(part.nested.told);
        self.reads.truncate(part.reads);
    }

    /// [`prepare`](Self::prepare) of what is not protected yet. On an error the logs are as before
    /// too.
    pub(crate) fn prepare_more(&mut self) -> Result<(), Rollback> {
        let from = self.protected.reads;
        // Preparing changes their order, by which parts are undone.
        let reads = self.reads.as_slice()[from..].to_vec();
        self.prepare().inspect_err(|_| self.reads.replace(from, &reads))
    }

    /// Commits, whatever of it is protected. On an error everything is as before.
    pub(crate) fn commit_all(&mut self) -> Result<(), Rollback> {
        let (is_shared, writes) = (self.told.has_several_logs(), !self.writes.is_empty());
        let is_told = is_shared || writes && self.told.log().is_some();
        match (self.protected.is_nothing(), is_told) {
            (true, true) if !writes => self.commit_shared(|attempt, locked| {
                locked();
                attempt.commit()
            }),
            (true, _) => self.commit(),
            (false, true) => self.commit_shared(Self::commit_protected),
            (false, false) => self.commit_protected(&mut || ()),
        }
    }

    /// [`commit_all`](Self::commit_all) of an attempt of which something is protected. `locked` is
    /// called when all that it writes is locked, unless there is an error.
    fn commit_protected(&mut self, locked: &mut dyn FnMut()) -> Result<(), Rollback> {
        // I1: who has only read has nothing to check. Others protect the rest, as if somebody else
        // were to decide: the locks of what is protected cannot become those of a commit before it
        // is sure that this succeeds.
        if !self.writes.is_empty() && !self.is_protected() {
            self.prepare_more()?;
        }
        self.commit_prepared(locked);
        Ok(())
    }

    /// Whether nothing can come between this attempt and its commit.
    pub(crate) fn is_protected(&self) -> bool {
        self.protected.reads == self.reads.len()
            && self.protected.writes == self.writes.as_slice().len()
    }

    /// Whether all that was read is still there.
    pub(crate) fn all_stands(&mut self) -> bool {
        if self.mode == Mode::Snapshot {
            return true;
        }
        let epoch_before = self.domain.clock.now() - 1;
        let stands = self.extend(epoch_before).is_ok();
        self.stopped = None;
        stands
    }
}
