//! `sortedlist`: Savina's concurrent sorted linked list. Clients look for numbers in one sorted
//! list, add some, and count it; each waits for its answer, and each request walks through the
//! list.

mod actor_only;
mod cells;
mod floor;
mod read_write;
mod script;

use crate::clients::{SetUp, policy};
use cells::Cells;
use odeon_example_run::{RunError, Timed, finish_line, theater_with};
use script::ListScript;

/// What is run.
#[derive(Debug, Clone, Copy)]
pub struct SortedListSetup {
    /// Actors that ask.
    pub clients: usize,
    /// Requests of each client.
    pub requests: u64,
    /// Per cent of requests that add a number.
    pub writes: u64,
    /// Per cent of requests that count the list.
    pub sizes: u64,
    /// Of all random draws.
    pub seed: u64,
}

/// The ways to run it.
pub const VERSIONS: &[&str] = &["arrival-order", "readers-first", "writers-first", "actor"];

/// Runs a version on a theater with so many workers, and checks what comes out.
///
/// # Errors
/// If it is not what it should be.
pub fn run(version: &str, workers: usize, setup: &SortedListSetup) -> Result<Timed, RunError> {
    let theater = theater_with(workers)?;
    let (finish, waiting) = finish_line(setup.clients);
    let scripts = ListScript::all(setup);
    let SetUp { begin, outcome } = match policy(version) {
        Some(policy) => read_write::set_up(&theater, policy, scripts, &finish),
        None => actor_only::set_up(&theater, scripts, &finish),
    };
    let timed = waiting.time(setup.all_requests(), begin)?;
    script::check_numbers(setup, outcome())?;
    Ok(timed)
}

/// The same list and a loop over the requests.
///
/// # Errors
/// If it is not what it should be.
pub fn floor(setup: &SortedListSetup) -> Result<Timed, RunError> {
    floor::run(setup)
}

impl SortedListSetup {
    /// Of all clients.
    fn all_requests(&self) -> u64 {
        self.clients as u64 * self.requests
    }
}
