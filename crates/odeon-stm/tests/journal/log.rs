//! A log in memory.

use odeon_stm::journal::{CommitLog, Journal, Journaled, SharedCommit};
use odeon_stm::staged::{Attempted, FinishedHere, attempt_here};
use odeon_stm::{Abort, Mode, Rollback, ScopedTx};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// See the module.
pub(crate) struct MemoryLog {
    journal: Journal,
    numbers: AtomicU64,
    /// By their numbers; `None` of commits that have not taken place.
    records: Mutex<BTreeMap<u64, Option<Vec<u8>>>>,
    group: Option<usize>,
    /// By their numbers: commits that other logs of the group were told of as well.
    shared: Mutex<BTreeMap<u64, SharedCommit>>,
}

impl MemoryLog {
    pub(crate) fn of(state: &impl Journaled) -> Self {
        Self::with(Journal::of(state))
    }

    pub(crate) fn with(journal: Journal) -> Self {
        Self {
            journal,
            numbers: AtomicU64::new(0),
            records: Mutex::default(),
            group: None,
            shared: Mutex::default(),
        }
    }

    /// One of those that can be told of a commit together.
    pub(crate) fn in_group(self, group: usize) -> Self {
        Self { group: Some(group), ..self }
    }

    /// By their numbers, the commits that other logs were told of as well, all of them since the
    /// begin.
    pub(crate) fn shared(&self) -> BTreeMap<u64, SharedCommit> {
        self.shared.lock().unwrap().clone()
    }

    /// How many numbers were taken.
    pub(crate) fn numbers(&self) -> u64 {
        self.numbers.load(Ordering::Relaxed)
    }

    /// What is there, which goes.
    pub(crate) fn take(&self) -> Vec<(u64, Option<Vec<u8>>)> {
        std::mem::take(&mut *self.records.lock().unwrap()).into_iter().collect()
    }

    /// The record of the one commit that has taken place since the last look.
    ///
    /// # Panics
    /// If there are others.
    pub(crate) fn only(&self) -> Vec<u8> {
        let [(_, Some(record))] = &self.take()[..] else { panic!("not one commit") };
        record.clone()
    }

    fn put(&self, number: u64, record: Option<Vec<u8>>) {
        let before = self.records.lock().unwrap().insert(number, record);
        assert!(before.is_none(), "a number is for one");
    }
}

impl CommitLog for MemoryLog {
    fn journal(&self) -> &Journal {
        &self.journal
    }

    fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::AcqRel)
    }

    fn committed(&self, number: u64, changes: &[u8]) {
        self.put(number, Some(changes.to_vec()));
    }

    fn given_up(&self, number: u64) {
        self.put(number, None);
    }

    fn group(&self) -> Option<usize> {
        self.group
    }

    fn committed_in_part(&self, number: u64, changes: &[u8], of: SharedCommit) {
        self.put(number, Some(changes.to_vec()));
        self.shared.lock().unwrap().insert(number, of);
    }
}

/// An attempt that is journaled and has ended well.
pub(crate) fn finished<'env>(
    mode: Mode,
    log: &'env MemoryLog,
    closure: impl for<'t> FnOnce(&mut ScopedTx<'t, 'env>) -> Result<(), Rollback>,
) -> FinishedHere<'env> {
    let run = attempt_here(mode, |tx| {
        tx.log_to(log);
        Ok::<_, Abort<()>>(closure(tx)?)
    });
    let Attempted::Finished(finished, ()) = run else { panic!("nobody is in the way") };
    finished
}

/// What such an attempt has told when it has committed.
pub(crate) fn record<'env>(
    mode: Mode,
    log: &'env MemoryLog,
    closure: impl for<'t> FnOnce(&mut ScopedTx<'t, 'env>) -> Result<(), Rollback>,
) -> Vec<u8> {
    finished(mode, log, closure).commit().unwrap();
    log.only()
}
