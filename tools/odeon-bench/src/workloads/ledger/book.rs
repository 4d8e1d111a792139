//! A ledger as a plain array, and in transactional variables.

use super::entries::Entry;
use crate::workloads::shared_state::{Plain, Speculative};
use odeon_speculative::TxResult;
use odeon_stm::{TVar, Tx};
use std::hint::black_box;

/// A plain array.
pub(in crate::workloads) struct Book(Vec<u64>);

impl Book {
    pub(super) fn new(accounts: usize) -> Self {
        Self(vec![0; accounts])
    }
}

impl Plain<Entry, u64> for Book {
    #[inline]
    fn apply(&mut self, entry: Entry) {
        let account = &mut self.0[entry.account];
        *account = entry.compute(*account);
    }

    /// Computes as long as an entry does.
    fn look(&self, entry: Entry) {
        black_box(entry.compute(self.0[entry.account]));
    }

    fn outcome(&self) -> u64 {
        self.0.iter().sum()
    }
}

/// Transactional variables.
pub(in crate::workloads) struct Accounts(Vec<TVar<u64>>);

impl Accounts {
    pub(super) fn new(accounts: usize) -> Self {
        Self((0..accounts).map(|_| TVar::new(0)).collect())
    }
}

impl Speculative<Entry, u64> for Accounts {
    #[inline]
    fn apply<'t>(&'t self, entry: Entry, tx: &mut Tx<'t, '_>) -> TxResult {
        let account = &self.0[entry.account];
        let value = entry.compute(account.get(tx)?);
        if !entry.is_read {
            account.set(tx, value)?;
        }
        Ok(())
    }

    fn outcome<'t>(&'t self, tx: &mut Tx<'t, '_>) -> TxResult<u64> {
        let mut total = 0;
        for account in &self.0 {
            total += account.get(tx)?;
        }
        Ok(total)
    }
}
