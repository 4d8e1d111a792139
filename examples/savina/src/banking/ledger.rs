//! What the teller knows: the transfers to be ordered, how many are not done, and what every
//! account must end with.

use super::BankingSetup;
use crate::bank_transfers::{INITIAL_BALANCE, Transfer, Transfers};
use odeon_example_run::Finish;

/// TUNE: transfers, found 2026-11: the teller orders so many within one message, and the rest
/// behind what has come for it meanwhile, without waiting for anything. With all within one message
/// the backlog of the accounts leaves the caches, and 10 to 60 take half the time.
const PORTION: usize = 16;

pub(super) struct Ledger {
    transfers: Transfers,
    missing: u64,
    expected: Vec<i64>,
}

impl Ledger {
    /// Amounts may be added in any order, so one loop tells the balances.
    pub(super) fn new(setup: &BankingSetup) -> Self {
        let mut expected = vec![INITIAL_BALANCE; setup.accounts];
        for transfer in setup.drawn() {
            expected[transfer.source] -= transfer.amount;
            expected[transfer.destination] += transfer.amount;
        }
        let transfers = setup.drawn();
        Self { missing: transfers.left(), transfers, expected }
    }

    pub(super) fn accounts(&self) -> usize {
        self.expected.len()
    }

    /// The transfers to order next.
    pub(super) fn portion(&mut self) -> impl Iterator<Item = Transfer> + '_ {
        self.transfers.by_ref().take(PORTION)
    }

    /// Whether there are transfers left to order.
    pub(super) fn has_more(&self) -> bool {
        self.transfers.left() > 0
    }

    /// Whether all are done.
    #[inline]
    pub(super) fn one_is_done(&mut self) -> bool {
        self.missing -= 1;
        self.missing == 0
    }

    pub(super) fn check(&self, account: usize, balance: i64, finish: &Finish) {
        let expected = self.expected[account];
        finish.arrive_if(balance == expected, || {
            format!("account {account} ends with {balance}; expected {expected}")
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_example_run::finish_line;

    #[test]
    fn lost_money_is_noticed_and_every_transfer_is_ordered_once() {
        let mut ledger = Ledger::new(&BankingSetup { accounts: 1000, transfers: 5000, seed: 1 });
        assert_eq!(ledger.expected.iter().sum::<i64>(), 1000 * INITIAL_BALANCE);
        let mut ordered = ledger.portion().count();
        while ledger.has_more() {
            ordered += ledger.portion().count();
        }
        assert_eq!(ordered, 5000);
        assert_eq!((0..5000).filter(|_| ledger.one_is_done()).count(), 1);

        let (finish, waiting) = finish_line(1);
        ledger.check(7, ledger.expected[7] - 1, &finish);
        let noticed = waiting.wait().unwrap_err().to_string();
        assert!(noticed.contains("account 7 ends with"), "{noticed}");
    }
}
