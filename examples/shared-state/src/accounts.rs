//! Transfers between accounts: who transfers what, and what must be true at the end.

mod balances;

use crate::{Deed, SharedState, Work};
use odeon_example_run::{RunError, SplitMix64};

pub use balances::{Balances, Variables};

/// Of each account at first. Balances may become negative: no transfer is refused.
pub(super) const INITIAL_BALANCE: i64 = 1_000_000;
/// Of one transfer.
const LARGEST_AMOUNT: u64 = 1000;

/// What is asked of the accounts.
#[derive(Debug, Clone, Copy)]
pub struct AccountOrder {
    pub(super) what: OrderKind,
    pub(super) work: Work,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum OrderKind {
    Transfer {
        source: usize,
        destination: usize,
        amount: i64,
    },
    /// One side of a transfer between two shards.
    Add(usize, i64),
    /// Whether all balances add up to what they must.
    Audit,
}

impl Deed for AccountOrder {
    #[inline]
    fn is_read(&self) -> bool {
        self.what == OrderKind::Audit
    }
}

/// What is there at the end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AccountsFound {
    /// By how much the balances differ altogether from what they were at first.
    pub(super) gained: i64,
    /// Audits that found another total.
    pub(super) wrong_audits: u64,
}

/// Who transfers, and between which accounts.
#[derive(Debug, Clone, Copy)]
pub struct AccountsPlan {
    /// How many send.
    pub senders: usize,
    /// Accounts.
    pub accounts: u64,
    /// Transfers within the hot accounts, in per cent.
    pub hot: u64,
    /// The hot accounts.
    pub hot_accounts: u64,
    /// Looks at all balances, in per cent.
    pub audits: u64,
    /// Messages of each sender.
    pub transfers: u64,
    /// Of each message.
    pub work: Work,
    /// Of all random draws.
    pub seed: u64,
}

/// The orders of one sender.
#[derive(Clone)]
pub struct Orders {
    random: SplitMix64,
    left: u64,
    accounts: u64,
    hot: u64,
    hot_accounts: u64,
    audits: u64,
    work: Work,
}

impl Iterator for Orders {
    type Item = AccountOrder;

    #[inline]
    fn next(&mut self) -> Option<AccountOrder> {
        self.left = self.left.checked_sub(1)?;
        let what =
            if self.random.next() % 100 < self.audits { OrderKind::Audit } else { self.draw() };
        Some(AccountOrder { what, work: self.work })
    }
}

impl Orders {
    fn draw(&mut self) -> OrderKind {
        let is_hot = self.random.next() % 100 < self.hot;
        let among = if is_hot { self.hot_accounts } else { self.accounts };
        let source = self.random.next() % among;
        let destination = (source + 1 + self.random.next() % (among - 1)) % among;
        let amount = 1 + self.random.next() % LARGEST_AMOUNT;
        OrderKind::Transfer {
            source: source as usize,
            destination: destination as usize,
            amount: amount as i64,
        }
    }
}

impl SharedState for AccountsPlan {
    type Deed = AccountOrder;
    type Deeds = Orders;
    type Plain = Balances;
    type Speculative = Variables;
    type Outcome = AccountsFound;

    fn senders(&self) -> usize {
        self.senders
    }

    fn deeds_of(&self, sender: usize) -> Orders {
        Orders {
            random: SplitMix64::of_member(self.seed, sender),
            left: self.transfers,
            accounts: self.accounts,
            hot: self.hot,
            hot_accounts: self.hot_accounts,
            audits: self.audits,
            work: self.work,
        }
    }

    fn deeds(&self) -> u64 {
        self.transfers * self.senders as u64
    }

    /// A transfer between two shards is two messages, and others see the money on its way.
    #[inline]
    fn parts(order: AccountOrder, shards: usize, mut send: impl FnMut(usize, AccountOrder)) {
        match order.what {
            OrderKind::Transfer { source, destination, amount }
                if source % shards != destination % shards =>
            {
                send(
                    source % shards,
                    AccountOrder { what: OrderKind::Add(source, -amount), ..order },
                );
                let no_work = Work::of_ns(0);
                let credit =
                    AccountOrder { what: OrderKind::Add(destination, amount), work: no_work };
                send(destination % shards, credit);
            }
            OrderKind::Transfer { source, .. } => send(source % shards, order),
            OrderKind::Add(account, _) => send(account % shards, order),
            OrderKind::Audit => send(0, order),
        }
    }

    fn plain(&self) -> Balances {
        Balances::new(self.accounts as usize)
    }

    fn speculative(&self) -> Variables {
        Variables::new(self.accounts as usize)
    }

    fn check(&self, found: Vec<AccountsFound>, _runs: &[u64]) -> Result<(), RunError> {
        let gained: i64 = found.iter().map(|found| found.gained).sum();
        let wrong_audits: u64 = found.iter().map(|found| found.wrong_audits).sum();
        if gained == 0 && wrong_audits == 0 {
            return Ok(());
        }
        let found = format!(
            "{gained} were gained in transfers, and {wrong_audits} audits found a wrong total"
        );
        Err(RunError::WrongResult(found))
    }
}

#[cfg(test)]
mod tests;
