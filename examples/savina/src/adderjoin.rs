//! `adderjoin`: numbers of several sources come in any order to one adder, which adds the first
//! ones of all sources, the second ones, and so on, and passes the sums on.

mod actor_only;
mod any_order;
mod feed;
mod floor;
mod round_robin;

use feed::Feed;
use odeon_example_run::{RunError, Timed, finish_line, theater_with};

/// Each has a mailbox of its own.
pub const MAX_SOURCES: usize = 64;

/// What is run.
#[derive(Debug, Clone, Copy)]
pub struct AdderJoinSetup {
    /// Sources of numbers.
    pub sources: usize,
    /// Numbers of all sources.
    pub numbers: u64,
    /// Of all random draws.
    pub seed: u64,
}

/// The ways to run it.
pub const VERSIONS: &[&str] = &["any-order", "round-robin", "actor"];

/// Runs a version on a theater with so many workers, and checks what comes out.
///
/// # Errors
/// If it is not what it should be.
pub fn run(version: &str, workers: usize, setup: &AdderJoinSetup) -> Result<Timed, RunError> {
    let theater = theater_with(workers)?;
    let (finish, waiting) = finish_line(1);
    let feed = Feed::new(setup);
    let numbers = feed.numbers();
    let begin: Box<dyn FnOnce()> = match version {
        "any-order" => Box::new(any_order::set_up(&theater, feed, finish)),
        "round-robin" => Box::new(round_robin::set_up(&theater, feed, finish)),
        _ => Box::new(actor_only::set_up(&theater, feed, finish)),
    };
    waiting.time(numbers, begin)
}

/// One loop that adds to the sums that are not complete.
///
/// # Errors
/// If it is not what it should be.
pub fn floor(setup: &AdderJoinSetup) -> Result<Timed, RunError> {
    floor::run(setup)
}
