//! Who is told what an attempt changes; and what collections tell of that while its closure runs.
//!
//! The write set has the nodes of collections, which nobody can name. So each operation that
//! changes a collection tells what it does, as bytes, when it does it. What a part of the attempt
//! has told goes with the part.

use crate::attempt::journal::CommitLog;
use crate::attempt::transaction::{Tx, View};
use std::any::Any;
use std::fmt;
use std::mem;

/// TUNE: bytes that are kept for the next attempt; guessed.
const KEPT_BYTES: usize = 1 << 16;

/// See the module.
#[derive(Default)]
pub(crate) struct Told {
    /// Who logs the attempt. It outlives the attempt (`Tx::log_to`).
    log: Option<&'static dyn CommitLog>,
    /// Who logs it as well: those of other states.
    others: Vec<&'static dyn CommitLog>,
    changes: Vec<ToldChange>,
    /// The changes one behind the other; behind the last one perhaps what was undone, or the begin
    /// of one whose values have panicked.
    bytes: Vec<u8>,
    /// Memory for the record of a commit.
    record: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct ToldChange {
    /// The address of the collection.
    collection: usize,
    /// Where its bytes end.
    end: usize,
}

impl Told {
    /// Who logs the attempt.
    #[inline(always)]
    pub(crate) fn log(&self) -> Option<&'static dyn CommitLog> {
        self.log
    }

    /// All who log it.
    pub(crate) fn logs(&self) -> impl Iterator<Item = &'static dyn CommitLog> {
        self.log.into_iter().chain(self.others.iter().copied())
    }

    /// Whether several log it.
    pub(crate) fn has_several_logs(&self) -> bool {
        !self.others.is_empty()
    }

    /// Whether this one does.
    fn is_told(&self, log: &dyn CommitLog) -> bool {
        self.logs().any(|told| std::ptr::addr_eq(told, log))
    }

    fn add_log(&mut self, log: &'static dyn CommitLog) {
        if self.log.is_none() {
            self.log = Some(log);
        } else {
            self.others.push(log);
        }
    }

    /// The attempt is over: nobody logs the next one, of which nothing was told.
    #[inline(always)]
    pub(crate) fn forget_log(&mut self) {
        if self.log.take().is_some() {
            self.forget();
        }
    }

    #[inline(never)]
    fn forget(&mut self) {
        self.others.clear();
        self.changes.clear();
        self.bytes.clear();
        if self.bytes.capacity() > KEPT_BYTES {
            self.bytes = Vec::new();
        }
    }

    /// An empty vector, which is to be [given back](Self::keep_record).
    pub(crate) fn take_record(&mut self) -> Vec<u8> {
        mem::take(&mut self.record)
    }

    pub(crate) fn keep_record(&mut self, mut record: Vec<u8>) {
        if record.capacity() <= KEPT_BYTES {
            record.clear();
            self.record = record;
        }
    }

    /// How many changes there are.
    pub(crate) fn count(&self) -> usize {
        self.changes.len()
    }

    /// Only the first `count` changes have happened.
    #[inline(always)]
    pub(crate) fn undo(&mut self, count: usize) {
        // What is behind the last change goes with the next one that is told.
        self.changes.truncate(count);
    }

    /// The changes in the order in which they were told, each with the address of its collection.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let mut begin = 0;
        self.changes.iter().map(move |change| {
            let bytes = &self.bytes[begin..change.end];
            begin = change.end;
            (change.collection, bytes)
        })
    }

    fn end(&self) -> usize {
        self.changes.last().map_or(0, |last| last.end)
    }

    #[cold]
    #[inline(never)]
    fn tell<C: Any>(&mut self, collection: usize, change: impl FnOnce(&C, &mut Vec<u8>)) {
        let Some(codec) = self.logs().find_map(|log| log.journal().codec_of(collection)) else {
            return;
        };
        self.bytes.truncate(self.end());
        change(codec, &mut self.bytes);
        self.changes.push(ToldChange { collection, end: self.bytes.len() });
    }
}

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Told").field("changes", &self.changes).finish_non_exhaustive()
    }
}

impl<'t> Tx<'t> {
    /// Has `log` told what this attempt changes of the log's state, if it commits, and the order of
    /// the commit. To be called before the first change of that state; again with the same log it
    /// does nothing. Nothing is told of an attempt with one log that writes nothing, and of one
    /// that only reads a snapshot or is relaxed.
    ///
    /// `'t` does not end before the commit, as with variables that are written.
    ///
    /// # Panics
    ///
    /// Panics if another log is told of this attempt that [cannot share](Self::can_log_to) it with
    /// this one. Later the attempt panics, and is rolled back, if `serde` refuses to write a value
    /// that is to be told; and if what the journal knows is no more, and something else lies where
    /// it was. A [`Finished`](crate::staged::Finished) that is journaled cannot be prepared: it
    /// panics.
    #[track_caller]
    pub fn log_to(&mut self, log: &'t dyn CommitLog) {
        assert!(self.can_log_to(log), "these logs cannot be told of one attempt");
        let attempt = self.attempt().0;
        if !attempt.mode.writes() || attempt.told.is_told(log) {
            return;
        }
        if attempt.told.log.is_none() {
            // What ends every attempt looks at that, and forgets the logs too.
            attempt.hold();
        }
        // SAFETY: only the lifetime changes. Whoever runs the attempt sees to it that what is
        // borrowed for `'t` is there until the attempt has ended, as the variables in its logs are
        // (see `Write::cell`); and its end forgets the log (`Attempt::end_direct`).
        let log = unsafe { mem::transmute::<&'t dyn CommitLog, &'static dyn CommitLog>(log) };
        attempt.told.add_log(log);
    }

    /// Whether `log` can be told of this attempt: no other one is, or those can
    /// [share](CommitLog::group) a commit with it.
    pub fn can_log_to(&mut self, log: &dyn CommitLog) -> bool {
        let told = &self.attempt().0.told;
        let group = |log: &dyn CommitLog| log.group();
        told.log.is_none_or(|first| {
            told.is_told(log) || group(first).is_some() && group(first) == group(log)
        })
    }

    /// How many logs are told of this attempt.
    pub fn logs(&mut self) -> usize {
        let told = &self.attempt().0.told;
        usize::from(told.log.is_some()) + told.others.len()
    }

    /// Whether a log is told of this attempt.
    #[inline(always)]
    pub(crate) fn is_journaled(&mut self) -> bool {
        self.attempt().0.told.log.is_some()
    }

    /// Tells a change of `collection`, if there is a journal that knows it; `change` gets how its
    /// keys or values become bytes, which is a `C`.
    ///
    /// It may panic, as values do that cannot be written: the change is told before it is made.
    #[inline(always)]
    pub(crate) fn tell<C: Any>(
        &mut self,
        collection: &impl Sized,
        change: impl FnOnce(&C, &mut Vec<u8>),
    ) {
        if self.is_journaled() {
            let address = std::ptr::from_ref(collection).addr();
            self.attempt().0.told.tell(address, change);
        }
    }
}
