//! One searcher that hands nothing on.

use super::grid::{Grid, ORIGIN};
use super::searching::Search;
use crate::error::BenchError;
use crate::parameter::Params;
use crate::samples::Measured;
use std::sync::Arc;

pub(super) fn run(params: &Params) -> Result<Measured, BenchError> {
    let grid = Arc::new(Grid::random(params.count("edge"), params.number("seed")));
    let mut search = Search::new(grid.clone(), 0);
    let (measured, _) = Measured::time(1, || search.go_on(ORIGIN, usize::MAX));
    grid.check().map(|()| measured).map_err(BenchError::WrongResult)
}
