//! The transfers of `bank`, drawn as Savina draws them, and what must be true after them.

use crate::params::Bank;
use crate::splitmix::SplitMix64;

/// Of each account before the first transfer; balances may become negative.
pub const INITIAL_BALANCE: i64 = 1_000_000;
/// Of one transfer.
const LARGEST_AMOUNT: u32 = 1_000;

#[derive(Debug, PartialEq)]
pub struct Transfer {
    pub source: usize,
    /// Always above the source, so that accounts never wait for each other in a circle.
    pub destination: usize,
    pub amount: i64,
}

/// Draws one transfer after the other.
pub struct Transfers {
    numbers: SplitMix64,
    accounts: u32,
    left: usize,
}

impl Transfers {
    pub fn new(params: &Bank) -> Self {
        let accounts = u32::try_from(params.accounts).expect("checked with the parameters");
        let numbers = SplitMix64::new(params.seed as u64);
        Self { numbers, accounts, left: params.transfers }
    }
}

impl Iterator for Transfers {
    type Item = Transfer;

    fn next(&mut self) -> Option<Transfer> {
        self.left = self.left.checked_sub(1)?;
        let source = self.numbers.below(self.accounts * 8 / 10);
        let distance = self.numbers.below(self.accounts - source).max(1);
        let amount = i64::from(1 + self.numbers.below(LARGEST_AMOUNT));
        Some(Transfer {
            source: source as usize,
            destination: (source + distance) as usize,
            amount,
        })
    }
}

/// Money moves and stays the same altogether.
pub fn check_conserved(balances: &[i64]) -> Result<(), String> {
    let (sum, expected) = (balances.iter().sum::<i64>(), balances.len() as i64 * INITIAL_BALANCE);
    if sum == expected {
        Ok(())
    } else {
        Err(format!("the balances add up to {sum}, not {expected}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_destination_is_an_account_above_the_source() {
        for accounts in [2, 3, 4, 5, 9, 10, 1000] {
            let params = Bank { accounts, transfers: 5000, ..Bank::default() };
            let transfers = Vec::from_iter(Transfers::new(&params));
            assert_eq!(transfers.len(), 5000);
            for transfer in &transfers {
                assert!(transfer.source < transfer.destination, "{transfer:?}");
                assert!(transfer.destination < accounts, "{transfer:?}");
                assert!((1..=1000).contains(&transfer.amount), "{transfer:?}");
            }
        }
    }

    #[test]
    fn lost_money_is_noticed() {
        assert_eq!(check_conserved(&[INITIAL_BALANCE - 5, INITIAL_BALANCE + 5]), Ok(()));
        let lost = check_conserved(&[INITIAL_BALANCE - 5, INITIAL_BALANCE]).unwrap_err();
        assert_eq!(lost, "the balances add up to 1999995, not 2000000");
    }
}
