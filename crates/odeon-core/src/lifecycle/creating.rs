//! What a handler can create: actors beside its own, and children.

use std::convert::identity;

use super::spawn;
use crate::messaging::actor_ref::ActorRef;
use crate::process::supervision::Supervision;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::asynchronous;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;

impl<A: Behavior> Context<'_, A> {
    /// Creates an actor on the stage of this one; from a dedicated stage, on the theater's pool.
    pub fn spawn<B: Behavior>(&self, actor: B) -> ActorRef<B::Msg> {
        spawn::beside(&self.cell().header, actor)
    }

    /// Creates a supervised child of this actor, on the stage of this one (from a dedicated stage:
    /// on the theater's pool). `make` makes its state, now and for each restart.
    ///
    /// A child stops when its parent ends or is made anew, and a failure that it escalates becomes
    /// one of its parent.
    ///
    /// # Panics
    /// If `make` does when it is called for the first time.
    pub fn spawn_child<B: Behavior>(
        &self,
        supervision: Supervision,
        make: impl FnMut() -> B + Send + 'static,
    ) -> ActorRef<B::Msg> {
        spawn::child(&self.cell().header, supervision, Box::new(make), identity)
    }

    /// As [`spawn`](Self::spawn), for an asynchronous actor.
    pub fn spawn_async<B: AsyncBehavior>(&self, actor: B) -> ActorRef<B::Msg> {
        spawn::beside(&self.cell().header, asynchronous::new_actor(actor))
    }

    /// As [`spawn_child`](Self::spawn_child), for an asynchronous actor.
    ///
    /// # Panics
    /// As there.
    pub fn spawn_async_child<B: AsyncBehavior>(
        &self,
        supervision: Supervision,
        make: impl FnMut() -> B + Send + 'static,
    ) -> ActorRef<B::Msg> {
        spawn::child(&self.cell().header, supervision, Box::new(make), asynchronous::new_actor)
    }
}

impl<A: AsyncBehavior> AsyncContext<'_, A> {
    /// Creates an actor on the stage of this one; from a dedicated stage, on the theater's pool.
    pub fn spawn<B: Behavior>(&self, actor: B) -> ActorRef<B::Msg> {
        spawn::beside(&self.cell().header, actor)
    }

    /// As [`spawn`](Self::spawn), for an asynchronous actor.
    pub fn spawn_async<B: AsyncBehavior>(&self, actor: B) -> ActorRef<B::Msg> {
        spawn::beside(&self.cell().header, asynchronous::new_actor(actor))
    }

    /// Creates a supervised child of this actor. See
    /// [`Context::spawn_child`](crate::Context::spawn_child).
    ///
    /// # Panics
    /// If `make` does when it is called for the first time.
    pub fn spawn_child<B: Behavior>(
        &self,
        supervision: Supervision,
        make: impl FnMut() -> B + Send + 'static,
    ) -> ActorRef<B::Msg> {
        spawn::child(&self.cell().header, supervision, Box::new(make), identity)
    }

    /// As [`spawn_child`](Self::spawn_child), for an asynchronous actor.
    ///
    /// # Panics
    /// As there.
    pub fn spawn_async_child<B: AsyncBehavior>(
        &self,
        supervision: Supervision,
        make: impl FnMut() -> B + Send + 'static,
    ) -> ActorRef<B::Msg> {
        spawn::child(&self.cell().header, supervision, Box::new(make), asynchronous::new_actor)
    }
}
