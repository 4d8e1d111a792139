//! `logmap`: Savina's logistic map. A master asks each series for many terms in advance; a series
//! has each term computed by the actor that knows its rate, and takes no further request until that
//! has replied.

mod actor_only;
mod floor;
mod map;
mod selector;

use map::FinalTerms;
use odeon_example_run::{RunError, Timed, finish_line, theater_with};

pub use map::MAX_SERIES;

/// What is run.
#[derive(Debug, Clone, Copy)]
pub struct LogisticMapSetup {
    /// Series, each with its rate.
    pub series: usize,
    /// Terms of each series.
    pub terms: u64,
}

/// The ways to run it.
pub const VERSIONS: &[&str] = &["selector", "actor"];

/// Runs a version on a theater with so many workers, and checks what comes out.
///
/// # Errors
/// If it is not what it should be.
pub fn run(version: &str, workers: usize, setup: &LogisticMapSetup) -> Result<Timed, RunError> {
    let theater = theater_with(workers)?;
    let (finish, waiting) = finish_line(setup.series);
    let expected = FinalTerms::of(setup.series, setup.terms);
    let begin: Box<dyn FnOnce()> = match version {
        "selector" => Box::new(selector::set_up(&theater, expected, finish)),
        _ => Box::new(actor_only::set_up(&theater, expected, finish)),
    };
    waiting.time(setup.series as u64 * setup.terms, begin)
}

/// One loop for each series.
///
/// # Errors
/// If it is not what it should be.
pub fn floor(setup: &LogisticMapSetup) -> Result<Timed, RunError> {
    floor::run(setup)
}
