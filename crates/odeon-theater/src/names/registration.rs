//! What a registration is to who has made it.

use odeon_core::{ActorRef, Ask, Message, extend};

use super::entry::Id;
use super::error::NameError;
use super::tell::Tell;
use crate::TheaterId;

/// An actor has a name. Dropping it changes nothing: the name is kept until the actor ends, or it
/// is [unregistered](Self::unregister).
#[derive(Debug, Clone)]
pub struct Registration {
    name: String,
    id: Id,
    server: ActorRef<Tell>,
}

impl Registration {
    pub(super) fn new(name: String, id: Id, server: ActorRef<Tell>) -> Self {
        Self { name, id, server }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The theater of the actor when it was registered.
    pub fn theater(&self) -> TheaterId {
        self.id.born
    }

    /// Takes the name from this actor, and from no other one that may have it by now. `false`: it
    /// does not have it any more.
    ///
    /// # Errors
    /// In the answer: [`NameError::Unavailable`].
    pub fn unregister(&self) -> Ask<Result<bool, NameError>> {
        let (reply, ask) = extend::question();
        let (name, id) = (self.name.clone(), self.id);
        let step = Tell::then(move |it, ctx| {
            let deadline = it.deadline();
            it.unregister_by(name, id, deadline, reply, ctx);
        });
        // A server that has ended drops the reply: whoever asks learns so.
        let _ = extend::send_unhindered(&self.server, step);
        ask
    }
}

/// Something has happened to a name, to be known to who has registered it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameEvent {
    /// An actor of this theater, or one registered from here, has lost its name: an actor of
    /// another theater had been given it while there was no way between the two, and goes before
    /// (S33). The actor lives on.
    Lost {
        /// The name.
        name: String,
        /// The theater of the actor that has it.
        to: TheaterId,
    },
}

impl Message for NameEvent {}
