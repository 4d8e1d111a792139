//! Bounds and pressure, for those who send on behalf of others.

use crate::messaging::actor_ref::ActorRef;
use crate::messaging::bounded;
use crate::messaging::bounded::Place;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::error::SendError;
use crate::vocabulary::message::Message;

/// Waits until there has been room in a mailbox that was full, also in one that makes no sender
/// wait ([`Bound::reject`](crate::Bound::reject)), or `actor` has ended. Somebody else's message
/// may come in between.
pub async fn room_in<M: Message>(actor: &ActorRef<M>, mailbox: usize) {
    bounded::room(actor, mailbox).await;
}

/// The place, in a mailbox with a bound, of a message that an actor with lanes has taken: it is
/// free when this is dropped. `None` if the actor has no bounds.
#[inline]
pub fn place_taken<A: Behavior>(ctx: &Context<'_, A>, mailbox: usize) -> Option<Place> {
    bounded::taken_deferred(ctx.cell(), mailbox)
}

/// Sends without holding back, whatever the receiver's pressure and bounds: for what the runtime
/// tells somebody who has asked for it.
///
/// # Errors
/// The message, if the actor has stopped.
pub fn send_unhindered<M: Message>(actor: &ActorRef<M>, message: M) -> Result<(), SendError<M>> {
    actor.send_unhindered(message)
}
