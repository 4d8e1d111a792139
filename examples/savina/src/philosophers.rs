//! `philosophers`: Savina's dining philosophers. An arbitrator has the forks; each philosopher asks
//! it for two, eats, and gives them back.

mod actor_only;
mod feast;
mod floor;
mod retries;
mod selector;

use feast::Feast;
use odeon_example_run::{RunError, Timed, finish_line, theater_with};

pub use feast::MAX_SEATS;

/// What is run.
#[derive(Debug, Clone, Copy)]
pub struct PhilosophersSetup {
    /// Philosophers and forks.
    pub philosophers: usize,
    /// Meals of each philosopher.
    pub rounds: u64,
}

/// The ways to run it.
pub const VERSIONS: &[&str] = &["selector", "actor", "retries"];

/// Runs a version on a theater with so many workers, and checks what comes out.
///
/// # Errors
/// If it is not what it should be.
pub fn run(version: &str, workers: usize, setup: &PhilosophersSetup) -> Result<Timed, RunError> {
    let theater = theater_with(workers)?;
    let (seats, rounds) = (setup.philosophers, setup.rounds);
    let (finish, waiting) = finish_line(1);
    let begin = match version {
        "selector" => selector::begin,
        "retries" => retries::begin,
        _ => actor_only::begin,
    };
    waiting.time(seats as u64 * rounds, || begin(&theater, Feast::new(seats, rounds, finish)))
}

/// The same table on one thread, the hungry ones in a `VecDeque`.
///
/// # Errors
/// If it is not what it should be.
pub fn floor(setup: &PhilosophersSetup) -> Result<Timed, RunError> {
    floor::run(setup.philosophers, setup.rounds)
}
