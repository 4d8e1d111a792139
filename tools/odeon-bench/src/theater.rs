//! How a sample's runtime is set up.

use crate::error::BenchError;
use crate::parameter::Params;
use odeon::Stage;
use odeon::prelude::*;

pub(crate) use odeon_example_run::{Post, runtime, theater_with};

/// A theater with the run's `workers` and everything else as shipped.
pub(crate) fn theater(params: &Params) -> Result<Theater, BenchError> {
    theater_with(params.count("workers"))
}

/// A pinned stage of a theater.
pub(crate) fn pinned_stage(theater: &Theater, name: &str) -> Result<Stage, BenchError> {
    theater.pinned(name).map_err(runtime)
}
