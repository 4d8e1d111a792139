//! Creating asynchronous actors: as in `theater.rs`, for the other trait.

use std::sync::Arc;

use super::{Stage, Theater, spawn};
use crate::actor_ref::ActorRef;
use crate::async_actor::AsyncActor;
use crate::error::StageError;
use crate::scheduler::pinned::PinnedKind;
use crate::scheduler::submit::Submit;
use crate::turn::asynchronous;

impl Theater {
    /// Creates an asynchronous actor on the pool.
    ///
    /// After the theater was shut down the actor is dropped and the reference leads to nobody.
    pub fn spawn_async<A: AsyncActor>(&self, actor: A) -> ActorRef<A::Msg> {
        spawn::on(&self.parts.default_stage, None, asynchronous::new_actor(actor))
    }

    /// Creates an asynchronous actor on a pinned stage. While its handler waits the stage's thread
    /// serves the other actors of the stage.
    ///
    /// # Panics
    /// If the stage belongs to another theater.
    #[track_caller]
    pub fn spawn_async_on<A: AsyncActor>(&self, stage: &Stage, actor: A) -> ActorRef<A::Msg> {
        self.check_own(stage);
        let actor = asynchronous::new_actor(actor);
        spawn::on(&(stage.shared.clone() as Arc<dyn Submit>), Some(&stage.shared), actor)
    }

    /// Creates an asynchronous actor with a thread of its own, in which it may also block. The thread
    /// ends with it.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn spawn_async_dedicated<A: AsyncActor>(
        &self,
        name: &str,
        actor: A,
    ) -> Result<ActorRef<A::Msg>, StageError> {
        let stage = self.start_pinned(name, PinnedKind::Dedicated)?;
        let actor = asynchronous::new_actor(actor);
        Ok(spawn::on(&(stage.clone() as Arc<dyn Submit>), Some(&stage), actor))
    }
}
