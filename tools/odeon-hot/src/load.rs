//! What is done to the ledger.

use odeon_bench::error::BenchError;
use odeon_example_ledger::{Memo, Transfer};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Zipf};
use serde::{Deserialize, Serialize};

/// What each account has at the beginning: more than all transfers of a run can take from one. All
/// accounts together have less than half of what 64 bits can count.
pub(crate) const BALANCE: u64 = 1 << 38;

/// Transfers under way that leave no queue: so each is acknowledged as soon as the disk permits.
/// TUNE: guessed 2026-11: what a single epoch of the log takes at once, and in microseconds.
const FEW: usize = 64;

/// Clients of a load with few transfers under way.
const FEW_CLIENTS: usize = 4;

/// Of the transfers of a load, those of the same one with few under way.
/// TUNE: guessed 2026-11: a run takes about as long.
const FEW_OF: u64 = 20;

/// The largest amount of a transfer.
const LARGEST: u64 = 1000;

/// One combination of values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HotLoad {
    /// Accounts of the ledger.
    pub accounts: u32,
    /// Who begins transfers, beside each other.
    pub clients: usize,
    /// Transfers of each client that nobody has acknowledged.
    pub window: usize,
    /// Transfers of all clients together.
    pub transfers: u64,
    /// The exponent of Zipf's law, by which accounts are drawn; 0: all of them equally often.
    pub zipf: f64,
    /// Who sums up all accounts meanwhile, again and again.
    pub auditors: usize,
    /// Of all draws.
    pub seed: u64,
}

impl Default for HotLoad {
    /// What is shown unless something else is asked for: so many transfers are not acknowledged
    /// that each epoch of the log has thousands.
    fn default() -> Self {
        Self {
            accounts: 100_000,
            clients: 64,
            window: 128,
            transfers: 1_000_000,
            zipf: 0.0,
            auditors: 0,
            seed: 1,
        }
    }
}

impl HotLoad {
    /// Whether it can be run.
    ///
    /// # Errors
    /// With the option that is to blame.
    pub fn check(&self) -> Result<(), BenchError> {
        self.law().map(drop)
    }

    fn law(&self) -> Result<Zipf<f64>, BenchError> {
        Zipf::new(f64::from(self.accounts), self.zipf)
            .map_err(|error| BenchError::bad_argument("--zipf", error.to_string()))
    }

    /// Transfers of all clients that nobody has acknowledged.
    pub fn under_way(&self) -> usize {
        self.clients * self.window
    }

    /// Whether so few are under way that none waits for others: by Little's law the latency of
    /// many is their number over their throughput, whatever the disk does.
    pub fn is_few(&self) -> bool {
        self.under_way() <= FEW
    }

    /// The same with few under way, and fewer transfers; nobody audits meanwhile.
    #[must_use]
    pub fn with_few_under_way(self, window: usize) -> Self {
        let transfers = (self.transfers / FEW_OF).max(1);
        Self { clients: FEW_CLIENTS, window, transfers, auditors: 0, ..self }
    }

    /// For people.
    pub fn name(&self) -> String {
        let mut name = format!("Zipf {}", self.zipf);
        if self.is_few() {
            name += &format!(", {} under way", self.under_way());
        }
        if self.auditors > 0 {
            name += &format!(", {} auditors", self.auditors);
        }
        name
    }

    /// What each client wants; the same each time.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn of_clients(&self) -> Result<Vec<Vec<Transfer>>, BenchError> {
        let law = self.law()?;
        let mut random = StdRng::seed_from_u64(self.seed);
        // The accounts by how often they are drawn: those drawn most often are not neighbours.
        let mut accounts: Vec<u32> = (0..self.accounts).collect();
        accounts.shuffle(&mut random);
        let clients = self.clients as u64;
        let mut of_client = |client: u64| {
            let mut account = || {
                let rank = law.sample(&mut random) as usize;
                accounts[rank.clamp(1, accounts.len()) - 1]
            };
            let wanted = self.transfers / clients + u64::from(client < self.transfers % clients);
            let ends: Vec<(u32, u32)> = (0..wanted).map(|_| (account(), account())).collect();
            let numbered = (1..).zip(ends);
            numbered
                .map(|(number, (from, to))| {
                    let memo = Memo { client, number, text: random.random() };
                    Transfer { from, to, amount: random.random_range(1..=LARGEST), memo }
                })
                .collect()
        };
        Ok((0..clients).map(&mut of_client).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn drawn(zipf: f64) -> HashMap<u32, usize> {
        let load =
            HotLoad { accounts: 1000, clients: 3, transfers: 10_000, zipf, ..HotLoad::default() };
        let of_clients = load.of_clients().expect("it can be drawn");
        assert_eq!(of_clients.iter().map(Vec::len).collect::<Vec<_>>(), [3334, 3333, 3333]);
        assert_eq!(load.of_clients().expect("as before"), of_clients);
        let mut drawn = HashMap::new();
        of_clients.iter().flatten().for_each(|wanted| {
            assert!(wanted.from < 1000 && (1..=LARGEST).contains(&wanted.amount));
            *drawn.entry(wanted.from).or_default() += 1;
        });
        drawn
    }

    #[test]
    fn few_under_way_are_named_so() {
        let many = HotLoad { auditors: 2, ..HotLoad::default() };
        let few = many.with_few_under_way(4);
        assert!(few.is_few() && !many.is_few());
        assert_eq!((few.under_way(), few.transfers), (16, 50_000));
        assert_eq!([few.name(), many.name()], ["Zipf 0, 16 under way", "Zipf 0, 2 auditors"]);
    }

    #[test]
    fn accounts_are_drawn_by_zipfs_law() {
        let most = |drawn: &HashMap<u32, usize>| *drawn.values().max().expect("some are");
        let equally = drawn(0.0);
        assert!(equally.len() > 950 && most(&equally) < 40, "{}", most(&equally));
        let skewed = drawn(1.5);
        // The first of a thousand is drawn with a probability of about 1 / 2.55.
        assert!((3600..4300).contains(&most(&skewed)), "{}", most(&skewed));
        let load = HotLoad { zipf: -1.0, ..HotLoad::default() };
        assert!(load.check().expect_err("no law").to_string().starts_with("--zipf: "));
    }
}
