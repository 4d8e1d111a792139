//! Names, groups and worker pools for asynchronous actors: as [`Context`](crate::Context) has them.

use super::AsyncContext;
use crate::actor::Actor;
use crate::actor_ref::ActorRef;
use crate::async_actor::AsyncActor;
use crate::group::Group;
use crate::message::Message;
use crate::naming::{
    LookupError, NameTaken, OtherType, lookup_or_spawn, lookup_or_spawn_supervised,
};
use crate::supervision::Supervision;
use crate::theater::shared::TheaterShared;
use crate::worker_pool::{Routing, WorkerPool};

impl<A: AsyncActor> AsyncContext<'_, A> {
    fn theater(&self) -> &TheaterShared {
        self.cell().header.stage.theater()
    }

    /// As [`Theater::register`](crate::Theater::register), in the theater of this actor.
    ///
    /// # Errors
    /// As there.
    pub fn register<M: Message>(&self, name: &str, actor: &ActorRef<M>) -> Result<(), NameTaken> {
        self.theater().naming.names.register(name, actor)
    }

    /// As [`Theater::unregister`](crate::Theater::unregister), in the theater of this actor.
    pub fn unregister(&self, name: &str) -> bool {
        self.theater().naming.names.unregister(name)
    }

    /// As [`Theater::lookup`](crate::Theater::lookup), in the theater of this actor.
    ///
    /// # Errors
    /// As there.
    pub fn lookup<M: Message>(&self, name: &str) -> Result<ActorRef<M>, LookupError> {
        self.theater().naming.names.lookup(name)
    }

    /// As [`Theater::lookup_or_spawn`](crate::Theater::lookup_or_spawn), in the theater of this actor.
    ///
    /// # Errors
    /// As there.
    pub fn lookup_or_spawn<B: Actor>(
        &self,
        name: &str,
        make: impl FnOnce() -> B + Send + 'static,
    ) -> Result<ActorRef<B::Msg>, OtherType> {
        lookup_or_spawn(self.theater(), name, make)
    }

    /// As [`Theater::lookup_or_spawn_supervised`](crate::Theater::lookup_or_spawn_supervised), in the
    /// theater of this actor.
    ///
    /// # Errors
    /// As there.
    pub fn lookup_or_spawn_supervised<B: Actor>(
        &self,
        name: &str,
        supervision: Supervision,
        make: impl Fn() -> B + Send + Sync + 'static,
    ) -> Result<ActorRef<B::Msg>, OtherType> {
        lookup_or_spawn_supervised(self.theater(), name, supervision, make)
    }

    /// As [`Theater::group`](crate::Theater::group), in the theater of this actor.
    ///
    /// # Errors
    /// As there.
    pub fn group<M: Message>(&self, name: &str) -> Result<Group<M>, OtherType> {
        self.theater().naming.groups.get(name)
    }

    /// As [`Theater::spawn_worker_pool`](crate::Theater::spawn_worker_pool), in the theater of this
    /// actor. The members are no children of this actor.
    pub fn spawn_worker_pool<B: Actor>(
        &self,
        size: usize,
        routing: Routing<B::Msg>,
        supervision: Supervision,
        make: impl Fn(usize) -> B + Send + Sync + 'static,
    ) -> WorkerPool<B::Msg> {
        WorkerPool::spawn(self.theater().pool(), size, routing, supervision, make)
    }
}
