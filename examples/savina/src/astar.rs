//! `astar`: Savina's guided search. Searchers look for a way through a random grid of three
//! dimensions, each for some nodes at a time, and hand the nodes at the edge of what is known to a
//! master, who hands them on.

mod actor_only;
mod floor;
mod grid;
mod queue;
mod searching;
mod selector;

use grid::Grid;
use odeon_example_run::{RunError, Timed, finish_line, theater_with};
use std::sync::Arc;

pub use searching::First;

/// Nodes along an edge for which there are priorities enough.
pub const MAX_EDGE: u64 = 248;

/// What is run.
#[derive(Debug, Clone, Copy)]
pub struct AStarSetup {
    /// Nodes along each edge of the grid.
    pub edge: usize,
    /// Actors that search.
    pub searchers: usize,
    /// Nodes that a searcher looks at for one message.
    pub threshold: usize,
    /// Of the grid.
    pub seed: u64,
    /// The work that goes first.
    pub first: First,
}

/// The ways to run it.
pub const VERSIONS: &[&str] = &["selector", "actor", "queue"];

/// Runs a version on a theater with so many workers, and checks what comes out.
///
/// # Errors
/// If it is not what it should be.
pub fn run(version: &str, workers: usize, setup: &AStarSetup) -> Result<Timed, RunError> {
    let theater = theater_with(workers)?;
    let grid = Arc::new(Grid::random(setup.edge, setup.seed));
    let (finish, waiting) = finish_line(1);
    let begin = match version {
        "selector" => selector::begin,
        "queue" => queue::begin,
        _ => actor_only::begin,
    };
    let timed = waiting.time(1, || begin(&theater, *setup, grid.clone(), finish))?;
    grid.check().map(|()| timed).map_err(RunError::WrongResult)
}

/// One search of the same grid, breadth first, on one thread.
///
/// # Errors
/// If it is not what it should be.
pub fn floor(setup: &AStarSetup) -> Result<Timed, RunError> {
    floor::run(setup)
}
