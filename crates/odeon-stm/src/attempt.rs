//! One attempt: its begin, its reads and writes, its end. `commit.rs` and `commit/prepared.rs` have
//! the ways in which it succeeds; `README.md` has the argument, by the numbers quoted here.
//!
//! An attempt runs in one of four modes. *Logged*: reads are remembered and checked, writes wait
//! for the commit. *Direct*: the caller owns all variables, reads are not remembered; writes wait
//! for the commit all the same, so that snapshots and a rollback find the old values. *Snapshot*:
//! reads see one epoch and are not remembered; there are no writes. *Relaxed*: each read sees the
//! latest value, nothing is remembered, and there are no writes.

pub(crate) mod between;
pub(crate) mod inline;
pub(crate) mod journal;
#[cfg(doctest)]
pub(crate) mod misuse;
pub(crate) mod peek;
pub(crate) mod protected;
pub(crate) mod read_set;
pub(crate) mod scoped;
pub(crate) mod snapshot;
pub(crate) mod thread_cache;
pub(crate) mod told;
pub(crate) mod transaction;
pub(crate) mod write_set;

mod begin;
mod mode;
mod parts;
mod relaxed;
mod watched;
mod writes;

pub(crate) use parts::PartStart;
pub(crate) use watched::PARTS as REPEATED_PARTS;

use crate::attempt::protected::Protected;
use crate::attempt::read_set::ReadSet;
use crate::attempt::told::Told;
use crate::attempt::write_set::{LogMark, WriteKind, WriteSet};
use crate::domain::Domain;
use crate::domain::cell::Cell;
use crate::domain::garbage::Bag;
use crate::domain::slot::Slot;
use crate::words::abort::{Cause, Rollback};
use crate::words::copies::Copies;
use crate::words::flaw::Flaw;
use crate::words::hooks::{self, Hooks};
use crate::words::version_word::{VariableHolder, VersionWord};
use odeon_sync::Backoff;

pub use mode::Mode;

/// The logs when a nested closure began.
#[derive(Debug)]
pub(crate) struct Nested {
    writes: LogMark,
    hooks: hooks::HookCount,
    told: usize,
}

/// The mark of no slot.
const NO_SLOT: u64 = u64::MAX;

/// TUNE: first values of the running epoch that the attempts of a thread read before they end it.
/// Such a read has about 60 instructions more than others; an epoch that ends has everybody fetch
/// the clock's cache line. Guessed.
const NEWBORNS_PER_EPOCH: usize = 32;

/// Where an attempt was stopped, and why.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopped {
    pub(crate) cause: Cause,
    /// The variable in the way, for who wants to wait for it.
    pub(crate) cell: Option<*const Cell>,
}

/// The state of an attempt, and between attempts the memory that the next one uses again. Every
/// step writes to it, so it shares no cache line with anything of another thread.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Attempt {
    pub(crate) domain: &'static Domain,
    pub(crate) slot: &'static Slot,
    pub(crate) mode: Mode,
    /// Whether the slot is entered (I3).
    is_holding: bool,
    pub(crate) reads: ReadSet,
    pub(crate) writes: WriteSet,
    /// How much of the logs is protected.
    pub(crate) protected: Protected,
    /// The mark of the slot in words; for snapshots, which have to tell epochs only, that of none.
    own: u64,
    /// The first word that is too young to be read without a further look (I1).
    limit: u64,
    /// The same for bits that are a pointer: the first word of all while the attempt does not hold
    /// what it reads.
    limit_of_pointers: u64,
    pub(crate) stopped: Option<Stopped>,
    /// First values of a running epoch, read by all attempts with this memory.
    newborns_read: usize,
    /// How many reads a relaxed attempt has left.
    relaxed_reads_left: u32,
    /// Which part of a [`TCounter`](crate::TCounter) it adds to, of as many as there are.
    pub(crate) part: usize,
    /// What is to be done after the end; mostly nothing.
    pub(crate) hooks: Option<Box<Hooks>>,
    /// Copies of inline values whose references a closure has asked for.
    copies: Copies,
    pub(crate) bag: Bag,
    pub(crate) told: Told,
}

// SAFETY: the pointers in the logs are to cells, which are `Sync`; values in the write set are of
// `Send` types (required where variables are made), and so are those that `copies` has copies of;
// journals are `Sync`. An attempt is used by one thread at a time.
unsafe impl Send for Attempt {}

