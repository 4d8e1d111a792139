//! Attempts whose outcome is decided later: validated and protected, then committed or rolled back
//! by whoever comes to know.
//!
//! PROTOCOL
//! 1. `prepare` takes every variable of the write set (1 1), then protects every variable of the
//!    read set (1 0), each by compare-and-swap from the word that was read. At the end all hold at
//!    once, so the attempt is valid at that moment and stays so: nobody can write what it has read
//!    or will write.
//! 2. Whoever meets a variable taken so gives way; whoever wants to write one that is protected
//!    does so too. Readers pass protected variables.
//! 3. `commit` turns every taken word to (0 1), puts a full fence, then reads its epoch: a snapshot
//!    that met the word before gets an earlier epoch than this commit (I6), and rightly takes the
//!    old value.
//! 4. Whoever gives way raises the wait flag of the variable; `commit` and `roll_back` wake them,
//!    when nothing is held any more. A flag that is up stays up unless the variable is written:
//!    others may wait for that (`domain/wakeup.rs`).
//! 5. A prepared attempt that travels reads and writes on, and prepares again; that is about new
//!    entries of the logs only. A variable that it protects and then wants to write is taken (1 0
//!    to 1 1) if nobody else protects it. Else it waits for being the only one: who leaves one
//!    protector behind wakes as who leaves none.
//!
//! A prepared attempt keeps its slot, and with it what it has read, until it is decided. What is
//! protected stands, so it is not looked at any more, neither by an extension nor by another
//! `prepare` (I8).

use crate::attempt::Attempt;
use crate::attempt::protected::Protected;
use crate::attempt::read_set::Read;
use crate::attempt::snapshot;
use crate::commit::Announced;
use crate::domain::cell::Cell;
use crate::words::abort::{Cause, Rollback};
use crate::words::flaw::Flaw;
use crate::words::version_word::{VariableHolder, VersionWord};
use odeon_sync::{Backoff, fence_after_rmw};
use std::ops::Range;

impl Attempt {
    /// PROTOCOL 1, for what is not protected yet. On an error all variables are as before; the
    /// caller has the attempt end, or [puts its reads in order](Self::prepare_more).
    pub(crate) fn prepare(&mut self) -> Result<(), Rollback> {
        if self.stopped.is_some() {
            return Err(Rollback::NEW);
        }
        // Others will know of this attempt only that it is prepared; and snapshots' records are
        // looked at below (I4).
        self.hold();
        let (writes, reads) = (self.protected.writes, self.protected.reads);
        self.reads.deduplicate(reads);
        let all_writes = self.writes.as_slice().len();
        for place in writes..all_writes {
            match self.take(place) {
                Ok(before) => self.writes.as_mut_slice()[place].before = before,
                Err(cause) => {
                    let cell = std::ptr::from_ref(self.writes.as_slice()[place].cell());
                    self.give_back(writes..place, reads..reads);
                    return Err(self.stop_at(cause, Some(cell)));
                }
            }
        }
        // I6 and the gate: as in a commit.
        fence_after_rmw();
        if self.domain.gate.is_closed_to(self.slot.number()) {
            self.give_back(writes..all_writes, reads..reads);
            return Err(self.stop(Cause::Irrevocable, None));
        }
        // Equal epochs say "the same value" only of an epoch that is over (I5).
        let youngest = self.reads.as_slice()[reads..].iter().map(|read| read.word.epoch()).max();
        if let Some(Err(rollback)) = youngest.map(|epoch| self.extend(epoch)) {
            self.give_back(writes..all_writes, reads..reads);
            return Err(rollback);
        }
        let mut all_reads = reads;
        for place in reads..self.reads.len() {
            let read = self.reads.as_slice()[place];
            match self.protect(read) {
                Ok(Protection::Had) => (),
                Ok(Protection::New) => {
                    self.reads.put(all_reads, read);
                    all_reads += 1;
                }
                Err(cause) => {
                    let cell = std::ptr::from_ref(read.cell());
                    self.give_back(writes..all_writes, reads..all_reads);
                    return Err(self.stop_at(cause, Some(cell)));
                }
            }
        }
        self.reads.truncate(all_reads);
        (self.protected.writes, self.protected.reads) = (all_writes, all_reads);
        Ok(())
    }

    /// Takes the variable at `place` of the write set; answers its word before.
    fn take(&mut self, place: usize) -> Result<VersionWord, Cause> {
        let write = &self.writes.as_slice()[place];
        match write.lock(self.limit(), |word| word.prepared_write(self.slot.number())) {
            Err(Cause::Prepared) if self.protected.holds(&self.reads, write.cell()) => {
                self.upgrade(write.cell())
            }
            outcome => outcome,
        }
    }

    /// PROTOCOL 5: takes a variable that this attempt protects, so that its value is the one that
    /// was read.
    fn upgrade(&self, cell: &Cell) -> Result<VersionWord, Cause> {
        loop {
            let word = cell.word();
            debug_assert_eq!(word.held(), VariableHolder::PreparedRead);
            if word.protectors() > 1 && !self.domain.has(Flaw::UpgradeOverOthers) {
                return Err(Cause::Prepared);
            }
            let taken = word.freed().prepared_write(self.slot.number());
            if cell.exchange(word, taken).is_ok() {
                return Ok(word);
            }
        }
    }

    /// Whether `word` is one that this attempt has taken.
    pub(crate) fn has_taken(&self, word: VersionWord) -> bool {
        word.is_write_held() && word.slot() == self.slot.number()
    }

