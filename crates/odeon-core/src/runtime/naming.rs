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
mod spawning;

use std::sync::Arc;

use odeon_sync::{Mutex, MutexGuard};

pub use error::{LookupError, NameTaken, OtherType};

use crate::messaging::actor_ref::ActorRef;
use crate::process::theater_shared::TheaterShared;
use crate::runtime::group::named::NamedGroups;
use crate::runtime::theater::Theater;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::message::Message;
use names::Names;

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
}
