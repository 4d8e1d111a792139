//! Creating asynchronous actors: as in `runtime/theater.rs`, for the other trait.

use std::sync::Arc;

use super::{Stage, Theater, spawn};
use crate::messaging::actor_ref::ActorRef;
use crate::process::submit::Submit;
use crate::process::supervision::Supervision;
use crate::scheduler::pinned::PinnedKind;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::asynchronous;
use crate::vocabulary::error::StageError;

impl Theater {
    /// Creates an asynchronous actor on the pool.
    ///
    /// After the theater was shut down the actor is dropped and the reference leads to nobody.
    pub fn spawn_async<A: AsyncBehavior>(&self, actor: A) -> ActorRef<A::Msg> {
        spawn::on(&self.parts.default_stage, None, asynchronous::new_actor(actor))
    }

    /// Creates an asynchronous actor on a pinned stage. While its handler waits the stage's thread
    /// serves the other actors of the stage.
    ///
    /// # Panics
    /// If the stage belongs to another theater.
    #[track_caller]
    pub fn spawn_async_on<A: AsyncBehavior>(&self, stage: &Stage, actor: A) -> ActorRef<A::Msg> {
        self.check_own(stage);
        let actor = asynchronous::new_actor(actor);
        spawn::on(&(stage.shared.clone() as Arc<dyn Submit>), Some(&stage.shared), actor)
    }

    /// Creates an asynchronous actor with a thread of its own, in which it may also block. The
    /// thread ends with it.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn spawn_async_dedicated<A: AsyncBehavior>(
        &self,
        name: &str,
        actor: A,
    ) -> Result<ActorRef<A::Msg>, StageError> {
        let stage = self.start_pinned(name, PinnedKind::Dedicated)?;
        let actor = asynchronous::new_actor(actor);
        Ok(spawn::on(&(stage.clone() as Arc<dyn Submit>), Some(&stage), actor))
    }

    /// Creates a supervised asynchronous actor on the pool. When it fails it is made anew by
    /// `make`: the handler that panicked, or waits, is cancelled, and every message that waits is
    /// kept (S15). See [`spawn_supervised`](Self::spawn_supervised).
    ///
    /// ```
    /// # use odeon_core::*;
    /// struct Divider;
    /// enum Divide { By(u32, Reply<u32>) }
    /// impl Message for Divide {}
    /// impl AsyncActor for Divider {
    ///     type Msg = Divide;
    ///     async fn handle(&mut self, Divide::By(n, reply): Divide, _: &mut AsyncContext<'_, Self>) {
    ///         reply.send(100 / n);
    ///     }
    /// }
    ///
    /// let theater = Theater::new()?;
    /// let divider = theater.spawn_async_supervised(Supervision::new(), || Divider);
    /// # std::panic::set_hook(Box::new(|_| {}));
    /// let failed = AskError::Failed("attempt to divide by zero".into());
    /// assert_eq!(divider.ask(|r| Divide::By(0, r)).wait(), Err(failed));
    /// assert_eq!(divider.ask(|r| Divide::By(5, r)).wait(), Ok(20));
    /// # Ok::<(), BuildError>(())
    /// ```
    ///
    /// # Panics
    /// If `make` does when it is called for the first time.
    pub fn spawn_async_supervised<A: AsyncBehavior>(
        &self,
        supervision: Supervision,
        make: impl FnMut() -> A + Send + 'static,
    ) -> ActorRef<A::Msg> {
        let (stage, new) = (&self.parts.default_stage, asynchronous::new_actor);
        spawn::supervised_on(stage, None, supervision, Box::new(make), new)
    }

    /// As [`spawn_async_supervised`](Self::spawn_async_supervised), on a pinned stage.
    ///
    /// # Panics
    /// As there, and if the stage belongs to another theater.
    #[track_caller]
    pub fn spawn_async_supervised_on<A: AsyncBehavior>(
        &self,
        stage: &Stage,
        supervision: Supervision,
        make: impl FnMut() -> A + Send + 'static,
    ) -> ActorRef<A::Msg> {
        self.check_own(stage);
        let submit = stage.shared.clone() as Arc<dyn Submit>;
        let (pinned, new) = (Some(&*stage.shared), asynchronous::new_actor);
        spawn::supervised_on(&submit, pinned, supervision, Box::new(make), new)
    }
}
