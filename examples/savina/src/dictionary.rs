//! `dictionary`: Savina's concurrent dictionary. Clients look up keys of one dictionary, and change
//! some; each waits for its answer.

mod actor_only;
mod floor;
mod read_write;
mod script;

use crate::clients::{SetUp, policy};
use odeon_example_run::{RunError, Timed, finish_line, theater_with};
use script::DictionaryScript;

/// What is run.
#[derive(Debug, Clone, Copy)]
pub struct DictionarySetup {
    /// Actors that ask.
    pub clients: usize,
    /// Requests of each client.
    pub requests: u64,
    /// Per cent of requests that write.
    pub writes: u64,
    /// Of all random draws.
    pub seed: u64,
}

/// The ways to run it.
pub const VERSIONS: &[&str] = &["arrival-order", "readers-first", "writers-first", "actor"];

/// Runs a version on a theater with so many workers, and checks what comes out.
///
/// # Errors
/// If it is not what it should be.
pub fn run(version: &str, workers: usize, setup: &DictionarySetup) -> Result<Timed, RunError> {
    let theater = theater_with(workers)?;
    let (finish, waiting) = finish_line(setup.clients);
    let scripts = DictionaryScript::all(setup);
    let SetUp { begin, outcome } = match policy(version) {
        Some(policy) => read_write::set_up(&theater, policy, scripts, &finish),
        None => actor_only::set_up(&theater, scripts, &finish),
    };
    let timed = waiting.time(setup.all_requests(), begin)?;
    script::check_writes(setup, outcome())?;
    Ok(timed)
}

/// A `HashMap` and a loop over the requests.
///
/// # Errors
/// If it is not what it should be.
pub fn floor(setup: &DictionarySetup) -> Result<Timed, RunError> {
    floor::run(setup)
}

impl DictionarySetup {
    /// Of all clients.
    fn all_requests(&self) -> u64 {
        self.clients as u64 * self.requests
    }
}
