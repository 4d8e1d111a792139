//! What list actors do in the course of a run.

use super::{Plan, actors};
use crate::error::BenchError;
use crate::parameter::Params;
use crate::samples::Measured;
use std::time::Duration;

/// What has been done at some time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) answered: u64,
    /// Of all list actors; 0 if they are plain.
    pub(crate) rollbacks: u64,
}

/// Looks at a run, the first before its beginning and the last after its end.
#[derive(Debug, Clone)]
pub(crate) struct Course {
    pub(crate) measured: Measured,
    pub(crate) looks: Vec<(Duration, Progress)>,
}

/// One run, looked at after every `every`.
pub(crate) fn record(params: &Params, every: Duration) -> Result<Course, BenchError> {
    actors::run_watched(&Plan::new(params), params, every)
}
