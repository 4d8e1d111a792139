//! An actor that moves, and what was sent to it before.

use crate::mailbox::label;
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::send;
use crate::vocabulary::message::Message;

/// Leaves a mark among the messages of an actor, behind all that has been sent to it: it will be
/// told when it comes to it. Nothing happens if it has stopped.
pub fn mark<M: Message>(actor: &ActorRef<M>) {
    send::signal(actor.cell(), label::MARK);
}
