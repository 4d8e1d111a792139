//! Names and groups for asynchronous actors: as [`Context`](crate::Context) has them.

use crate::messaging::actor_ref::ActorRef;
use crate::process::supervision::Supervision;
use crate::process::theater_shared::TheaterShared;
use crate::runtime::group::Group;
use crate::runtime::naming::Naming;
use crate::runtime::naming::spawning::{
    lookup_or_spawn, lookup_or_spawn_async, lookup_or_spawn_async_supervised,
    lookup_or_spawn_supervised,
};
use crate::runtime::naming::{LookupError, NameTaken, OtherType};
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::Behavior;
use crate::vocabulary::message::Message;

impl<A: AsyncBehavior> AsyncContext<'_, A> {
    pub(crate) fn theater(&self) -> &TheaterShared {
        self.cell().header.stage.theater()
    }

    /// As [`Theater::register`](crate::Theater::register), in the theater of this actor.
    ///
    /// # Errors
    /// As there.
    pub fn register<M: Message>(&self, name: &str, actor: &ActorRef<M>) -> Result<(), NameTaken> {
        Naming::of(self.theater()).names.register(name, actor)
    }

    /// As [`Theater::unregister`](crate::Theater::unregister), in the theater of this actor.
    pub fn unregister(&self, name: &str) -> bool {
        Naming::of(self.theater()).names.unregister(name)
    }

    /// As [`Theater::lookup`](crate::Theater::lookup), in the theater of this actor.
    ///
    /// # Errors
    /// As there.
    pub fn lookup<M: Message>(&self, name: &str) -> Result<ActorRef<M>, LookupError> {
        Naming::of(self.theater()).names.lookup(name)
    }

    /// As [`Theater::lookup_or_spawn`](crate::Theater::lookup_or_spawn), in the theater of this
    /// actor.
    ///
    /// # Errors
    /// As there.
    pub fn lookup_or_spawn<B: Behavior>(
        &self,
        name: &str,
        make: impl FnOnce() -> B + Send + 'static,
    ) -> Result<ActorRef<B::Msg>, OtherType> {
        lookup_or_spawn(self.theater(), name, make)
    }

    /// As [`Theater::lookup_or_spawn_supervised`](crate::Theater::lookup_or_spawn_supervised), in
    /// the theater of this actor.
    ///
    /// # Errors
    /// As there.
    pub fn lookup_or_spawn_supervised<B: Behavior>(
        &self,
        name: &str,
        supervision: Supervision,
        make: impl Fn() -> B + Send + Sync + 'static,
    ) -> Result<ActorRef<B::Msg>, OtherType> {
        lookup_or_spawn_supervised(self.theater(), name, supervision, make)
    }

    /// As [`Theater::lookup_or_spawn_async`](crate::Theater::lookup_or_spawn_async), in the theater
    /// of this actor.
    ///
    /// # Errors
    /// As there.
    pub fn lookup_or_spawn_async<B: AsyncBehavior>(
        &self,
        name: &str,
        make: impl FnOnce() -> B + Send + 'static,
    ) -> Result<ActorRef<B::Msg>, OtherType> {
        lookup_or_spawn_async(self.theater(), name, make)
    }

    /// As [of a theater](crate::Theater::lookup_or_spawn_async_supervised), in that of this actor.
    ///
    /// # Errors
    /// As there.
    pub fn lookup_or_spawn_async_supervised<B: AsyncBehavior>(
        &self,
        name: &str,
        supervision: Supervision,
        make: impl Fn() -> B + Send + Sync + 'static,
    ) -> Result<ActorRef<B::Msg>, OtherType> {
        lookup_or_spawn_async_supervised(self.theater(), name, supervision, make)
    }

    /// As [`Theater::group`](crate::Theater::group), in the theater of this actor.
    ///
    /// # Errors
    /// As there.
    pub fn group<M: Message>(&self, name: &str) -> Result<Group<M>, OtherType> {
        Naming::of(self.theater()).groups.get(name)
    }
}
