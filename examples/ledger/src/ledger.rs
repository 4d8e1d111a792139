//! The ledger: one actor, which handles transfers between different accounts at once.

use crate::transfer::{Memo, Transfer, Verdict};
use odeon::prelude::*;
use serde::{Deserialize, Serialize};

/// See the module.
#[derive(Durable)]
pub struct TransferLedger {
    #[durable(1)]
    accounts: Vec<LedgerAccount>,
    #[durable(2)]
    transfers: TCounter,
}

#[derive(Durable)]
struct LedgerAccount {
    #[durable(1)]
    balance: TVar<u64>,
    /// Of the last transfer that this account has given for.
    #[durable(2)]
    memo: TVar<Memo>,
}

/// What a ledger is asked.
pub enum ToLedger {
    /// Make this transfer.
    Transfer(Transfer, Reply<Verdict>),
    /// What has this account?
    Look(u32, Reply<Option<AccountState>>),
    /// What have all accounts together, at one moment?
    Audit(Reply<Books>),
}

impl Message for ToLedger {
    fn access(&self) -> Access {
        match self {
            Self::Transfer(..) => Access::Update,
            Self::Look(..) | Self::Audit(_) => Access::Snapshot,
        }
    }
}

/// What an account has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AccountState {
    /// Never less than nothing.
    pub balance: u64,
    /// Of the last transfer that it has given for.
    pub memo: Memo,
}

/// What all accounts have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Books {
    /// All balances together: transfers leave it as it is.
    pub sum: u64,
    /// How many transfers were made.
    pub transfers: u64,
}

impl TransferLedger {
    /// So many accounts with that balance each.
    pub fn new(accounts: u32, balance: u64) -> Self {
        let account =
            |_| LedgerAccount { balance: TVar::new(balance), memo: TVar::new(Memo::default()) };
        Self { accounts: (0..accounts).map(account).collect(), transfers: TCounter::new(0) }
    }

    fn account(&self, number: u32) -> Option<&LedgerAccount> {
        self.accounts.get(number as usize)
    }

    fn transfer<'t>(&'t self, transfer: &Transfer, tx: &mut Tx<'t>) -> TxResult<Verdict> {
        let Transfer { from, to, amount, memo } = *transfer;
        let (Some(from), Some(to)) = (self.account(from), self.account(to)) else {
            return Ok(Verdict::NoAccount);
        };
        let Some(rest) = from.balance.get(tx)?.checked_sub(amount) else {
            return Ok(Verdict::NotCovered);
        };
        from.balance.set(tx, rest)?;
        from.memo.set(tx, memo)?;
        // No overflow: all balances together are what they were at the beginning.
        to.balance.update(tx, |balance| balance + amount)?;
        self.transfers.add(tx, 1)?;
        Ok(Verdict::Done)
    }

    fn audit<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<Books> {
        let mut sum = 0;
        for account in &self.accounts {
            sum += account.balance.get(tx)?;
        }
        Ok(Books { sum, transfers: self.transfers.get(tx)? as u64 })
    }
}

impl SpeculativeActor for TransferLedger {
    type Msg = ToLedger;

    fn handle<'t>(
        &'t self,
        message: &'t ToLedger,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToLedger::Transfer(transfer, done) => ctx.reply(done, self.transfer(transfer, tx)?),
            ToLedger::Look(account, found) => {
                let state = match self.account(*account) {
                    Some(account) => Some(AccountState {
                        balance: account.balance.get(tx)?,
                        memo: *account.memo.read(tx)?,
                    }),
                    None => None,
                };
                ctx.reply(found, state);
            }
            ToLedger::Audit(found) => ctx.reply(found, self.audit(tx)?),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_covered_or_has_no_account_changes_nothing() {
        let theater = Theater::new().expect("it starts");
        let ledger = theater.spawn_speculative(TransferLedger::new(3, 10), Processing::default());
        let transfer = |from, to, amount| {
            let transfer = Transfer { from, to, amount, memo: Memo::default() };
            ledger.ask(|done| ToLedger::Transfer(transfer, done)).wait().expect("it answers")
        };
        let looked = [(0, 1, 11), (0, 3, 1), (3, 0, 1), (0, 1, 10), (2, 2, 4)];
        let told = looked.map(|(from, to, amount)| transfer(from, to, amount));
        use Verdict::{Done, NoAccount, NotCovered};
        assert_eq!(told, [NotCovered, NoAccount, NoAccount, Done, Done]);
        let of = |account| ledger.ask(|found| ToLedger::Look(account, found)).wait();
        let balances = [0, 1, 2, 3].map(|account| of(account).expect("it answers"));
        let balances = balances.map(|found| found.map(|state| state.balance));
        assert_eq!(balances, [Some(0), Some(20), Some(10), None]);
        let books = ledger.ask(ToLedger::Audit).wait().expect("it answers");
        assert_eq!(books, Books { sum: 30, transfers: 2 });
    }
}
