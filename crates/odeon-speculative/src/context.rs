//! What a handler can do besides reading and writing variables.

use crate::dispatcher::Dispatcher;
use crate::speculative_actor::SpeculativeActor;
use odeon_core::extend::{self, answer_borrowed, let_happen};
use odeon_core::{Actor, ActorId, ActorRef, AskError, Context, Message, Reply, Timer};
use std::fmt;
use std::ptr::NonNull;
use std::time::Duration;

/// The surroundings of an actor while it handles one message. Whatever a handler asks for here happens when its
/// attempt commits, in the order of the calls, and not at all if it is rolled back. The same is true of what it does without a context, such as [`ActorRef::send`].
pub struct SpeculativeContext<'t, A: SpeculativeActor> {
    me: Me<'t, A>,
    /// What is handled: one message; none at the start.
    message: &'t [A::Msg],
    stop: bool,
}

/// The way to the actor itself.
pub(crate) enum Me<'t, A: SpeculativeActor> {
    /// In its own turn.
    Turn(&'t Context<'t, Dispatcher<A>>),
    /// Beside it.
    Beside(&'t ActorRef<A::Msg>),
}

impl<A: SpeculativeActor> Clone for Me<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: SpeculativeActor> Copy for Me<'_, A> {}

impl<A: SpeculativeActor> Me<'_, A> {
    pub(crate) fn actor_ref(self) -> ActorRef<A::Msg> {
        match self {
            Self::Turn(ctx) => ctx.actor_ref(),
            Self::Beside(actor) => actor.clone(),
        }
    }
}

/// A reply in a message that an attempt borrows.
struct Borrowed<T>(NonNull<Reply<T>>);

// SAFETY: stands for the use of a reply, which is `Send`, on the thread of whoever keeps the message.
unsafe impl<T: Send> Send for Borrowed<T> {}

impl<T: Send + 'static> Borrowed<T> {
    fn answer(self, value: T) {
        // SAFETY: it lies in the message, which its keeper has to itself until this returns (`SpeculativeContext::new`).
        unsafe { answer_borrowed(self.0.as_ref(), value) }
    }
}

impl<'t, A: SpeculativeActor> SpeculativeContext<'t, A> {
    /// Whoever runs the attempt keeps `message` in its place, and to itself, until the effects of the attempt have
    /// happened or are dropped.
    pub(crate) fn new(me: Me<'t, A>, message: &'t [A::Msg]) -> Self {
        Self { me, message, stop: false }
    }

    pub(crate) fn wants_stop(&self) -> bool {
        self.stop
    }

    /// The address of this actor. Each call makes a new strong reference.
    pub fn actor_ref(&self) -> ActorRef<A::Msg> {
        self.me.actor_ref()
    }

    /// This actor's identity.
    pub fn id(&self) -> ActorId {
        match self.me {
            Me::Turn(ctx) => ctx.id(),
            Me::Beside(actor) => actor.id(),
        }
    }

    /// Sends a message to this actor itself.
    pub fn send_self(&self, message: A::Msg) {
        // If it has stopped by then, the message goes to the dead letters.
        let _ = self.actor_ref().send(message);
    }

    /// Answers a question by a reply that lies in the message. Only the first answer counts.
    ///
    /// # Panics
    /// If `reply` does not lie in the message itself, but behind a pointer: nothing would keep it until the attempt
    /// has committed.
    #[track_caller]
    pub fn reply<T: Send + 'static>(&mut self, reply: &Reply<T>, value: T) {
        let message = NonNull::from(self.message).cast::<u8>().as_ptr();
        let range = message.addr()..message.addr() + size_of_val(self.message);
        let reply = NonNull::from(reply);
        assert!(
            range.contains(&reply.as_ptr().addr()),
            "a reply is answered where it lies in the message; this one is kept elsewhere"
        );
        let reply = Borrowed(reply);
        let_happen(Box::new(move || reply.answer(value)));
    }

    /// Asks another actor: `question` makes the message around a [`Reply`], `answer` turns what comes back into a
    /// message to this actor. Both are called once if the attempt commits, and not at all if it is rolled back.
    pub fn ask<M: Message, T: Send + 'static>(
        &mut self,
        other: &ActorRef<M>,
        question: impl FnOnce(Reply<T>) -> M + Send + 'static,
        answer: impl FnOnce(Result<T, AskError>) -> A::Msg + Send + 'static,
    ) {
        let (other, me) = (other.clone(), self.actor_ref());
        let_happen(Box::new(move || {
            // Refused, the question comes back, and its reply, dropped, answers.
            drop(other.send(question(extend::reply_to(me, answer))));
        }));
    }

    /// Creates an actor on the pool.
    pub fn spawn<B: Actor>(&self, actor: B) -> ActorRef<B::Msg> {
        match self.me {
            Me::Turn(ctx) => ctx.spawn(actor),
            Me::Beside(me) => extend::spawn_beside(me, actor),
        }
    }

    /// Sends a message to this actor itself after `delay`.
    pub fn send_after(&self, delay: Duration, message: A::Msg) -> Timer {
        self.actor_ref().send_after(delay, message)
    }

    /// Ends this actor with the commit of this message. Messages that have not committed by then go to the
    /// dead-letter hook.
    pub fn stop(&mut self) {
        self.stop = true;
    }
}

impl<A: SpeculativeActor> fmt::Debug for SpeculativeContext<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpeculativeContext").field("actor", &self.id()).finish_non_exhaustive()
    }
}