impl Attempt {
    /// Memory for attempts, with a slot of its own; `None` if all slots are taken.
    pub(crate) fn new(domain: &'static Domain) -> Option<Box<Self>> {
        let slot = domain.slots.take()?;
        Some(Box::new(Self {
            domain,
            slot,
            mode: Mode::Logged,
            is_holding: false,
            reads: ReadSet::default(),
            writes: WriteSet::default(),
            protected: Protected::default(),
            own: NO_SLOT,
            limit: 0,
            limit_of_pointers: 0,
            stopped: None,
            newborns_read: 0,
            relaxed_reads_left: 0,
            part: slot.number() as usize,
            hooks: None,
            copies: Copies::default(),
            bag: Bag::default(),
            told: Told::default(),
        }))
    }

    /// [`read`](Self::read) of bits that are a pointer.
    #[inline(always)]
    pub(crate) fn read_pointer(&mut self, cell: &Cell) -> Result<u64, Rollback> {
        if !self.writes.may_hold(cell) {
            let word = cell.word();
            let may_follow =
                word.0 < self.limit_of_pointers || self.is_holding && word.is_free_and_of(self.own);
            if let Some(bits) = may_follow.then(|| self.read_under(cell, word)).flatten() {
                return Ok(bits);
            }
        }
        self.hold();
        self.read_with_own_writes(cell)
    }

    /// The bits of a variable as this attempt sees them; those of a pointer for who
    /// [holds](Self::hold) only.
    #[inline(always)]
    pub(crate) fn read(&mut self, cell: &Cell) -> Result<u64, Rollback> {
        if self.writes.may_hold(cell) {
            return self.read_with_own_writes(cell);
        }
        self.read_committed(cell)
    }

    #[inline(always)]
    fn read_committed(&mut self, cell: &Cell) -> Result<u64, Rollback> {
        let word = cell.word();
        if self.may_read_under(word) {
            if let Some(bits) = self.read_under(cell, word) {
                return Ok(bits);
            }
        }
        self.read_with_care(cell)
    }

    /// Reads a variable with this word, which may be read; `None` if a writer was there meanwhile,
    /// or a relaxed attempt has no reads left.
    #[inline(always)]
    fn read_under(&mut self, cell: &Cell, word: VersionWord) -> Option<u64> {
        if self.mode == Mode::Direct {
            // The caller sees to it that nobody writes. If it does not, the value still stays
            // allocated: a commit that has not locked `word` reads the clock after this attempt's
            // begin (I4).
            return Some(cell.bits());
        }
        let bits = cell.bits_under(word)?;
        if self.mode == Mode::Logged {
            self.reads.add(cell, word.without_waiters());
        } else if self.mode == Mode::Relaxed {
            self.count_relaxed_read()?;
        }
        Some(bits)
    }

    /// [`read`](Self::read) for who knows that this is a snapshot.
    #[inline(always)]
    pub(crate) fn read_in_snapshot(&mut self, cell: &Cell) -> Result<u64, Rollback> {
        debug_assert_eq!(self.mode, Mode::Snapshot);
        let word = cell.word();
        if word.0 < self.limit {
            if let Some(bits) = cell.bits_under(word) {
                return Ok(bits);
            }
        }
        snapshot::read(self, cell)
    }

    /// I1: whether a value is older than this attempt, and nobody is about to write it. One with
    /// the attempt's own slot in its stamp is, whatever its epoch.
    #[inline(always)]
    fn may_read_under(&self, word: VersionWord) -> bool {
        word.0 < self.limit || word.is_free_and_of(self.own)
    }

    #[cold]
    fn read_with_own_writes(&mut self, cell: &Cell) -> Result<u64, Rollback> {
        let Some(place) = self.writes.find(cell) else {
            let bits = self.read_committed(cell)?;
            self.point();
            return Ok(bits);
        };
        let write = &self.writes.as_slice()[place];
        let (bits, kind) = (write.bits, write.kind);
        match kind {
            WriteKind::Plain | WriteKind::Owning(_) => Ok(bits),
            WriteKind::Change(apply) if place < self.protected.writes => {
                Ok(apply(self.read_under_own_lock(place), bits))
            }
            WriteKind::Change(apply) => Ok(apply(self.read_committed(cell)?, bits)),
        }
    }

