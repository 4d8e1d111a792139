//! The accounts as a plain array, and as a vector of transactional variables.

use super::{AccountOrder, AccountsFound, INITIAL_BALANCE, OrderKind};
use crate::{Plain, Speculative};
use odeon_speculative::TxResult;
use odeon_stm::{TVec, Tx, atomically};
use std::sync::atomic::{AtomicU64, Ordering};

/// Audits that found a wrong total.
#[derive(Default)]
struct Wrong(AtomicU64);

impl Wrong {
    fn audited(&self, gained: i64) {
        if gained != 0 {
            // ORDERING: Relaxed: a count, read when all senders have been answered.
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn found(&self, gained: i64) -> AccountsFound {
        // ORDERING: Relaxed, as above.
        AccountsFound { gained, wrong_audits: self.0.load(Ordering::Relaxed) }
    }
}

/// A plain array.
pub struct Balances {
    balances: Vec<i64>,
    wrong: Wrong,
}

impl Balances {
    pub(super) fn new(accounts: usize) -> Self {
        Self { balances: vec![INITIAL_BALANCE; accounts], wrong: Wrong::default() }
    }

    fn gained(&self) -> i64 {
        self.balances.iter().map(|balance| balance - INITIAL_BALANCE).sum()
    }
}

impl Plain<AccountOrder, AccountsFound> for Balances {
    #[inline]
    fn apply(&mut self, order: AccountOrder) {
        match order.what {
            OrderKind::Transfer { source, destination, amount } => {
                order.work.compute(self.balances[source] as u64);
                self.balances[source] -= amount;
                self.balances[destination] += amount;
            }
            OrderKind::Add(account, amount) => {
                order.work.compute(self.balances[account] as u64);
                self.balances[account] += amount;
            }
            OrderKind::Audit => self.look(order),
        }
    }

    fn look(&self, order: AccountOrder) {
        order.work.compute(0);
        self.wrong.audited(self.gained());
    }

    fn outcome(&self) -> AccountsFound {
        self.wrong.found(self.gained())
    }
}

/// A vector of transactional variables.
pub struct Variables {
    balances: TVec<i64>,
    wrong: Wrong,
}

impl Variables {
    pub(super) fn new(accounts: usize) -> Self {
        let balances = TVec::new();
        for _ in 0..accounts {
            atomically(|tx| balances.push(tx, INITIAL_BALANCE));
        }
        Self { balances, wrong: Wrong::default() }
    }

    fn add<'t>(&'t self, tx: &mut Tx<'t>, account: usize, amount: i64) -> TxResult {
        self.balances.update(tx, account, |balance| balance + amount)?;
        Ok(())
    }

    fn gained<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<i64> {
        Ok(self.balances.fold(tx, 0, |gained, balance| gained + balance - INITIAL_BALANCE)?)
    }

    /// The work between a first look at an account and the change.
    fn compute<'t>(&'t self, tx: &mut Tx<'t>, order: AccountOrder, account: usize) -> TxResult {
        let balance = self.balances.get(tx, account)?.copied().unwrap_or_default();
        order.work.compute(balance as u64);
        Ok(())
    }
}

impl Speculative<AccountOrder, AccountsFound> for Variables {
    #[inline]
    fn apply<'t>(&'t self, order: AccountOrder, tx: &mut Tx<'t>) -> TxResult {
        match order.what {
            OrderKind::Transfer { source, destination, amount } => {
                self.compute(tx, order, source)?;
                self.add(tx, source, -amount)?;
                self.add(tx, destination, amount)
            }
            OrderKind::Add(account, amount) => {
                self.compute(tx, order, account)?;
                self.add(tx, account, amount)
            }
            OrderKind::Audit => {
                order.work.compute(0);
                // A snapshot runs once, so this is counted once.
                self.wrong.audited(self.gained(tx)?);
                Ok(())
            }
        }
    }

    fn outcome<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<AccountsFound> {
        Ok(self.wrong.found(self.gained(tx)?))
    }
}
