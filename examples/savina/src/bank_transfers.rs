//! The transfers that a seed stands for, drawn as Savina draws them, and what must be true after
//! them.

use odeon_example_run::RunError;
use odeon_example_run::SplitMix64;

/// Of each account before the first transfer. Balances may become negative: no transfer is refused.
pub const INITIAL_BALANCE: i64 = 1_000_000;
/// Of one transfer.
const LARGEST_AMOUNT: u64 = 1000;

/// From one account to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transfer {
    /// Who pays.
    pub source: usize,
    /// Always above the source, so that accounts never wait for each other in a circle.
    pub destination: usize,
    /// How much.
    pub amount: i64,
}

/// Draws one transfer after the other.
pub struct Transfers {
    random: SplitMix64,
    accounts: u64,
    left: u64,
}

impl Transfers {
    /// So many transfers between so many accounts; the same for the same seed.
    pub fn new(accounts: u64, transfers: u64, seed: u64) -> Self {
        Self { random: SplitMix64::new(seed), accounts, left: transfers }
    }

    /// How many are still to be drawn.
    pub fn left(&self) -> u64 {
        self.left
    }
}

impl Iterator for Transfers {
    type Item = Transfer;

    #[inline]
    fn next(&mut self) -> Option<Transfer> {
        self.left = self.left.checked_sub(1)?;
        let source = self.random.next() % (self.accounts * 8 / 10);
        let distance = (self.random.next() % (self.accounts - source)).max(1);
        let amount = 1 + self.random.next() % LARGEST_AMOUNT;
        Some(Transfer {
            source: source as usize,
            destination: (source + distance) as usize,
            amount: amount as i64,
        })
    }
}

/// Money moves and stays the same altogether.
///
/// # Errors
/// If it does not.
pub fn check_conserved(balances: &[i64]) -> Result<(), RunError> {
    let (sum, expected) = (balances.iter().sum::<i64>(), balances.len() as i64 * INITIAL_BALANCE);
    if sum == expected {
        return Ok(());
    }
    Err(RunError::WrongResult(format!("the balances add up to {sum}; expected {expected}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transfers(accounts: u64) -> Vec<Transfer> {
        let draws = Transfers { random: SplitMix64::new(7), accounts, left: 5000 };
        draws.collect()
    }

    #[test]
    fn the_destination_is_an_account_above_the_source() {
        for accounts in [2, 3, 4, 5, 9, 10, 1000] {
            let transfers = transfers(accounts);
            assert_eq!(transfers.len(), 5000);
            for transfer in &transfers {
                assert!(transfer.source < transfer.destination, "{transfer:?}");
                assert!((transfer.destination as u64) < accounts, "{transfer:?}");
                assert!((1..=1000).contains(&transfer.amount), "{transfer:?}");
            }
        }
        assert_eq!(transfers(10), transfers(10));
    }

    #[test]
    fn lost_money_is_noticed() {
        check_conserved(&[INITIAL_BALANCE - 5, INITIAL_BALANCE + 5]).expect("nothing is lost");
        let lost = check_conserved(&[INITIAL_BALANCE - 5, INITIAL_BALANCE]).unwrap_err();
        assert!(lost.to_string().contains("add up to 1999995; expected 2000000"), "{lost}");
    }
}