    /// A read that finds a value of the running epoch, or a holder.
    #[cold]
    fn read_with_care(&mut self, cell: &Cell) -> Result<u64, Rollback> {
        match self.mode {
            Mode::Snapshot => return snapshot::read(self, cell),
            Mode::Relaxed => return self.read_latest(cell),
            Mode::Logged | Mode::Direct => {}
        }
        let mut backoff = Backoff::new();
        let mut looks = 0;
        while looks < PATIENCE || self.is_irrevocable() {
            looks = (looks + 1).min(PATIENCE);
            let word = cell.word();
            match word.held() {
                VariableHolder::Committing => {
                    backoff.wait();
                    continue;
                }
                VariableHolder::PreparedWrite => return Err(self.stop(Cause::Prepared, Some(cell))),
                VariableHolder::Free | VariableHolder::PreparedRead => {}
            }
            if !self.may_read_under(word) && !self.is_newborn(word) {
                // I2: only when the epoch of the value is over is it sure that what was read before
                // and this value were there together.
                self.extend(word.epoch())?;
                continue;
            }
            if let Some(bits) = self.read_under(cell, word) {
                return Ok(bits);
            }
        }
        Err(self.stop(Cause::WriteLocked, Some(cell)))
    }

    /// I7: whether the value is its variable's first one, which is older than any attempt. After
    /// some of the running epoch have been read this slow way, that ends, and later attempts read
    /// them like others.
    fn is_newborn(&mut self, word: VersionWord) -> bool {
        self.newborns_read += usize::from(word.is_newborn());
        if word.is_newborn() && self.newborns_read % NEWBORNS_PER_EPOCH == 0 {
            self.domain.clock.pass(word.epoch());
        }
        word.is_newborn()
    }

    /// Whether nobody else commits while this attempt runs, but who has locked something already.
    pub(crate) fn is_irrevocable(&self) -> bool {
        self.domain.gate.is_closed_by(self.slot.number())
    }

    /// Moves the attempt to an epoch after `epoch`: all that was read must still stand (I2).
    pub(crate) fn extend(&mut self, epoch: u64) -> Result<(), Rollback> {
        self.end_epoch_if_watched();
        let now = self.domain.clock.pass(epoch);
        // I1: as at the begin. Rare, so a fence that stands for itself.
        odeon_sync::atomic::fence(odeon_sync::atomic::Ordering::SeqCst);
        if !self.domain.has(Flaw::UncheckedExtension) {
            // What is protected stands.
            self.validate_from(self.protected.reads)?;
            self.validate_updates()?;
        }
        self.limit = VersionWord::first_of(now);
        if self.is_holding {
            self.limit_of_pointers = self.limit;
        }
        Ok(())
    }

    /// Whether everything that was read still stands. Reads of variables that this attempt has
    /// locked are compared with what stood there before the lock.
    #[inline]
    pub(crate) fn validate(&mut self) -> Result<(), Rollback> {
        self.validate_from(0)
    }

    #[inline]
    fn validate_from(&mut self, from: usize) -> Result<(), Rollback> {
        for read in &self.reads.as_slice()[from..] {
            let word = read.cell().word().without_waiters();
            if word != read.word && !self.still_stands(read.cell(), read.word, word) {
                let cell = std::ptr::from_ref(read.cell());
                return Err(self.stop_at(Cause::ReadOverwritten, Some(cell)));
            }
        }
        Ok(())
    }

    /// As [`validate`](Self::validate), for the variables that were read and will be written. A
    /// commit and a prepare look at these when they lock them.
    fn validate_updates(&mut self) -> Result<(), Rollback> {
        let unprotected = &self.writes.as_slice()[self.protected.writes..];
        for write in unprotected.iter().filter(|write| write.is_update) {
            let (cell, read) = (write.cell(), write.before.without_waiters());
            let word = cell.word().without_waiters();
            if word != read && !self.still_stands(cell, read, word) {
                let cell = std::ptr::from_ref(cell);
                return Err(self.stop_at(Cause::ReadOverwritten, Some(cell)));
            }
        }
        Ok(())
    }

    /// Whether a variable read under `before` has the same value under the different word `now`.
    #[cold]
    fn still_stands(&self, cell: &Cell, before: VersionWord, mut now: VersionWord) -> bool {
        let mut backoff = Backoff::new();
        while now.held() == VariableHolder::Committing
            && now.slot() != self.slot.number()
            && self.is_irrevocable()
        {
            // A commit that will find the gate closed and give the variable back.
            backoff.wait();
            now = cell.word().without_waiters();
        }
        if now.is_write_held() {
            let own = now.slot() == self.slot.number();
            let place = if own { self.writes.find(cell) } else { None };
            return place.is_some_and(|place| {
                let locked = self.writes.as_slice()[place].before.without_waiters();
                self.is_unchanged(before, locked)
            });
        }
        self.is_unchanged(before, now)
    }

