//! Failures of actors as events of `tracing`.

use std::any::Any;

use odeon_core::{ActorId, EndReason, Observer, extend};

/// Tells which actor failed, by an event of level `ERROR` with what the panic said, and what came
/// of it: `INFO` when it has been made anew, `ERROR` when it has ended for it, also because a
/// linked one failed.
///
/// The standard panic message names a thread; this names the actor. One event for each, so an actor
/// that fails at every message and is always made anew makes as many.
///
/// For [`TheaterBuilder::observer`](odeon_core::TheaterBuilder::observer); a pair of observers is
/// one, for example `(FailureLog, DeadLetterLog::default())`.
#[derive(Debug, Default, Clone, Copy)]
pub struct FailureLog;

impl Observer for FailureLog {
    fn actor_failed(&self, actor: ActorId, panic: &(dyn Any + Send)) {
        tracing::error!(target: "odeon", %actor, panic = text_of(panic), "an actor failed");
    }

    fn actor_restarted(&self, actor: ActorId) {
        tracing::info!(target: "odeon", %actor, "an actor has been made anew");
    }

    fn actor_ended(&self, actor: ActorId, reason: EndReason) {
        if reason == EndReason::Failed {
            tracing::error!(target: "odeon", %actor, "an actor has ended as failed");
        }
    }
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    extend::text_of(panic).unwrap_or("(no text)")
}
