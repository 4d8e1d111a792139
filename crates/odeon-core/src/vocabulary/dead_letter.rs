//! Messages that were accepted and will never be handled.

use std::any::Any;
use std::fmt;

use odeon_sync::atomic::{AtomicU64, Ordering};

use crate::vocabulary::actor_id::ActorId;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeadLetterReason {
    /// Its actor stopped first.
    Stopped,
    /// Its actor panicked while handling an earlier message.
    Failed,
    /// The theater was shut down first.
    Shutdown,
    /// Newer messages took its place in a mailbox that keeps the newest
    /// ([`Bound::drop_oldest`](crate::Bound::drop_oldest)).
    Displaced,
    /// It was held back in an attempt (S8), and when it was sent the mailbox was full
    /// ([`Bound::reject`](crate::Bound::reject)).
    Rejected,
    /// Its actor lives in another theater, which has ended or was lost before it acknowledged the
    /// message.
    Unreachable,
    /// Its actor lives in another theater, and the message cannot be written, or not be read there.
    Unwritable,
}

impl DeadLetterReason {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Stopped,
        Self::Failed,
        Self::Shutdown,
        Self::Displaced,
        Self::Rejected,
        Self::Unreachable,
        Self::Unwritable,
    ];

    /// One word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::Shutdown => "shutdown",
            Self::Displaced => "displaced",
            Self::Rejected => "rejected",
            Self::Unreachable => "unreachable",
            Self::Unwritable => "unwritable",
        }
    }
}

/// How many messages were accepted and will never be handled, by reason.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct DeadLetterCounts {
    by_reason: [u64; DeadLetterReason::ALL.len()],
}

impl DeadLetterCounts {
    /// Those of one reason.
    pub fn of(&self, reason: DeadLetterReason) -> u64 {
        self.by_reason[reason as usize]
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.by_reason.iter().sum()
    }
}

impl fmt::Debug for DeadLetterCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(DeadLetterReason::ALL.map(|reason| (reason, self.of(reason))))
            .finish()
    }
}

/// The dead letters of one theater, counted on the threads that find out.
#[derive(Debug, Default)]
pub(crate) struct DeadLetterTally {
    by_reason: [AtomicU64; DeadLetterReason::ALL.len()],
}

impl DeadLetterTally {
    pub(crate) fn count(&self, reason: DeadLetterReason) {
        // ORDERING: Relaxed, here and below: plain counters.
        self.by_reason[reason as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn counts(&self) -> DeadLetterCounts {
        let by_reason = DeadLetterReason::ALL
            .map(|reason| self.by_reason[reason as usize].load(Ordering::Relaxed));
        DeadLetterCounts { by_reason }
    }
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
