//! The transfers that a seed stands for, and what must be true after them.

use crate::error::BenchError;
use crate::parameter::Params;
use odeon_example_run::SplitMix64;

/// Of one transfer.
const LARGEST_AMOUNT: u64 = 1000;

/// The parameters of a run, read once.
#[derive(Debug, Clone, Copy)]
pub(super) struct TransferPlan {
    pub(super) actors: usize,
    pub(super) accounts: usize,
    pub(super) clients: usize,
    pub(super) window: usize,
    pub(super) transfers: u64,
    hot_percent: u64,
    seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct AccountPlace {
    pub(super) actor: usize,
    pub(super) account: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Transfer {
    pub(super) from: AccountPlace,
    /// Of another actor.
    pub(super) to: AccountPlace,
    pub(super) amount: i64,
}

impl TransferPlan {
    pub(super) fn new(params: &Params) -> Self {
        Self {
            actors: params.count("actors"),
            accounts: params.count("accounts"),
            clients: params.count("clients"),
            window: params.count("window"),
            transfers: params.number("transfers"),
            hot_percent: params.number("hot"),
            seed: params.number("seed"),
        }
    }

    /// Of one client; the same each time.
    pub(super) fn transfers_of(&self, client: usize) -> Transfers {
        let (clients, client) = (self.clients as u64, client as u64);
        let seed = self.seed.wrapping_mul(1_000_003).wrapping_add(client + 1);
        let left = self.transfers / clients + u64::from(client < self.transfers % clients);
        Transfers { plan: *self, random: SplitMix64::new(seed), left }
    }
}

/// Draws one transfer after the other.
pub(super) struct Transfers {
    plan: TransferPlan,
    random: SplitMix64,
    left: u64,
}

impl Transfers {
    /// How many are still to be drawn.
    pub(super) fn left(&self) -> usize {
        self.left as usize
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.random.next() % limit as u64) as usize
    }
}

impl Iterator for Transfers {
    type Item = Transfer;

    fn next(&mut self) -> Option<Transfer> {
        self.left = self.left.checked_sub(1)?;
        let TransferPlan { actors, accounts, hot_percent, .. } = self.plan;
        let from = self.below(actors);
        let to = (from + 1 + self.below(actors - 1)) % actors;
        let is_hot = self.random.next() % 100 < hot_percent;
        let mut account = || if is_hot { 0 } else { self.below(accounts) };
        let from = AccountPlace { actor: from, account: account() };
        let to = AccountPlace { actor: to, account: account() };
        let amount = 1 + self.random.next() % LARGEST_AMOUNT;
        Some(Transfer { from, to, amount: amount as i64 })
    }
}

/// Money moves between the actors and stays the same altogether.
pub(super) fn check_conserved(gains: &[i64]) -> Result<(), BenchError> {
    match gains.iter().sum() {
        0 => Ok(()),
        sum => Err(BenchError::WrongResult(format!("all actors together have gained {sum}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> TransferPlan {
        TransferPlan {
            actors: 3,
            accounts: 50,
            clients: 4,
            window: 1,
            transfers: 10_001,
            hot_percent: 50,
            seed: 7,
        }
    }

    #[test]
    fn clients_share_all_transfers_and_half_of_them_are_hot() {
        let all: Vec<Transfer> = (0..4).flat_map(|client| plan().transfers_of(client)).collect();
        assert_eq!(all.len(), 10_001);
        assert_eq!(plan().transfers_of(0).left(), 2501);
        for Transfer { from, to, amount } in &all {
            assert!(from.actor != to.actor && from.actor < 3 && to.actor < 3);
            assert!(from.account < 50 && to.account < 50 && (1..=1000).contains(amount));
        }
        let hot = all.iter().filter(|one| one.from.account == 0 && one.to.account == 0).count();
        assert!((4800..5200).contains(&hot), "{hot}");
    }

    #[test]
    fn lost_money_is_noticed() {
        check_conserved(&[-5, 5]).expect("nothing is lost");
        let lost = check_conserved(&[-5, 4]).unwrap_err();
        assert!(lost.to_string().contains("have gained -1"), "{lost}");
    }
}
