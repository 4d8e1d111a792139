//! The commit of an attempt: lock, stamp, validate, publish.

mod journaled;
pub(crate) mod prepared;

use crate::attempt::snapshot;
use crate::attempt::write_set::{Write, WriteKind};
use crate::attempt::{Attempt, Mode, PATIENCE};
use crate::domain::garbage::Retired;
use crate::domain::kept::Overwritten;
use crate::domain::near::Value;
use crate::words::abort::{Cause, Rollback};
use crate::words::flaw::Flaw;
use crate::words::version_word::{VariableHolder, VersionWord};
use odeon_sync::{Backoff, fence_after_load, fence_after_rmw};

/// Which variables' waiters a commit has to wake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Announced {
    /// Those of variables that have changed.
    Changes,
    /// Those of all: they may wait for the decision.
    Decision,
}

/// The epochs that a commit beside a snapshot stamps its writes with, one after the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamps {
    next: u64,
    step: u64,
}

impl Stamps {
    fn take(&mut self) -> u64 {
        let stamp = self.next;
        self.next += self.step;
        stamp
    }
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

    /// [`commit`](Self::commit) of a direct attempt that was not stopped and writes at most one
    /// value, without anything to free, if nobody is in its way, waits for it, or looks at a
    /// snapshot: the same steps in a straight line. `false`: nothing has happened.
    #[inline(always)]
    pub(crate) fn commit_if_simple(&mut self) -> bool {
        if self.mode != Mode::Direct || self.told.log().is_some() {
            return false;
        }
        match self.writes.as_slice() {
            [] => {}
            [write] if matches!(write.kind, WriteKind::Plain) => {
                if !self.commit_write(write) {
                    return false;
                }
                self.writes.forget();
            }
            _ => return false,
        }
        self.slot.counters.committed_direct();
        true
    }

    #[inline(always)]
    fn commit_write(&self, write: &Write) -> bool {
        let (cell, slot) = (write.cell(), self.slot.number());
        let free = cell.word();
        if !free.is_free_without_waiters() || cell.exchange(free, free.committing(slot)).is_err() {
            return false;
        }
        // I6 and the rest: as in `commit_writes`. A direct attempt heeds no gate and has no reads
        // to validate.
        fence_after_rmw();
        let epoch = self.domain.clock.now();
        fence_after_load();
        if snapshot::running(self.domain) {
            cell.set_word(free);
            return false;
        }
        self.slot.counters.written(1);
        cell.publish(write.bits, VersionWord::written(epoch, slot).labelled_as(free));
        true
    }

    #[inline(never)]
    fn commit_writes(&mut self) -> Result<(), Rollback> {
        match self.told.log() {
            None => self.commit_writes_with(|| ()),
            Some(log) => self.commit_writes_journaled(log),
        }
    }

    /// Commits what is written. `locked` is called when all of it is locked and nothing that was
    /// read has been checked; the commit may fail after that.
    #[inline(always)]
    fn commit_writes_with(&mut self, locked: impl FnOnce()) -> Result<(), Rollback> {
        // Of a direct attempt too by compare-and-swap, although the caller owns its variables: if
        // it does not, that costs the attempt and not the memory.
        self.lock_writes()?;
        // I6: the locks stand before anything below is looked at.
        fence_after_rmw();
        let slot = self.slot.number();
        if self.mode == Mode::Logged && self.domain.gate.is_closed_to(slot) {
            let rollback = self.stop(Cause::Irrevocable, None);
            self.unlock(self.writes.as_slice().len());
            return Err(rollback);
        }
        locked();
        let epoch = self.domain.clock.now();
        // ORDERING: with the fence above of a commit that gets an earlier epoch and writes what
        // this one has read: its lock is seen below. Else that commit came after this one and a
        // snapshot between the two epochs saw it alone.
        fence_after_load();
        if snapshot::running(self.domain) {
            return self.commit_beside_snapshots();
        }
        self.validate_locked()?;
        // The linearisation point: all locks are held, all reads stand.
        self.publish(epoch, Announced::Changes);
        Ok(())
    }

