//! Who waits at a bounded mailbox for messages from elsewhere, in their order.

use crate::lifecycle::spawn::Location;
use crate::lifecycle::spawnable::Spawnable;
use crate::messaging::actor_ref::ActorRef;
use crate::turn::async_actor::AsyncActor;
use crate::turn::async_context::AsyncContext;
use crate::vocabulary::message::Message;

/// Sends to one bounded mailbox of an actor: what its bound does with a sender, it does with this
/// actor (S18).
struct Doorman<M: Message> {
    actor: ActorRef<M>,
    mailbox: usize,
}

/// A doorman for each mailbox of this actor, if it has bounds.
pub(super) fn at<M: Message>(actor: &ActorRef<M>) -> Vec<ActorRef<M>> {
    let header = &actor.cell().header;
    let mailboxes = if header.home.is_bounded() { M::MAILBOXES } else { 0 };
    let doorman = |mailbox| Doorman { actor: actor.clone(), mailbox };
    (0..mailboxes).map(|mailbox| doorman(mailbox).create(Location::beside(header))).collect()
}

impl<M: Message> AsyncActor for Doorman<M> {
    type Msg = M;

    async fn handle(&mut self, message: M, _: &mut AsyncContext<'_, Self>) {
        if let Err(error) = self.actor.send_async_into(self.mailbox, message).await {
            self.actor.dead_letter(error);
        }
    }
}
