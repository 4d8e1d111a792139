//! Names: how actors and threads find an actor, or a group, without being handed a reference.
//!
//! | question | file |
//! |---|---|
//! | what a user calls | this one; for named groups `runtime/group/named.rs`, for named worker pools `patterns/worker_pool/named.rs` |
//! | who has which name | `runtime/naming/names.rs` |
//! | how an actor that nobody has found comes to be | `runtime/naming/spawning.rs` |
//! | what can go wrong | `runtime/naming/error.rs` |
//! | how callers keep out of each other's way | `runtime/naming/sharded.rs` |

mod error;
mod names;
pub(crate) mod sharded;
pub(crate) mod spawning;

use std::sync::Arc;

use odeon_sync::{Mutex, MutexGuard};

pub use error::{LookupError, NameTaken, OtherType};

use crate::messaging::actor_ref::ActorRef;
use crate::process::supervision::Supervision;
use crate::process::theater_shared::TheaterShared;
use crate::runtime::group::named::NamedGroups;
use crate::runtime::theater::Theater;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::message::Message;
use names::Names;
use spawning::{
    lookup_or_spawn, lookup_or_spawn_async, lookup_or_spawn_async_supervised,
    lookup_or_spawn_supervised,
};

/// The names of one theater.
#[derive(Default)]
pub(crate) struct Naming {
    pub(crate) names: Arc<Names>,
    pub(crate) groups: Arc<NamedGroups>,
    /// Have what others keep by names forgotten.
    also_cleared: Mutex<Vec<fn(&TheaterShared)>>,
}

impl Naming {
    /// The names of a theater.
    pub(crate) fn of(theater: &TheaterShared) -> &Self {
        theater.attachments.get_or_attach(Self::default)
    }

    /// Has something else cleared when the names are.
    pub(crate) fn also_clear(&self, clear: fn(&TheaterShared)) {
        self.also_cleared().push(clear);
    }

    fn also_cleared(&self) -> MutexGuard<'_, Vec<fn(&TheaterShared)>> {
        self.also_cleared.lock().expect("nothing panics under this lock")
    }

    /// Calls `visit` for each name and the actor that has it, under locks.
    pub(crate) fn for_each_name(&self, visit: impl FnMut(&Arc<str>, ActorId)) {
        self.names.for_each(visit);
    }

    /// The theater has ended: forgets everybody, also actors of other theaters.
    pub(crate) fn clear(&self, theater: &TheaterShared) {
        self.names.clear();
        self.groups.clear();
        let also = std::mem::take(&mut *self.also_cleared());
        also.into_iter().for_each(|clear| clear(theater));
    }
}