    /// The rest of a commit that holds its locks, while a snapshot runs.
    #[cold]
    fn commit_beside_snapshots(&mut self) -> Result<(), Rollback> {
        let stamps = self.take_stamps();
        // ORDERING: as above: these stamps are what a commit with earlier ones, and a snapshot
        // between, is compared with.
        fence_after_rmw();
        self.validate_locked()?;
        // The linearisation point.
        self.publish_beside_snapshots(stamps, Announced::Changes);
        Ok(())
    }

    /// [`validate`](Self::validate) of an attempt that has locked its writes, which it gives back
    /// if it fails.
    #[inline(always)]
    fn validate_locked(&mut self) -> Result<(), Rollback> {
        let valid = if self.domain.has(Flaw::NoValidation) { Ok(()) } else { self.validate() };
        valid.inspect_err(|_| self.unlock(self.writes.as_slice().len()))
    }

    /// I10: an epoch of its own for each write, in their order.
    pub(crate) fn take_stamps(&self) -> Stamps {
        let count = self.writes.as_slice().len() as u64;
        if self.domain.has(Flaw::SharedStamps) {
            return Stamps { next: self.domain.clock.take(1), step: 0 };
        }
        Stamps { next: self.domain.clock.take(count), step: 1 }
    }

    /// Locks every variable of the write set, or none.
    #[inline]
    fn lock_writes(&mut self) -> Result<(), Rollback> {
        let mut locked = 0;
        while let Some(place) = self.lock_expected(locked) {
            self.lock_with_care(place)?;
            locked = place + 1;
        }
        Ok(())
    }

    /// Locks variables from place `from` of the write set on, up to one that is not as expected:
    /// answers its place.
    #[inline(always)]
    fn lock_expected(&mut self, from: usize) -> Option<usize> {
        let slot = self.slot.number();
        let mut writes = self.writes.as_mut_slice()[from..].iter_mut();
        while let Some(write) = writes.next() {
            let free = write.expected();
            if free.held() != VariableHolder::Free
                || write.cell().exchange(free, free.committing(slot)).is_err()
            {
                let left = writes.len();
                return Some(self.writes.as_slice().len() - left - 1);
            }
            write.before = free;
        }
        None
    }

    /// Locks the variable at `place` of the write set, which is not as expected; those before it
    /// are locked, and given back if this one cannot be had.
    #[cold]
    fn lock_with_care(&mut self, place: usize) -> Result<(), Rollback> {
        let (slot, limit) = (self.slot.number(), self.limit());
        loop {
            let write = &mut self.writes.as_mut_slice()[place];
            match write.lock(limit, |word| word.committing(slot)) {
                Ok(before) => {
                    write.before = before;
                    return Ok(());
                }
                // Who holds it ends soon and does not come back: this attempt is irrevocable.
                Err(Cause::WriteLocked) if self.domain.gate.is_closed_by(slot) => (),
                Err(cause) => {
                    let cell = std::ptr::from_ref(write.cell());
                    self.unlock(place);
                    return Err(self.stop_at(cause, Some(cell)));
                }
            }
        }
    }

    /// Gives the first `count` variables back as they were.
    fn unlock(&mut self, count: usize) {
        for write in &self.writes.as_slice()[..count] {
            write.cell().set_word(write.before);
        }
    }

    /// Writes everything, stamped with `epoch`, and lets go. All variables are locked (0 1). No
    /// snapshot was running behind the look at the clock that has given `epoch`.
    #[inline(always)]
    pub(crate) fn publish(&mut self, epoch: u64, announced: Announced) {
        let written = VersionWord::written(epoch, self.slot.number());
        self.publish_as(announced, || written);
    }

    /// As [`publish`](Self::publish), with stamps that were taken for it.
    pub(crate) fn publish_beside_snapshots(&mut self, mut stamps: Stamps, announced: Announced) {
        self.keep_for_snapshots(stamps);
        let slot = self.slot.number();
        self.publish_as(announced, || VersionWord::written(stamps.take(), slot));
    }

