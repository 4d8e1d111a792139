//! How a sample's runtime is set up, and how its actors send: the only place that builds theaters.

use crate::error::BenchError;
use crate::parameter::Params;
use odeon::Stage;
use odeon::prelude::*;

/// A theater with the run's `workers` and everything else as shipped.
pub(crate) fn theater(params: &Params) -> Result<Theater, BenchError> {
    theater_with(params.count("workers"))
}

/// A theater with so many workers and everything else as shipped.
pub(crate) fn theater_with(workers: usize) -> Result<Theater, BenchError> {
    Theater::builder().workers(workers).build().map_err(runtime)
}

/// A pinned stage of a theater.
pub(crate) fn pinned_stage(theater: &Theater, name: &str) -> Result<Stage, BenchError> {
    theater.pinned(name).map_err(runtime)
}

/// The runtime's refusal as an error of the measurement.
pub(crate) fn runtime(refusal: impl std::fmt::Display) -> BenchError {
    BenchError::Runtime(refusal.to_string())
}

/// Sending inside a workload.
pub(crate) trait Post<M> {
    /// Sends and forgets. WHY: a receiver that has stopped too early is a wrong run, and shows as
    /// one: its end is never signalled. During teardown it is normal.
    fn post(&self, message: M);
}

impl<M: Message> Post<M> for ActorRef<M> {
    #[inline]
    fn post(&self, message: M) {
        let _ = self.send(message);
    }
}

impl<M: Message> Post<M> for MailboxRef<'_, M> {
    #[inline]
    fn post(&self, message: M) {
        let _ = self.send(message);
    }
}
