//! One actor inside another, in its place.

use crate::messaging::actor_ref::ActorRef;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::error::SendError;
use crate::vocabulary::message::Message;

/// Has an actor inside the one of `ctx` work in its place: what `work` does with its context is
/// done by the outer actor, and a stop that it asks for is the outer one's. The outer actor also
/// passes on what goes on with the inner one's pipes, by its `go_on`.
#[inline]
pub fn lend<A: Behavior, B: Behavior<Msg = A::Msg>>(
    ctx: &mut Context<'_, A>,
    work: impl FnOnce(&mut Context<'_, B>),
) {
    ctx.lent_to(work);
}

/// As [`lend`], for handlers that wait.
#[inline]
pub fn lend_async<'c, 'a, A: AsyncBehavior, B: AsyncBehavior<Msg = A::Msg>>(
    ctx: &'c mut AsyncContext<'a, A>,
) -> &'c mut AsyncContext<'a, B> {
    ctx.lent_to()
}

/// Says of the message that an actor has been given whether it is handled: one that is only looked
/// at, and sent again, is no answer yet (`Context::reply_blocked`).
pub fn settle_answer<A: Behavior>(ctx: &mut Context<'_, A>, handled: bool) {
    ctx.settle_answer(handled);
}

/// As [`settle_answer`], for handlers that wait.
pub fn settle_answer_async<A: AsyncBehavior>(ctx: &mut AsyncContext<'_, A>, handled: bool) {
    ctx.guards.settle_answer(handled);
}

/// Counts and reports a message that `actor` has taken and not handled, and now has ended (S4).
pub fn dead_letter<M: Message>(actor: &ActorRef<M>, message: M) {
    actor.dead_letter(SendError::Stopped(message));
}
