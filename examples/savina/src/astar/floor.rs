//! One searcher that hands nothing on.

use super::AStarSetup;
use super::grid::{Grid, ORIGIN};
use super::searching::SearchState;
use odeon_example_run::RunError;
use odeon_example_run::Timed;
use std::sync::Arc;

pub(super) fn run(setup: &AStarSetup) -> Result<Timed, RunError> {
    let grid = Arc::new(Grid::random(setup.edge, setup.seed));
    let mut search = SearchState::new(grid.clone(), 0);
    let (timed, _) = Timed::of(1, || search.go_on(ORIGIN, usize::MAX));
    grid.check().map(|()| timed).map_err(RunError::WrongResult)
}
