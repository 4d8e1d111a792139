//! Entries into one ledger: what is entered is the same for every kind of ledger.

mod book;

use crate::{Deed, SharedState, Work};
use odeon_example_run::{RunError, SplitMix64};

pub use book::{Accounts, LedgerBook};

/// The accounts that one sender enters into when it meets nobody.
const ACCOUNTS_OF_SENDER: u64 = 64;

/// One entry, or a question.
#[derive(Debug, Clone, Copy)]
pub struct LedgerEntry {
    /// 0 is the hot one.
    pub(super) account: usize,
    pub(super) is_read: bool,
    work: Work,
}

impl LedgerEntry {
    /// What a handler computes: the work, and the account's new value.
    #[inline]
    pub(super) fn compute(self, value: u64) -> u64 {
        self.work.compute(value);
        value + u64::from(!self.is_read)
    }
}

impl Deed for LedgerEntry {
    #[inline]
    fn is_read(&self) -> bool {
        self.is_read
    }
}

/// Who enters what.
#[derive(Debug, Clone)]
pub struct LedgerPlan {
    /// How many enter.
    pub senders: usize,
    /// Of each sender.
    pub entries: u64,
    /// Entries into the hot account, in per cent.
    pub conflict: u64,
    /// Questions, in per cent.
    pub reads: u64,
    /// Of each entry.
    pub work: Work,
    /// Of all random draws.
    pub seed: u64,
    /// Whether accounts have names, which a trace shows.
    pub is_named: bool,
}

impl LedgerPlan {
    fn accounts(&self) -> usize {
        1 + self.senders * ACCOUNTS_OF_SENDER as usize
    }
}

/// The entries of one sender.
#[derive(Clone)]
pub struct SenderEntries {
    random: SplitMix64,
    first: u64,
    left: u64,
    conflict: u64,
    reads: u64,
    work: Work,
}

impl Iterator for SenderEntries {
    type Item = LedgerEntry;

    #[inline]
    fn next(&mut self) -> Option<LedgerEntry> {
        self.left = self.left.checked_sub(1)?;
        let is_hot = self.random.next() % 100 < self.conflict;
        let own = self.first + self.random.next() % ACCOUNTS_OF_SENDER;
        let is_read = self.random.next() % 100 < self.reads;
        Some(LedgerEntry {
            account: if is_hot { 0 } else { own as usize },
            is_read,
            work: self.work,
        })
    }
}

impl SharedState for LedgerPlan {
    type Deed = LedgerEntry;
    type Deeds = SenderEntries;
    type Plain = LedgerBook;
    type Speculative = Accounts;
    type Outcome = u64;

    fn senders(&self) -> usize {
        self.senders
    }

    fn deeds_of(&self, sender: usize) -> SenderEntries {
        SenderEntries {
            random: SplitMix64::of_member(self.seed, sender),
            first: 1 + sender as u64 * ACCOUNTS_OF_SENDER,
            left: self.entries,
            conflict: self.conflict,
            reads: self.reads,
            work: self.work,
        }
    }

    fn deeds(&self) -> u64 {
        self.entries * self.senders as u64
    }

    #[inline]
    fn parts(entry: LedgerEntry, shards: usize, mut send: impl FnMut(usize, LedgerEntry)) {
        send(entry.account % shards, entry);
    }

    fn plain(&self) -> LedgerBook {
        LedgerBook::new(self.accounts())
    }

    fn speculative(&self) -> Accounts {
        Accounts::new(self.accounts(), self.is_named)
    }

    fn check(&self, totals: Vec<u64>, runs: &[u64]) -> Result<(), RunError> {
        let entered = |sender| self.deeds_of(sender).filter(|entry| !entry.is_read).count() as u64;
        let right: u64 = runs.iter().enumerate().map(|(sender, runs)| runs * entered(sender)).sum();
        let total: u64 = totals.into_iter().sum();
        if total == right {
            return Ok(());
        }
        Err(RunError::WrongResult(format!("the ledger holds {total} of {right} entries")))
    }
}
