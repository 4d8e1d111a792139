//! A way into an actor beside its own turn: for callers of one that handles several messages at
//! once. Each of them handles its own message, so as many are handled as there are callers.
//!
//! A message that enters must not overtake what its sender has sent before. That waits in the
//! inbox, or has been taken from there; and an owner that sleeps has taken all, and knows which of
//! its lanes are free. So a caller enters only if it finds the owner asleep, which it does if all
//! that it has sent itself has been taken. (Of an actor with shards: the one of its lane.) Whether
//! the lane is free, the actor says.

use crate::messaging::actor_ref::ActorRef;
use crate::messaging::foreign_task::unblocked;
use crate::messaging::lane::Lane;
use crate::process::cell::MessageCell;
use crate::vocabulary::message::Message;

/// Of an actor whose messages come with lanes.
pub trait Entrance<M: Message>: Send + Sync {
    /// Whether it is worth trying.
    fn is_open(&self) -> bool;

    /// Handles a message that a caller has for `actor`, on this thread.
    ///
    /// # Errors
    /// The message, if it cannot be handled at once beside what is under way.
    fn enter(&self, actor: &ActorRef<M>, message: M, lane: Lane) -> Result<(), M>;
}

/// What is kept with the actor.
type KeptEntrance<M> = Box<dyn Entrance<M>>;

/// The actor has an entrance from here on.
pub(crate) fn open<M: Message>(actor: &ActorRef<M>, entrance: impl Entrance<M> + 'static) {
    if let Ok(relations) = actor.cell().header.relations.get_or_make() {
        relations.attachments.get_or_attach::<KeptEntrance<M>>(|| Box::new(entrance));
    }
}

/// Handles a call's message on this thread, if the actor has an entrance and it is open.
/// `receiver`: whose inbox would get it. `lane`: of the sender.
///
/// # Errors
/// The message: it goes the ordinary way.
#[inline(never)]
pub(crate) fn enter<M: Message>(
    actor: &ActorRef<M>,
    receiver: &MessageCell<M>,
    message: M,
    lane: Lane,
    mailbox: usize,
) -> Result<(), M> {
    let header = &actor.cell().header;
    let entrance = || header.relations.get()?.attachments.get::<KeptEntrance<M>>();
    let Some(entrance) = entrance().filter(|entrance| entrance.is_open()) else {
        return Err(message);
    };
    if header.is_seen() || !receiver.inbox.is_idle() {
        return Err(message);
    }
    let lane = if M::MAILBOXES == 1 { lane } else { lane.in_mailbox(mailbox) };
    let mut message = Some(message);
    header.stage.for_caller(&mut |_| {
        // Nobody is held back for what it sends: the caller is not who sends it, and the actor goes
        // on with other messages.
        let entered =
            message.take().map(|message| unblocked(|| entrance.enter(actor, message, lane)));
        message = entered.and_then(Result::err);
        None
    });
    message.map_or(Ok(()), Err)
}
