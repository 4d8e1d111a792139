//! Where theaters are built, and how actors of a run send.

use crate::RunError;
use odeon::prelude::*;

/// A theater with so many workers and everything else as shipped.
///
/// # Errors
/// If it cannot be started.
pub fn theater_with(workers: usize) -> Result<Theater, RunError> {
    Theater::builder().workers(workers).build().map_err(runtime)
}

/// The runtime's refusal as an error of the run.
pub fn runtime(refusal: impl std::fmt::Display) -> RunError {
    RunError::Runtime(refusal.to_string())
}

/// Sending inside a run.
pub trait Post<M> {
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
