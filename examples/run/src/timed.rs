//! How long a run took.

use crate::{FinishWaiter, RunError};
use std::time::{Duration, Instant};

/// So many operations in this time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timed {
    /// How many; each program says what one is.
    pub ops: u64,
    /// From the beginning of the first to the end of the last.
    pub elapsed: Duration,
}

impl Timed {
    /// Of `work`, which does `ops` operations.
    pub fn of<T>(ops: u64, work: impl FnOnce() -> T) -> (Self, T) {
        let begun = Instant::now();
        let outcome = work();
        (Self { ops, elapsed: begun.elapsed() }, outcome)
    }
}

impl FinishWaiter {
    /// Of a run that begins with `begin` and ends at this line.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn time(&self, ops: u64, begin: impl FnOnce()) -> Result<Timed, RunError> {
        let (timed, outcome) = Timed::of(ops, || {
            begin();
            self.wait()
        });
        outcome.map(|()| timed)
    }
}
