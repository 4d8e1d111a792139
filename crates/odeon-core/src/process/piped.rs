//! What pipes leave for the actors that began them.

use std::any::Any;
use std::collections::VecDeque;

use crate::vocabulary::contain::contain;

/// What an actor does with the output of a pipe, its type forgotten: `turn/continuation.rs` knows
/// it.
pub struct Continuation(pub(crate) Box<dyn Any + Send>);

/// What a pipe leaves for its actor.
pub(crate) struct Piped {
    /// The pipe's number as a child.
    pub(crate) number: u64,
    /// What to go on with, or the panic of the future.
    pub(crate) outcome: Result<Continuation, Box<dyn Any + Send>>,
}

/// Drops what pipes have left. Destructors of a user's may panic.
pub(crate) fn discard(piped: VecDeque<Piped>) {
    for piped in piped {
        contain(|| drop(piped));
    }
}