impl Theater {
    /// Gives an actor a name in this theater, which keeps the actor as a reference does: an actor
    /// with a name does not end as unreachable (S16).
    ///
    /// The name is free again when the actor ends, from the moment on from which sends to it fail,
    /// or when it is [unregistered](Self::unregister). A restart is no end. An actor may have
    /// several names. One that has ended already gets none.
    ///
    /// # Errors
    /// If an actor has the name, be it the same one.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # struct Greeter;
    /// # enum Greet { Name(&'static str, Reply<String>) }
    /// # impl Message for Greet {}
    /// # impl Actor for Greeter {
    /// #     type Msg = Greet;
    /// #     fn handle(&mut self, Greet::Name(name, reply): Greet, _: &mut Context<'_, Self>) {
    /// #         reply.send(format!("hello {name}"))
    /// #     }
    /// # }
    /// let theater = Theater::new()?;
    /// theater.register("greeter", &theater.spawn(Greeter))?;
    ///
    /// let greeter = theater.lookup::<Greet>("greeter")?;
    /// assert_eq!(greeter.ask(|reply| Greet::Name("you", reply)).wait()?, "hello you");
    ///
    /// assert!(theater.register("greeter", &theater.spawn(Greeter)).is_err());
    /// assert!(matches!(theater.lookup::<u32>("greeter"), Err(LookupError::OtherType(_))));
    /// assert!(matches!(theater.lookup::<u32>("nobody"), Err(LookupError::NotFound { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn register<M: Message>(&self, name: &str, actor: &ActorRef<M>) -> Result<(), NameTaken> {
        Naming::of(self.shared()).names.register(name, actor)
    }

    /// Takes a name from the actor that has it. `false`: nobody had it.
    pub fn unregister(&self, name: &str) -> bool {
        Naming::of(self.shared()).names.unregister(name)
    }

    /// The actor that has this name.
    ///
    /// Some 100 ns, growing with the length of the name; whoever sends often keeps the reference.
    ///
    /// # Errors
    /// [`LookupError::NotFound`] if nobody has the name, [`LookupError::OtherType`] if its actor
    /// has other messages than `M`.
    pub fn lookup<M: Message>(&self, name: &str) -> Result<ActorRef<M>, LookupError> {
        Naming::of(self.shared()).names.lookup(name)
    }

    /// The actor that has this name; if there is none, a new one on the pool gets it.
    ///
    /// However many callers race, one actor is spawned, and `make` is called once. It runs in the
    /// new actor's first turn, not in the caller: it holds up nobody but this actor's messages, it
    /// may look up or spawn other names, and a panic in it ends the actor as failed, which frees
    /// the name.
    ///
    /// # Errors
    /// If the actor that has the name has other messages than `A`.
    ///
    /// ```
    /// # use odeon_core::*;
    /// struct Counter(u32);
    /// enum Count { Next(Reply<u32>) }
    /// # impl Message for Count {}
    /// impl Actor for Counter {
    ///     type Msg = Count;
    ///     fn handle(&mut self, Count::Next(reply): Count, _: &mut Context<'_, Self>) {
    ///         self.0 += 1;
    ///         reply.send(self.0);
    ///     }
    /// }
    ///
    /// let theater = Theater::new()?;
    /// let next = || theater.lookup_or_spawn("tickets", || Counter(0)).unwrap().ask(Count::Next).wait();
    /// assert_eq!((next(), next()), (Ok(1), Ok(2)));
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn lookup_or_spawn<A: Behavior>(
        &self,
        name: &str,
        make: impl FnOnce() -> A + Send + 'static,
    ) -> Result<ActorRef<A::Msg>, OtherType> {
        lookup_or_spawn(self.shared(), name, make)
    }

    /// As [`lookup_or_spawn`](Self::lookup_or_spawn), for a supervised actor: `make` is called
    /// again for each restart, during which the actor keeps its name.
    ///
    /// # Errors
    /// As there.
    pub fn lookup_or_spawn_supervised<A: Behavior>(
        &self,
        name: &str,
        supervision: Supervision,
        make: impl Fn() -> A + Send + Sync + 'static,
    ) -> Result<ActorRef<A::Msg>, OtherType> {
        lookup_or_spawn_supervised(self.shared(), name, supervision, make)
    }

    /// As [`lookup_or_spawn`](Self::lookup_or_spawn), for an asynchronous actor.
    ///
    /// # Errors
    /// As there.
    pub fn lookup_or_spawn_async<A: AsyncBehavior>(
        &self,
        name: &str,
        make: impl FnOnce() -> A + Send + 'static,
    ) -> Result<ActorRef<A::Msg>, OtherType> {
        lookup_or_spawn_async(self.shared(), name, make)
    }

    /// As [`lookup_or_spawn_supervised`](Self::lookup_or_spawn_supervised), for an asynchronous
    /// actor.
    ///
    /// # Errors
    /// As there.
    pub fn lookup_or_spawn_async_supervised<A: AsyncBehavior>(
        &self,
        name: &str,
        supervision: Supervision,
        make: impl Fn() -> A + Send + Sync + 'static,
    ) -> Result<ActorRef<A::Msg>, OtherType> {
        lookup_or_spawn_async_supervised(self.shared(), name, supervision, make)
    }
}

impl<A: Behavior> Context<'_, A> {
    /// As [`Theater::register`], in the theater of this actor.
    ///
    /// # Errors
    /// As there.
    pub fn register<M: Message>(&self, name: &str, actor: &ActorRef<M>) -> Result<(), NameTaken> {
        Naming::of(self.theater()).names.register(name, actor)
    }

    /// As [`Theater::unregister`], in the theater of this actor.
    pub fn unregister(&self, name: &str) -> bool {
        Naming::of(self.theater()).names.unregister(name)
    }

    /// As [`Theater::lookup`], in the theater of this actor.
    ///
    /// # Errors
    /// As there.
    pub fn lookup<M: Message>(&self, name: &str) -> Result<ActorRef<M>, LookupError> {
        Naming::of(self.theater()).names.lookup(name)
    }

    /// As [`Theater::lookup_or_spawn`], in the theater of this actor: a new actor is on the
    /// theater's pool, wherever this one is.
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

    /// As [`Theater::lookup_or_spawn_supervised`], in the theater of this actor.
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

    /// As [`Theater::lookup_or_spawn_async`], in the theater of this actor.
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

    /// As [`Theater::lookup_or_spawn_async_supervised`], in the theater of this actor.
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
}