    /// The committed bits of the variable at `place` of the write set, which this attempt has
    /// taken. They may be younger than its last extension: they belong to one state with what it
    /// has read since all the same (I8).
    pub(crate) fn read_under_own_lock(&mut self, place: usize) -> u64 {
        let write = &self.writes.as_slice()[place];
        self.reads.add(write.cell(), write.before.without_waiters());
        write.cell().bits()
    }

    /// Protects a variable that was read; all variables to be written are taken.
    fn protect(&mut self, read: Read) -> Result<Protection, Cause> {
        let cell = read.cell();
        if let Some(write) = self.writes.find(cell) {
            let before = self.writes.as_slice()[write].before;
            let stands = self.is_unchanged(read.word, before);
            return if stands { Ok(Protection::New) } else { Err(Cause::ReadOverwritten) };
        }
        if self.domain.has(Flaw::ReadsUnprotected) {
            return Ok(Protection::New);
        }
        let mut backoff = Backoff::new();
        loop {
            let word = cell.word();
            match word.held() {
                VariableHolder::Committing => {
                    backoff.wait();
                    continue;
                }
                VariableHolder::PreparedWrite => return Err(Cause::Prepared),
                VariableHolder::PreparedRead if self.protected.holds(&self.reads, cell) => {
                    return Ok(Protection::Had);
                }
                VariableHolder::Free | VariableHolder::PreparedRead => {}
            }
            if !self.is_unchanged(read.word, word) {
                return Err(Cause::ReadOverwritten);
            }
            let protected = word.protected().ok_or(Cause::TooManyPrepared)?;
            if cell.exchange(word, protected).is_ok() {
                return Ok(Protection::New);
            }
        }
    }

    /// Undoes a [`prepare`](Self::prepare) that cannot go on: these writes and reads become what
    /// they were before it. All writes are taken if there are reads.
    fn give_back(&self, writes: Range<usize>, reads: Range<usize>) {
        let mut waited_for = Vec::new();
        self.release_writes(writes, |before| before, &mut waited_for);
        self.release_reads(reads, self.writes.as_slice().len(), &mut waited_for);
        self.wake(waited_for);
    }

    /// Lets go of everything that is protected.
    pub(crate) fn let_go_prepared(&mut self) {
        let mut waited_for = Vec::new();
        let Protected { writes, reads, .. } = self.protected;
        self.release_writes(0..writes, VersionWord::freed, &mut waited_for);
        self.release_reads(0..reads, writes, &mut waited_for);
        self.protected.clear();
        self.wake(waited_for);
    }

    /// Gives these variables that were taken back, as `back` makes of the word before.
    fn release_writes(
        &self,
        writes: Range<usize>,
        back: impl Fn(VersionWord) -> VersionWord,
        waited_for: &mut Vec<usize>,
    ) {
        for write in &self.writes.as_slice()[writes] {
            let before = back(write.before);
            let word = change_word(write.cell(), |word| word.restored(before));
            waited_for.extend(word.has_waiters().then(|| write.cell().address()));
        }
    }

    /// Lets go of these reads, but for those of the first `taken` variables to be written.
    fn release_reads(&self, reads: Range<usize>, taken: usize, waited_for: &mut Vec<usize>) {
        if self.domain.has(Flaw::ReadsUnprotected) {
            return;
        }
        for read in &self.reads.as_slice()[reads] {
            if self.writes.find(read.cell()).is_none_or(|place| place >= taken) {
                let word = change_word(read.cell(), VersionWord::unprotected);
                // The last one may wait to be that.
                let tells = word.has_waiters() && word.protectors() <= 1;
                waited_for.extend(tells.then(|| read.cell().address()));
            }
        }
    }

    /// Not before everything is free: who is woken may want any of it.
    fn wake(&self, waited_for: Vec<usize>) {
        waited_for.into_iter().for_each(|address| self.domain.waits.wake_released(address));
    }

    /// PROTOCOL 3: makes the writes of this attempt visible, all of which are protected, and lets
    /// go of its reads. `locked` is called before it reads the clock.
    pub(crate) fn commit_prepared(&mut self, locked: impl FnOnce()) {
        debug_assert_eq!(self.protected.writes, self.writes.as_slice().len());
        for write in self.writes.as_mut_slice() {
            let mut word = write.cell().word();
            while let Err(other) = write.cell().exchange(word, word.decided()) {
                word = other;
            }
            // Who has raised the flag until here is woken by `publish`; later nobody raises it.
            write.before = word.restored(write.before).freed();
        }
        // I6: as in a commit: a snapshot that does not find a variable taken by this commit gets an
        // earlier epoch.
        fence_after_rmw();
        locked();
        let epoch = self.domain.clock.now();
        let stamps = snapshot::running(self.domain).then(|| self.take_stamps());
        // This is the commit's moment. Who takes a variable from here on that was protected gets no
        // earlier epoch, because it comes to the clock after this. And who is woken by `publish`
        // finds nothing protected.
        let mut waited_for = Vec::new();
        self.release_reads(0..self.protected.reads, self.protected.writes, &mut waited_for);
        match stamps {
            None => self.publish(epoch, Announced::Decision),
            Some(stamps) => self.publish_beside_snapshots(stamps, Announced::Decision),
        }
        self.wake(waited_for);
        self.slot.counters.committed(self.reads.len(), self.writes.as_slice().len());
        self.writes.forget();
        self.protected.clear();
    }
}

/// Whether a variable was protected by the attempt before.
enum Protection {
    New,
    Had,
}

/// Changes the word of a variable that the caller holds; answers the new one.
fn change_word(cell: &Cell, change: impl Fn(VersionWord) -> VersionWord) -> VersionWord {
    let mut word = cell.word();
    loop {
        match cell.exchange(word, change(word)) {
            Ok(_) => return change(word),
            Err(other) => word = other,
        }
    }
}
