//! A ledger as a plain array, and in transactional variables.

use super::LedgerEntry;
use crate::{Plain, Speculative};
use odeon_speculative::TxResult;
use odeon_stm::{Labelled, TVar, Tx};
use std::hint::black_box;

/// A plain array.
pub struct LedgerBook(Vec<u64>);

impl LedgerBook {
    pub(super) fn new(accounts: usize) -> Self {
        Self(vec![0; accounts])
    }
}

impl Plain<LedgerEntry, u64> for LedgerBook {
    #[inline]
    fn apply(&mut self, entry: LedgerEntry) {
        let account = &mut self.0[entry.account];
        *account = entry.compute(*account);
    }

    /// Computes as long as an entry does.
    fn look(&self, entry: LedgerEntry) {
        black_box(entry.compute(self.0[entry.account]));
    }

    fn outcome(&self) -> u64 {
        self.0.iter().sum()
    }
}

/// Transactional variables.
pub enum Accounts {
    /// Without names.
    Bare(Vec<TVar<u64>>),
    /// With a name, which costs more.
    Named(Vec<Labelled<TVar<u64>>>),
}

impl Accounts {
    pub(super) fn new(accounts: usize, is_named: bool) -> Self {
        if is_named {
            let new = |account| Labelled::new(label(account), TVar::new(0));
            Self::Named((0..accounts).map(new).collect())
        } else {
            Self::Bare((0..accounts).map(|_| TVar::new(0)).collect())
        }
    }

    #[inline]
    fn variable(&self, account: usize) -> &TVar<u64> {
        match self {
            Self::Bare(accounts) => &accounts[account],
            Self::Named(accounts) => &accounts[account],
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::Bare(accounts) => accounts.len(),
            Self::Named(accounts) => accounts.len(),
        }
    }
}

/// What an account is called in a trace.
fn label(account: usize) -> &'static str {
    if account == 0 { "hot account" } else { "account of a sender" }
}

impl Speculative<LedgerEntry, u64> for Accounts {
    #[inline]
    fn apply<'t>(&'t self, entry: LedgerEntry, tx: &mut Tx<'t>) -> TxResult {
        let account = self.variable(entry.account);
        let value = entry.compute(account.get(tx)?);
        if !entry.is_read {
            account.set(tx, value)?;
        }
        Ok(())
    }

    fn outcome<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<u64> {
        let mut total = 0;
        for account in 0..self.count() {
            total += self.variable(account).get(tx)?;
        }
        Ok(total)
    }
}
