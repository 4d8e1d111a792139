//! Messages that were accepted and will never be handled.

use std::any::Any;
use std::fmt;

use crate::actor_id::ActorId;

/// A message that an actor accepted and did not handle: handed to the theater's dead-letter hook,
/// and returned by [`Theater::shutdown`](crate::Theater::shutdown).
pub struct DeadLetter {
    /// The actor it was sent to.
    pub actor: ActorId,
    /// Why it was not handled.
    pub reason: DeadLetterReason,
    /// The message; `downcast` it to the actor's message type.
    pub message: Box<dyn Any + Send>,
}

/// Why a message was not handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeadLetterReason {
    /// Its actor stopped first.
    Stopped,
    /// Its actor panicked while handling an earlier message.
    Failed,
    /// The theater was shut down first.
    Shutdown,
}

impl DeadLetter {
    pub(crate) fn new(
        actor: ActorId,
        reason: DeadLetterReason,
        message: Box<dyn Any + Send>,
    ) -> Self {
        Self { actor, reason, message }
    }
}

impl fmt::Debug for DeadLetter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeadLetter")
            .field("actor", &self.actor)
            .field("reason", &self.reason)
            .finish_non_exhaustive()
    }
}
