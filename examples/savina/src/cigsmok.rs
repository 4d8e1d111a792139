//! `cigsmok`: Savina's cigarette smokers. An arbiter puts ingredients on a table for a smoker drawn
//! by lot; as soon as that one has taken them, for the next one.

mod actor_only;
mod floor;
mod rounds;
mod selector;

use odeon_example_run::{RunError, Timed, finish_line, theater_with};
use rounds::Rounds;

/// What is run.
#[derive(Debug, Clone, Copy)]
pub struct SmokersSetup {
    /// Rounds.
    pub rounds: u64,
    /// Smokers.
    pub smokers: u64,
    /// Draws of a cigarette, at most.
    pub smoke: u64,
    /// Of all random draws.
    pub seed: u64,
}

/// The ways to run it.
pub const VERSIONS: &[&str] = &["selector", "actor"];

/// Runs a version on a theater with so many workers, and checks what comes out.
///
/// # Errors
/// If it is not what it should be.
pub fn run(version: &str, workers: usize, setup: &SmokersSetup) -> Result<Timed, RunError> {
    let theater = theater_with(workers)?;
    let rounds = Rounds::new(setup);
    let (shares, ops) = (rounds.shares(), rounds.left());
    let (finish, waiting) = finish_line(shares.len());
    let begin = match version {
        "selector" => selector::begin,
        _ => actor_only::begin,
    };
    waiting.time(ops, || begin(&theater, rounds, &shares, &finish))
}

/// The smoking alone, on one thread.
///
/// # Errors
/// If it is not what it should be.
pub fn floor(setup: &SmokersSetup) -> Result<Timed, RunError> {
    floor::run(Rounds::new(setup))
}
