//! Names and groups for asynchronous actors: as [`Context`](crate::Context) has them.

use crate::messaging::actor_ref::ActorRef;
use crate::process::theater_shared::TheaterShared;
use crate::runtime::group::Group;
use crate::runtime::naming::Naming;
use crate::runtime::naming::{LookupError, NameTaken, OtherType};
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
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

    /// As [`Theater::group`](crate::Theater::group), in the theater of this actor.
    ///
    /// # Errors
    /// As there.
    pub fn group<M: Message>(&self, name: &str) -> Result<Group<M>, OtherType> {
        Naming::of(self.theater()).groups.get(name)
    }
}
