//! How a durable actor comes to be.

use super::actor_log::ActorLog;
use super::durable_ref::DurableRef;
use super::durably::Durably;
use super::log_thread::LogThread;
use super::recovering::{RecoverError, RecoveredLog, recover};
use super::snapshots::Snapshots;
use super::store::{Store, refused};
use crate::state::Durable;
use odeon_core::Theater;
use odeon_speculative::{Processing, SpawnSpeculative, SpeculativeActor};
use std::sync::Arc;

/// Creates durable actors in a theater.
pub trait SpawnDurable {
    /// Creates a speculative actor that survives the end of its process and of its machine. If the
    /// store has a log of this name, the actor goes on with what that says, and `actor` gives the
    /// fields that the log knows nothing of. Otherwise a log begins, with `actor` as it is.
    ///
    /// # Guarantees
    /// Whatever a message has answered, sent or spawned happens when its commit, and all commits
    /// that it has seen, are on the disk. After a crash the state is what the messages up to some
    /// commit have made, that one and all before it wholly, and at least all of which anybody has
    /// heard. Recovery calls no handler.
    ///
    /// A message that fails vanishes, and the actor goes on with its last good state. If the disk
    /// fails, nothing is answered any more: each message fails and says why. What was answered
    /// before is there when the log is opened again.
    ///
    /// Only the state is in the log: what is sent and spawned is lost if the process ends before it
    /// has happened, but for what is state ([`Outgoing`](crate::Outgoing),
    /// [`Reminders`](crate::Reminders)). A panic of an effect after the commit is nobody's failure.
    /// A coordinated transaction of actors of one store, and one theater, is there at all of them
    /// or at none; a message that is part of another one fails.
    ///
    /// The actor ends when all that it has committed is on the disk.
    ///
    /// # Errors
    /// If the log cannot be read or written, is another process's, or was written by a state of
    /// other fields.
    ///
    /// # Panics
    /// As [`spawn_speculative`](SpawnSpeculative::spawn_speculative). Within a transaction; if a
    /// variable of the state is there twice, if a log begins with a value that `serde` does not
    /// write, or would not read again, and if the conversion of a field panics.
    #[track_caller]
    fn spawn_durable<A: SpeculativeActor + Durable>(
        &self,
        store: &Store,
        name: &str,
        actor: A,
        processing: Processing,
    ) -> Result<DurableRef<A::Msg>, RecoverError>;
}

impl SpawnDurable for Theater {
    fn spawn_durable<A: SpeculativeActor + Durable>(
        &self,
        store: &Store,
        name: &str,
        actor: A,
        processing: Processing,
    ) -> Result<DurableRef<A::Msg>, RecoverError> {
        let state = Arc::new(actor);
        let recovered = recover(store, name, &*state)?;
        let RecoveredLog { writer, found, last, behind, snapshot, torn } = recovered;
        let log = ActorLog::new(state.node().journal(), store.clone(), writer.id(), last)?;
        let durable = {
            let log = log.clone();
            move |number| log.wait_until_durable(number)
        };
        let after = store.bytes_until_snapshot();
        let snapshots = Snapshots::new(state.clone(), durable, after, behind, snapshot);
        let thread = LogThread::start(log.clone(), store.clone(), writer, snapshots, name)
            .map_err(|error| refused("start a thread for the log", name.into(), error))?;
        let actor = self.spawn_speculative(Durably::new(state, log.clone(), thread), processing);
        Ok(DurableRef { actor, log, recovered: found, torn })
    }
}