    /// Whether a variable that was read under `before` can be said to have the same value under
    /// `now`, in which somebody may hold it (I5).
    pub(crate) fn is_unchanged(&self, before: VersionWord, now: VersionWord) -> bool {
        before.is_unchanged_as(now, self.limit)
    }

    /// Everything that was read, with the word under which it was.
    pub(crate) fn all_reads(&self) -> impl Iterator<Item = (&Cell, VersionWord)> {
        let updates = self.writes.as_slice().iter().filter(|write| write.is_update);
        let reads = self.reads.as_slice().iter().map(|read| (read.cell(), read.word));
        reads.chain(updates.map(|write| (write.cell(), write.before)))
    }

    /// The first word that is too young to be read without a further look.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// A stable place for a copy of inline bits, until the attempt ends.
    #[inline(always)]
    pub(crate) fn copy(&mut self, bits: u64) -> *const u64 {
        self.copies.put(bits)
    }

    /// Nobody refers to [copies](Self::copy) any more.
    pub(crate) fn forget_copies(&mut self) {
        self.copies.clear();
    }

    /// Notes why the attempt cannot go on; the first reason stands.
    #[cold]
    pub(crate) fn stop(&mut self, cause: Cause, cell: Option<&Cell>) -> Rollback {
        self.stop_at(cause, cell.map(std::ptr::from_ref))
    }

    #[cold]
    pub(crate) fn stop_at(&mut self, cause: Cause, cell: Option<*const Cell>) -> Rollback {
        self.stopped.get_or_insert(Stopped { cause, cell });
        Rollback::NEW
    }

    /// A nested closure begins.
    pub(crate) fn nest(&mut self) -> Nested {
        let hooks = self.hooks.as_ref().map(|hooks| hooks.count()).unwrap_or_default();
        Nested { writes: self.writes.nest(), hooks, told: self.told.count() }
    }

    /// The nested closure failed: its writes go, its reads stay.
    pub(crate) fn undo_nested(&mut self, nested: Nested) {
        let reads = &mut self.reads;
        self.writes.undo_nested(nested.writes, |write| {
            if write.is_update {
                reads.add(write.cell(), write.before);
            }
        });
        if let Some(hooks) = &mut self.hooks {
            hooks.undo(nested.hooks);
        }
        self.told.undo(nested.told);
    }

    /// Whatever was to be written goes, as if all had been a nested closure that failed.
    pub(crate) fn undo_all(&mut self) {
        let writes = self.writes.nest_from_the_start();
        self.undo_nested(Nested { writes, hooks: hooks::HookCount::default(), told: 0 });
    }

    /// Rolls back: whatever was to be written goes. Answers the label of the variable in the way,
    /// if it has one.
    pub(crate) fn roll_back(&mut self, stopped: Stopped) -> Option<&'static str> {
        self.writes.discard();
        self.count(stopped)
    }

    /// Counts why the attempt, or a part of it, has no effect; answers as
    /// [`roll_back`](Self::roll_back).
    pub(crate) fn count(&self, stopped: Stopped) -> Option<&'static str> {
        self.slot.counters.rolled_back(stopped.cause);
        // SAFETY: the attempt still holds its slot, so the cell lives (see `Read`).
        let cell = unsafe { &*stopped.cell? };
        if !cell.word().is_labelled() {
            return None;
        }
        self.domain.labels.count(cell.address(), stopped.cause)
    }

    /// The end, after the commit or the rollback: what was read is not looked at any more.
    #[inline(always)]
    pub(crate) fn end(&mut self) {
        if self.mode == Mode::Snapshot {
            snapshot::end(self);
        }
        self.reads.clear();
        self.stopped = None;
        self.end_direct();
    }

    /// [`end`](Self::end) of a direct attempt that was not stopped.
    #[inline(always)]
    pub(crate) fn end_direct(&mut self) {
        debug_assert!(self.reads.as_slice().is_empty() && self.stopped.is_none());
        self.copies.clear();
        if self.is_holding {
            self.is_holding = false;
            self.told.forget_log();
            self.slot.end();
        }
    }
}

/// TUNE: looks at a variable in the middle of other threads' commits before a read or a lock gives
/// up; a commit under way takes well under a microsecond, and the wait yields its processor early
/// on.
pub(crate) const PATIENCE: u32 = if cfg!(odeon_loom) { 3 } else { 64 };

impl Drop for Attempt {
    fn drop(&mut self) {
        debug_assert!(self.writes.is_empty());
        let free = self.bag.hand_over(self.domain);
        self.domain.slots.give_back(self.slot);
        if !free.is_empty() {
            thread_cache::outside(|| drop(free));
        }
    }
}
