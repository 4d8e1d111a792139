//! Who waits at a bounded mailbox for messages from elsewhere, in their order.

use crate::actor_ref::ActorRef;
use crate::async_actor::AsyncActor;
use crate::async_context::AsyncContext;
use crate::message::Message;
use crate::theater::spawn;
use crate::turn::asynchronous;

/// A message for a mailbox.
pub(super) struct For<M> {
    pub(super) mailbox: usize,
    pub(super) message: M,
}

impl<M: Message> Message for For<M> {}

/// Sends to one actor with bounded mailboxes: what a bound does with a sender, it does with this actor (S18).
pub(super) struct Doorman<M: Message>(ActorRef<M>);

/// A doorman for this actor, if it has bounds.
pub(super) fn at<M: Message>(actor: &ActorRef<M>) -> Option<ActorRef<For<M>>> {
    let header = &actor.cell().header;
    header
        .home
        .is_bounded()
        .then(|| spawn::beside(header, asynchronous::new_actor(Doorman(actor.clone()))))
}

impl<M: Message> AsyncActor for Doorman<M> {
    type Msg = For<M>;

    async fn handle(&mut self, msg: For<M>, _: &mut AsyncContext<'_, Self>) {
        let For { mailbox, message } = msg;
        if let Err(error) = self.0.send_async_into(mailbox, message).await {
            self.0.dead_letter(error);
        }
    }
}
