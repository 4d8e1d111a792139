//! What the maker of a durable actor holds.

use super::actor_log::ActorLog;
use odeon_core::Message;
use odeon_log::{LogError, TornEnd};
use odeon_speculative::SpeculativeRef;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The address of a durable actor, and what there is to know of its log. It is a [`SpeculativeRef`]
/// in all other respects.
pub struct DurableRef<M: Message> {
    pub(super) actor: SpeculativeRef<M>,
    pub(super) log: Arc<ActorLog<M>>,
    pub(super) recovered: u64,
    pub(super) torn: Option<TornEnd>,
}

impl<M: Message> DurableRef<M> {
    /// How many commits had been logged before this actor began, the begin of the log with them; 0:
    /// its log began with it.
    pub fn recovered_commits(&self) -> u64 {
        self.recovered
    }

    /// What the process before had begun to write, if that was not whole: nobody had been told of
    /// it, and it was cut off.
    pub fn torn_end(&self) -> Option<&TornEnd> {
        self.torn.as_ref()
    }

    /// How many commits are on the disk, those of earlier processes with them.
    pub fn durable_commits(&self) -> u64 {
        self.log.durable()
    }

    /// Why the log is not written any more, and all messages fail.
    pub fn log_failure(&self) -> Option<LogError> {
        self.log.failure().cloned()
    }
}

impl<M: Message> Deref for DurableRef<M> {
    type Target = SpeculativeRef<M>;

    fn deref(&self) -> &SpeculativeRef<M> {
        &self.actor
    }
}

impl<M: Message> Clone for DurableRef<M> {
    fn clone(&self) -> Self {
        let Self { actor, log, recovered, torn } = self;
        Self { actor: actor.clone(), log: log.clone(), recovered: *recovered, torn: torn.clone() }
    }
}

impl<M: Message> fmt::Debug for DurableRef<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DurableRef").field(&self.actor.id()).finish()
    }
}
