//! What others learn of the end of an actor.

use std::fmt;
use std::sync::Arc;

use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::observe::EndReason;

/// An actor has ended: which one, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    actor: ActorId,
    reason: EndReason,
    failure: Option<Arc<str>>,
}

impl Ended {
    pub(crate) fn new(actor: ActorId, reason: EndReason, failure: Option<Arc<str>>) -> Self {
        Self { actor, reason, failure }
    }

    /// Which actor.
    pub fn actor(&self) -> ActorId {
        self.actor
    }

    /// Why it ended.
    pub fn reason(&self) -> EndReason {
        self.reason
    }

    /// What the panic said that ended it, if it failed while it was watched or supervised and the
    /// panic carried a text.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.reason {
            EndReason::Stopped => "stopped",
            EndReason::Failed => "failed",
            EndReason::Shutdown => "was shut down",
            EndReason::Unreachable => "cannot be reached any more",
        };
        write!(f, "actor {} {what}", self.actor)?;
        match &self.failure {
            Some(failure) => write!(f, ": {failure}"),
            None => Ok(()),
        }
    }
}
