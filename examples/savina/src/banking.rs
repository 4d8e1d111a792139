//! `banking`: Savina's bank transaction. A teller orders transfers between accounts; the source of
//! one takes part in nothing else until its destination has confirmed.

mod actor_only;
mod floor;
mod ledger;
mod selector;

use crate::bank_transfers::Transfers;
use ledger::Ledger;
use odeon_example_run::{RunError, Timed, finish_line, theater_with};

/// What is run.
#[derive(Debug, Clone, Copy)]
pub struct BankingSetup {
    /// Accounts.
    pub accounts: usize,
    /// Transfers.
    pub transfers: u64,
    /// Of all random draws.
    pub seed: u64,
}

impl BankingSetup {
    /// The transfers, drawn one after the other.
    fn drawn(&self) -> Transfers {
        Transfers::new(self.accounts as u64, self.transfers, self.seed)
    }
}

/// The ways to run it.
pub const VERSIONS: &[&str] = &["selector", "actor"];

/// Runs a version on a theater with so many workers, and checks what comes out.
///
/// # Errors
/// If it is not what it should be.
pub fn run(version: &str, workers: usize, setup: &BankingSetup) -> Result<Timed, RunError> {
    let theater = theater_with(workers)?;
    let (finish, waiting) = finish_line(setup.accounts);
    let ledger = Ledger::new(setup);
    let begin: Box<dyn FnOnce()> = match version {
        "selector" => Box::new(selector::set_up(&theater, ledger, finish)),
        _ => Box::new(actor_only::set_up(&theater, ledger, finish)),
    };
    waiting.time(setup.transfers, begin)
}

/// An array of balances and a loop over the transfers.
///
/// # Errors
/// If it is not what it should be.
pub fn floor(setup: &BankingSetup) -> Result<Timed, RunError> {
    floor::run(setup)
}
