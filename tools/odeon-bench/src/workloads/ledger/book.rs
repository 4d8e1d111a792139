//! A ledger as a plain array.

use super::entries::Entry;

/// See the module.
pub(super) struct Book(Vec<u64>);

impl Book {
    pub(super) fn new(accounts: usize) -> Self {
        Self(vec![0; accounts])
    }

    /// Enters, or only looks.
    pub(super) fn apply(&mut self, entry: Entry) {
        let account = &mut self.0[entry.account];
        *account = entry.compute(*account);
    }

    /// Answers a question, by computing as long as an entry does.
    pub(super) fn look(&self, entry: Entry) -> u64 {
        entry.compute(self.0[entry.account])
    }

    pub(super) fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}
