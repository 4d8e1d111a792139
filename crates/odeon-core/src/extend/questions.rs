//! Questions and answers, on their way past others.

use crate::messaging::actor_ref::ActorRef;
use crate::messaging::ask::Ask;
use crate::messaging::reply::LentReply;
use crate::messaging::reply::Reply;
use crate::process::outbox::Effect;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::error::AskError;
use crate::vocabulary::message::Message;

/// A question of which whoever answers it does not come to know by a message: the right to answer,
/// and the answer to come.
pub fn question<T: Send + 'static>() -> (Reply<T>, Ask<T>) {
    Ask::pair()
}

/// Whether somebody waits for this answer: no thread or future that has given up.
pub fn is_awaited<T: Send + 'static>(reply: &mut Reply<T>) -> bool {
    reply.is_awaited()
}

/// Has `begin` begin something at actors with lanes in the theater of `beside`, one of them, which
/// answers the question of `ask`: with the outbox that is in force on this thread, or at once. But
/// where the thread would be blocked since these actors are congested (S17), then when the answer
/// is awaited or waited for, once they are not; at the latest when `ask` is dropped.
pub fn begin_question<T: Send + 'static, M: Message>(
    ask: Ask<T>,
    beside: &ActorRef<M>,
    begin: Effect,
) -> Ask<T> {
    ask.begun_by(&beside.cell().header, begin)
}

/// A [`Reply`] whose answer a function gets, at once.
pub fn reply_by<T: Send + 'static>(
    answer: impl FnOnce(Result<T, AskError>) + Send + 'static,
) -> Reply<T> {
    Reply::to_function(Box::new(answer))
}

/// How many messages wait in the inbox of the actor whose turn it is, off by 32 or less.
pub fn waiting_about<A: Behavior>(ctx: &Context<'_, A>) -> usize {
    ctx.cell().inbox.waiting_about()
}

/// A [`Reply`] whose answer comes to `asker` as a message, as by [`Context::reply_to`].
pub fn reply_to<M, T, F>(asker: ActorRef<M>, message: F) -> Reply<T>
where
    M: Message,
    T: Send + 'static,
    F: FnOnce(Result<T, AskError>) -> M + Send + 'static,
{
    Reply::to_actor(asker, message)
}

/// Has somebody else answer by a reply that is only borrowed: at a later time, at which the reply
/// may have been moved or dropped.
///
/// # Safety
/// Nobody else uses the reply until this returns.
pub unsafe fn lend_reply<T: Send + 'static>(reply: &Reply<T>) -> LentReply<T> {
    // SAFETY: by contract.
    unsafe { reply.lend() }
}
