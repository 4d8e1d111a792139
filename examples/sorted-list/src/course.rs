//! What list actors do in the course of a run.

use odeon_example_run::Timed;
use std::time::Duration;

/// What has been done at some time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ListProgress {
    /// Requests.
    pub answered: u64,
    /// Of all list actors; 0 if they are plain.
    pub rollbacks: u64,
}

/// Looks at a run, the first before its beginning and the last after its end.
#[derive(Debug, Clone)]
pub struct ListCourse {
    /// The run.
    pub timed: Timed,
    /// When, and what was done until then.
    pub looks: Vec<(Duration, ListProgress)>,
}
