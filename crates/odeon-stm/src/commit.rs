//! The commit of an attempt: lock, stamp, validate, publish.

use crate::abort::{Cause, Rollback};
use crate::attempt::{Attempt, Mode, PATIENCE};
use crate::cell::Cell;
use crate::flaw::Flaw;
use crate::garbage::Retired;
use crate::snapshot;
use crate::version_word::{Held, VersionWord};
use crate::write_set::{Kind, Write};
use odeon_sync::{Backoff, fence_after_load, fence_after_rmw};

/// Which variables' waiters a commit has to wake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Announced {
    /// Those of variables that have changed.
    Changes,
    /// Those of all: they may wait for the decision.
    Decision,
}

impl Attempt {
    /// Makes the attempt's writes visible, all at once, or says that it has to be rolled back. The
    /// caller then ends the attempt.
    #[inline]
    pub(crate) fn commit(&mut self) -> Result<(), Rollback> {
        if self.stopped.is_some() {
            return Err(Rollback::NEW);
        }
        if !self.writes.is_empty() {
            self.commit_writes()?;
        }
        // An attempt that only reads has seen the state at the begin of its epoch (I1): there is
        // nothing to check.
        self.slot.counters.committed(self.reads.len(), self.writes.as_slice().len());
        self.writes.forget();
        Ok(())
    }

    fn commit_writes(&mut self) -> Result<(), Rollback> {
        // Of a direct attempt too by compare-and-swap, although the caller owns its variables: if it does not, that
        // costs the attempt and not the memory.
        self.lock_writes()?;
        // I6: the locks stand before anything below is looked at.
        fence_after_rmw();
        let slot = self.slot.number();
        if self.domain.gate.is_closed_to(slot) && self.mode == Mode::Logged {
            let rollback = self.stop(Cause::Irrevocable, None);
            self.unlock(self.writes.as_slice().len());
            return Err(rollback);
        }
        let epoch = self.domain.clock.now();
        // ORDERING: with the fence above of a commit that gets an earlier epoch and writes what this one has
        // read: its lock is seen below. Else that commit came after this one and a snapshot between
        // the two epochs saw it alone.
        fence_after_load();
        let valid = if self.domain.has(Flaw::NoValidation) { Ok(()) } else { self.validate() };
        if let Err(rollback) = valid {
            self.unlock(self.writes.as_slice().len());
            return Err(rollback);
        }
        // The linearisation point: all locks are held, all reads stand.
        self.publish(epoch, Announced::Changes);
        Ok(())
    }

    /// Locks every variable of the write set, or none.
    #[inline]
    fn lock_writes(&mut self) -> Result<(), Rollback> {
        let slot = self.slot.number();
        let limit = self.limit();
        for (place, write) in self.writes.as_mut_slice().iter_mut().enumerate() {
            let mut locked = write.lock(limit, |word| word.committing(slot));
            while locked == Err(Cause::WriteLocked) && self.domain.gate.is_closed_by(slot) {
                // Who holds it ends soon and does not come back: this attempt is irrevocable.
                locked = write.lock(limit, |word| word.committing(slot));
            }
            match locked {
                Ok(before) => write.before = before,
                Err(cause) => return Err(self.give_up(place, cause)),
            }
        }
        Ok(())
    }

    /// The variable at `place` of the write set cannot be locked; those before it are.
    #[cold]
    fn give_up(&mut self, place: usize, cause: Cause) -> Rollback {
        let cell = std::ptr::from_ref(self.writes.as_slice()[place].cell());
        self.unlock(place);
        self.stop_at(cause, Some(cell))
    }

    /// Gives the first `count` variables back as they were.
    fn unlock(&mut self, count: usize) {
        for write in &self.writes.as_slice()[..count] {
            write.cell().set_word(write.before);
        }
    }

    /// Writes everything, stamped with `epoch`, and lets go. All variables are locked (0 1).
    pub(crate) fn publish(&mut self, epoch: u64, announced: Announced) {
        let slot = self.slot.number();
        let snapshots = snapshot::running(self.domain);
        let mut waiters = false;
        for write in self.writes.as_mut_slice() {
            let cell = write.cell();
            let old = cell.bits();
            let from = write.before.epoch();
            if snapshots && !self.domain.has(Flaw::NothingKept) {
                snapshot::keep(self.domain, cell, from, epoch, old);
            }
            let bits = match write.kind {
                Kind::Change(apply) => apply(old, write.bits),
                Kind::Plain | Kind::Owning(_) => write.bits,
            };
            if bits == old && matches!(write.kind, Kind::Change(_)) {
                // Nobody can tell, so nobody has to be in conflict with it. Who waits for a change goes on
                // waiting, who waits for a decision does not.
                match announced {
                    Announced::Changes => {
                        cell.set_word(write.before);
                        write.before = write.before.without_waiters();
                    }
                    Announced::Decision => {
                        cell.set_word(write.before.without_waiters());
                        waiters |= write.before.has_waiters();
                    }
                }
                continue;
            }
            cell.publish(bits, VersionWord::written(epoch, slot).labelled_as(write.before));
            if let Kind::Owning(free) = write.kind {
                // SAFETY: the old value was made by the same variable, so the same function frees it;
                // nothing but attempts and snapshots as in `garbage.rs` can reach it any more.
                self.bag.add(unsafe { Retired::new(from, epoch, old, free) });
            }
            waiters |= write.before.has_waiters();
        }
        if waiters && !self.domain.has(Flaw::NoWakeUp) {
            self.wake_waiters();
        }
    }

    #[cold]
    fn wake_waiters(&self) {
        for write in self.writes.as_slice() {
            if write.before.has_waiters() {
                self.domain.waits.wake(write.cell().address());
            }
        }
    }
}

impl Write {
    /// Takes the word of this variable, which must not have been written since it was read, if it was; answers
    /// the word before.
    #[inline(always)]
    pub(crate) fn lock(
        &self,
        limit: u64,
        taken: impl Fn(VersionWord) -> VersionWord,
    ) -> Result<VersionWord, Cause> {
        let cell = self.cell();
        if !self.is_update {
            return lock(cell, taken);
        }
        let free = self.before;
        if free.held() == Held::Free && cell.exchange(free, taken(free)).is_ok() {
            return Ok(free);
        }
        lock_with_care(cell, |word| free.is_unchanged_as(word, limit), taken)
    }
}

/// Takes the word of a free variable; answers the word before.
#[inline(always)]
pub(crate) fn lock(
    cell: &Cell,
    taken: impl Fn(VersionWord) -> VersionWord,
) -> Result<VersionWord, Cause> {
    let word = cell.word();
    if word.held() == Held::Free && cell.exchange(word, taken(word)).is_ok() {
        return Ok(word);
    }
    lock_with_care(cell, |_| true, taken)
}

#[cold]
fn lock_with_care(
    cell: &Cell,
    is_unchanged: impl Fn(VersionWord) -> bool,
    taken: impl Fn(VersionWord) -> VersionWord,
) -> Result<VersionWord, Cause> {
    let mut backoff = Backoff::new();
    for _ in 0..PATIENCE {
        let word = cell.word();
        match word.held() {
            Held::Free if !is_unchanged(word) => return Err(Cause::ReadOverwritten),
            Held::Free => {
                if cell.exchange(word, taken(word)).is_ok() {
                    return Ok(word);
                }
            }
            // Somebody's commit is some instructions from its end.
            Held::Committing => backoff.wait(),
            Held::PreparedWrite | Held::PreparedRead => return Err(Cause::Prepared),
        }
    }
    Err(Cause::WriteLocked)
}
