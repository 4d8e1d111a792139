//! `filterbank`: Savina's filter bank, from StreamIt. A signal goes through several banks of delays
//! and filters at once; an integrator joins what comes out of them.

mod actor_only;
mod any_order;
mod floor;
mod pipeline;
mod results;
mod round_robin;
mod signal;

use odeon_example_run::{RunError, Timed, finish_line, theater_with};
use results::Results;

pub use signal::Shape as FilterBankSetup;

/// Each has a mailbox of its own at the integrator.
pub const MAX_CHANNELS: usize = 64;

/// The ways to run it.
pub const VERSIONS: &[&str] = &["any-order", "round-robin", "actor"];

/// Runs a version on a theater with so many workers, and checks what comes out.
///
/// # Errors
/// If it is not what it should be.
pub fn run(version: &str, workers: usize, setup: &FilterBankSetup) -> Result<Timed, RunError> {
    let theater = theater_with(workers)?;
    let (finish, waiting) = finish_line(1);
    let results = Results::expected_of(*setup, finish);
    let begin: Box<dyn FnOnce()> = match version {
        "any-order" => Box::new(any_order::set_up(&theater, *setup, results)),
        "round-robin" => Box::new(round_robin::set_up(&theater, *setup, results)),
        _ => Box::new(actor_only::set_up(&theater, *setup, results)),
    };
    waiting.time(setup.items, begin)
}

/// The same delays and filters in a loop on one thread.
///
/// # Errors
/// If it is not what it should be.
pub fn floor(setup: &FilterBankSetup) -> Result<Timed, RunError> {
    floor::run(setup)
}