    #[inline(always)]
    fn publish_as(&mut self, announced: Announced, mut written: impl FnMut() -> VersionWord) {
        let mut before = VersionWord::NONE;
        for write in self.writes.as_mut_slice() {
            let written = written();
            match write.kind {
                WriteKind::Plain => write.publish(write.bits, written),
                WriteKind::Owning(of) => {
                    let (old, from) = (write.cell().bits(), write.before.epoch());
                    write.publish(write.bits, written);
                    // SAFETY: the old value was made by the same variable, so it has the same type;
                    // nothing but attempts and snapshots as in `domain/garbage.rs` can reach it
                    // any more.
                    self.bag.add(unsafe { Retired::new(from, written.epoch(), old, of) });
                }
                WriteKind::Change(apply) => {
                    let old = write.cell().bits();
                    match apply(old, write.bits) {
                        bits if bits == old => write.let_go_unchanged(announced),
                        bits => write.publish(bits, written),
                    }
                }
            }
            before = before.with_flags_of(write.before);
        }
        if before.has_waiters() && !self.domain.has(Flaw::NoWakeUp) {
            self.wake_waiters();
        }
    }

    /// I6: before anything of it is overwritten.
    #[cold]
    fn keep_for_snapshots(&mut self, mut stamps: Stamps) {
        if self.domain.has(Flaw::NothingKept) {
            return;
        }
        // The snapshots' records stay allocated while they are used (I4).
        self.hold();
        let overwritten = self.writes.as_slice().iter().filter_map(move |write| {
            let (now, bits) = (stamps.take(), write.cell().bits());
            match write.kind {
                WriteKind::Change(apply) if apply(bits, write.bits) == bits => None,
                _ => {
                    let (address, from) = (write.cell().address(), write.before.epoch());
                    Some(Overwritten { value: Value { address, from, bits }, now })
                }
            }
        });
        snapshot::keep(self.domain, self.slot, overwritten);
    }

    #[cold]
    fn wake_waiters(&self) {
        // A waker is anybody's code and may begin a transaction, for which a closed gate would
        // never open. All is published: this attempt needs it no more.
        if self.is_irrevocable() {
            self.domain.gate.open(self.slot.number(), &self.domain.waits);
        }
        for write in self.writes.as_slice() {
            if write.before.has_waiters() {
                self.domain.waits.wake(write.cell().address());
            }
        }
    }
}

impl Write {
    /// The word under which the variable was read, if it was, otherwise its present one.
    #[inline(always)]
    fn expected(&self) -> VersionWord {
        if self.is_update { self.before } else { self.cell().word() }
    }

    /// Holder of the lock: new bits under this word, which keeps the label.
    #[inline(always)]
    fn publish(&self, bits: u64, written: VersionWord) {
        self.cell().publish(bits, written.labelled_as(self.before));
    }

    /// Holder of the lock: a change that has changed nothing. Nobody can tell, so nobody has to be
    /// in conflict with it. Who waits for a change goes on waiting, who waits for a decision does
    /// not.
    fn let_go_unchanged(&mut self, announced: Announced) {
        match announced {
            Announced::Changes => {
                self.cell().set_word(self.before);
                self.before = self.before.without_waiters();
            }
            Announced::Decision => self.cell().set_word(self.before.without_waiters()),
        }
    }

    /// Takes the word of this variable, which must not have been written since it was read, if it
    /// was; answers the word before.
    pub(crate) fn lock(
        &self,
        limit: u64,
        taken: impl Fn(VersionWord) -> VersionWord,
    ) -> Result<VersionWord, Cause> {
        let mut backoff = Backoff::new();
        for _ in 0..PATIENCE {
            let word = self.cell().word();
            match word.held() {
                VariableHolder::Free
                    if self.is_update && !self.before.is_unchanged_as(word, limit) =>
                {
                    return Err(Cause::ReadOverwritten);
                }
                VariableHolder::Free => {
                    if self.cell().exchange(word, taken(word)).is_ok() {
                        return Ok(word);
                    }
                }
                // Somebody's commit is some instructions from its end.
                VariableHolder::Committing => backoff.wait(),
                VariableHolder::PreparedWrite | VariableHolder::PreparedRead => {
                    return Err(Cause::Prepared);
                }
            }
        }
        Err(Cause::WriteLocked)
    }
}
