//! What comes of a coordinated transaction.

use super::plan::PLAIN;
use crate::actor::context::HoldsBack;
use crate::contained::quietly;
use odeon_core::{ActorId, Ask, AskError, Reply};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// Why a coordinated transaction was rolled back for good, at all actors that took part; or, with
/// [`Lost`](Self::Lost) alone, why nobody here knows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CoordinationError {
    /// The handler of a participant has failed, by a panic or an error; its supervision has been
    /// told.
    Failed {
        /// Whose handler.
        participant: ActorId,
        /// The error's or the panic's text.
        why: Arc<str>,
    },
    /// A message has not come to its actor: that has stopped before it could take part, or moves to
    /// another theater at this moment; the way to its theater has ended; the message cannot be
    /// written or read, or is too large for the network (a dead letter says which); or it is for
    /// another theater, and this one takes part in no transactions of several.
    Stopped,
    /// A message with [`Access::Exclusive`](crate::Access::Exclusive) was to take part: such a
    /// message runs once, and what takes part may be rolled back.
    Exclusive,
    /// A participant is no speculative actor: what such a one does cannot be undone. Spawn it by
    /// [`spawn_speculative`](crate::SpawnSpeculative::spawn_speculative); or leave it out, and tell
    /// it by a plain `send` in the handler of one that takes part, which happens with the commit.
    NotSpeculative {
        /// Which one.
        participant: ActorId,
    },
    /// The theater of a participant cannot be reached, or takes no part in transactions of several
    /// theaters.
    Unreachable,
    /// The deadline of the transaction has passed.
    Deadline,
    /// Unknown: the theater has ended, or has left, before it was told of the outcome. With other
    /// theaters it may have committed there; in one alone it has not. Or the log of a durable actor
    /// that takes part has failed: whether it has committed is known when that begins again.
    Lost,
}

impl fmt::Display for CoordinationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { participant, why } => {
                write!(f, "the handler of participant {participant} has failed: {why}")
            }
            Self::Stopped => f.write_str(
                "a participant has stopped or is about to move, or cannot be sent its message",
            ),
            Self::Exclusive => f.write_str("a message with exclusive access cannot take part"),
            Self::NotSpeculative { participant } => {
                write!(f, "participant {participant} is a plain actor: {PLAIN}")
            }
            Self::Unreachable => {
                f.write_str("a participant's theater cannot be reached, or takes no part")
            }
            Self::Deadline => f.write_str("the deadline has passed"),
            Self::Lost => f.write_str(
                "the theater has ended or left before it knew the outcome, or a log has failed",
            ),
        }
    }
}

impl std::error::Error for CoordinationError {}

/// The outcome to come of a coordinated transaction: a future for any executor; threads
/// [`wait`](Self::wait).
///
/// # Cancellation
/// Dropping it changes nothing: a transaction that has not begun yet, since too many were under
/// way, begins then.
#[derive(Debug)]
#[must_use = "the transaction may fail; drop the outcome explicitly if that does not matter"]
pub struct Outcome(pub(super) Ask<Result<(), CoordinationError>>);

/// Tells the outcome to who waits for it, by whom it is held.
pub(super) fn tell(
    reply: Reply<Result<(), CoordinationError>>,
    outcome: Result<(), CoordinationError>,
    held_by: Option<HoldsBack>,
) {
    // Whoever waits is a user's.
    let tell = move || {
        let _ = quietly(|| reply.send(outcome));
    };
    match held_by {
        Some(hold) => hold(Box::new(tell)),
        None => tell(),
    }
}

fn flat(answer: Result<Result<(), CoordinationError>, AskError>) -> Result<(), CoordinationError> {
    answer.unwrap_or(Err(CoordinationError::Lost))
}

impl Outcome {
    /// Blocks the thread until the transaction has committed at all participants, or at none.
    ///
    /// # Errors
    /// Why it was rolled back.
    ///
    /// # Panics
    /// On a thread of the pool or of a pinned stage, as [`Ask::wait`].
    #[track_caller]
    pub fn wait(self) -> Result<(), CoordinationError> {
        flat(self.0.wait())
    }

    /// As [`wait`](Self::wait), at most for `limit`; `None` if it is not decided by then. The
    /// transaction goes on.
    ///
    /// # Panics
    /// As [`wait`](Self::wait).
    #[track_caller]
    pub fn wait_timeout(self, limit: Duration) -> Option<Result<(), CoordinationError>> {
        match self.0.wait_timeout(limit) {
            Err(AskError::Timeout) => None,
            answer => Some(flat(answer)),
        }
    }
}

impl Future for Outcome {
    type Output = Result<(), CoordinationError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx).map(flat)
    }
}
