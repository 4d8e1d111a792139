//! Attempts whose outcome is decided later: validated and protected, then committed or rolled back by
//! whoever comes to know.
//!
//! PROTOCOL
//! 1. `prepare` takes every variable of the write set (1 1), then protects every variable of the read set
//!    (1 0), each by compare-and-swap from the word that was read. At the end all hold at once, so the
//!    attempt is valid at that moment and stays so: nobody can write what it has read or will write.
//! 2. Whoever meets a variable taken so gives way; whoever wants to write one that is protected does so too.
//!    Readers pass protected variables.
//! 3. `commit` turns every taken word to (0 1), puts a full fence, then reads its epoch: a snapshot that met
//!    the word before gets an earlier epoch than this commit (I6), and rightly takes the old value.
//! 4. Whoever gives way raises the wait flag of the variable; `commit` and `roll_back` wake them.
//!
//! A prepared attempt keeps its slot, and with it what it has read, until it is decided.

use crate::abort::{Cause, Rollback};
use crate::attempt::Attempt;
use crate::cell::Cell;
use crate::commit::Announced;
use crate::flaw::Flaw;
use crate::read_set::Read;
use crate::snapshot;
use crate::version_word::{Held, VersionWord};
use crate::write_set::Write;
use odeon_sync::{Backoff, fence_after_rmw};
use std::slice::SliceIndex;

impl Attempt {
    /// PROTOCOL 1. On an error everything is as before, and the caller ends the attempt.
    pub(crate) fn prepare(&mut self) -> Result<(), Rollback> {
        if self.stopped.is_some() {
            return Err(Rollback::NEW);
        }
        // Others will know of this attempt only that it is prepared; and snapshots' records are looked at below (I4).
        self.hold();
        self.reads.deduplicate();
        for place in 0..self.writes.as_slice().len() {
            let write = &self.writes.as_slice()[place];
            match write.lock(self.limit(), |word| self.prepared_write(write.cell(), word)) {
                Ok(before) => self.writes.as_mut_slice()[place].before = before,
                Err(cause) => {
                    let cell = std::ptr::from_ref(write.cell());
                    self.let_go(..place, ..0);
                    return Err(self.stop_at(cause, Some(cell)));
                }
            }
        }
        // I6 and the gate: as in a commit.
        fence_after_rmw();
        if self.domain.gate.is_closed_to(self.slot.number()) {
            self.let_go(.., ..0);
            return Err(self.stop(Cause::Irrevocable, None));
        }
        // Equal epochs say "the same value" only of an epoch that is over (I5).
        let youngest = self.reads.as_slice().iter().map(|read| read.word.epoch()).max();
        if let Some(Err(rollback)) = youngest.map(|epoch| self.extend(epoch)) {
            self.let_go(.., ..0);
            return Err(rollback);
        }
        for place in 0..self.reads.len() {
            let read = self.reads.as_slice()[place];
            let own = self.writes.find(read.cell());
            let protected = match own {
                Some(write) => self.stands_under_own_lock(read.word, write),
                None if self.domain.has(Flaw::ReadsUnprotected) => Ok(()),
                None => self.protect(read.cell(), read.word),
            };
            if let Err(cause) = protected {
                let cell = std::ptr::from_ref(read.cell());
                self.let_go(.., ..place);
                return Err(self.stop_at(cause, Some(cell)));
            }
        }
        Ok(())
    }

    /// The word with which this attempt takes `cell`, free under `word`, for longer than a commit.
    pub(crate) fn prepared_write(&self, cell: &Cell, word: VersionWord) -> VersionWord {
        snapshot::forget_older(self.domain, cell, word);
        word.prepared_write(self.slot.number())
    }

    fn stands_under_own_lock(&self, read: VersionWord, write: usize) -> Result<(), Cause> {
        let before = self.writes.as_slice()[write].before;
        if self.is_unchanged(read, before) { Ok(()) } else { Err(Cause::ReadOverwritten) }
    }

    /// Protects a variable that was read under `read`.
    fn protect(&self, cell: &Cell, read: VersionWord) -> Result<(), Cause> {
        let mut backoff = Backoff::new();
        loop {
            let word = cell.word();
            match word.held() {
                Held::Committing => {
                    backoff.wait();
                    continue;
                }
                Held::PreparedWrite => return Err(Cause::Prepared),
                Held::Free | Held::PreparedRead => {}
            }
            if !self.is_unchanged(read, word) {
                return Err(Cause::ReadOverwritten);
            }
            let protected = word.protected().ok_or(Cause::TooManyPrepared)?;
            if cell.exchange(word, protected).is_ok() {
                return Ok(());
            }
        }
    }

    /// Gives back these writes and reads as they were, and wakes who waits for them.
    pub(crate) fn let_go(
        &self,
        writes: impl SliceIndex<[Write], Output = [Write]>,
        reads: impl SliceIndex<[Read], Output = [Read]>,
    ) {
        let mut waited_for = Vec::new();
        for write in &self.writes.as_slice()[writes] {
            let free = |word: VersionWord| word.restored(write.before).without_waiters();
            waited_for.extend(change_word(write.cell(), free));
        }
        for read in &self.reads.as_slice()[reads] {
            let protected = !self.domain.has(Flaw::ReadsUnprotected);
            if protected && self.writes.find(read.cell()).is_none() {
                waited_for.extend(change_word(read.cell(), unprotected));
            }
        }
        // Not before everything is free: who is woken may want any of it.
        waited_for.into_iter().for_each(|address| self.domain.waits.wake(address));
    }

    /// PROTOCOL 3: makes the writes of this prepared attempt visible and lets go of its reads.
    pub(crate) fn commit_prepared(&mut self) {
        for write in self.writes.as_mut_slice() {
            let mut word = write.cell().word();
            while let Err(other) = write.cell().exchange(word, word.decided()) {
                word = other;
            }
            // Who has raised the flag until here is woken by `publish`; later nobody raises it.
            write.before = word.restored(write.before);
        }
        // I6: as in a commit: a snapshot that does not find a variable taken by this commit gets an
        // earlier epoch.
        fence_after_rmw();
        let epoch = self.domain.clock.now();
        self.publish(epoch, Announced::Decision);
        self.let_go(..0, ..);
        self.slot.counters.committed(self.reads.len(), self.writes.as_slice().len());
        self.writes.forget();
    }

    /// Undoes [`prepare`](Self::prepare).
    pub(crate) fn let_go_prepared(&mut self) {
        self.let_go(.., ..);
    }
}

/// Changes the word of a variable that the caller holds; answers its address if `change` has taken the wait
/// flag away, so that who waits for it has to be woken.
fn change_word(cell: &Cell, change: impl Fn(VersionWord) -> VersionWord) -> Option<usize> {
    let mut word = cell.word();
    while let Err(other) = cell.exchange(word, change(word)) {
        word = other;
    }
    (word.has_waiters() && !change(word).has_waiters()).then(|| cell.address())
}

/// One protector less; the last one takes the wait flag along.
fn unprotected(word: VersionWord) -> VersionWord {
    let left = word.unprotected();
    if left.held() == Held::Free { left.without_waiters() } else { left }
}
