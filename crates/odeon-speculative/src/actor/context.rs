//! What a handler can do besides reading and writing variables.

mod borrowed_reply;

use crate::actor::outcome::{TxResult, fail};
use crate::actor::speculative_actor::SpeculativeActor;
use borrowed_reply::pass_on;
use odeon_core::extend::{self, Behavior, Effect, LentReply, Spawnable, lend_reply, let_happen};
use odeon_core::{ActorId, ActorRef, AskError, Context, Message, Reply, Timer};
use odeon_stm::Tx;
use std::any::Any;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

/// The surroundings of an actor while it handles one message. Whatever a handler asks for here
/// happens when its attempt commits, in the order of the calls, and not at all if it is rolled
/// back. The same is true of what it does without a context, such as [`ActorRef::send`].
pub struct SpeculativeContext<'t, A: SpeculativeActor> {
    me: Me<'t, A>,
    /// What is handled: one message; none at the start.
    message: &'t [A::Msg],
    wants: Wants,
    mailbox: u8,
    /// What is to join the coordinated transaction that the message is part of, if it is.
    part: Option<HandlerPart<'t>>,
}

/// What a handler adds to the transaction that its message is part of.
pub(crate) struct HandlerPart<'t> {
    /// Messages that join it; of what type only who lets handlers join them knows.
    pub(crate) joins: &'t mut dyn Any,
    /// Answers by replies that were passed on, once all has happened.
    pub(crate) passed_on: &'t mut Vec<Effect>,
    /// By whom these, and the outcome, are given, if not at once.
    pub(crate) held_by: &'t mut Option<HoldsBack>,
}

/// Has an effect happen at some time, in the order in which it gets them.
pub(crate) type HoldsBack = Arc<dyn Fn(Effect) + Send + Sync>;

/// What a handler wants besides effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wants {
    Nothing,
    /// The end of its actor.
    Stop,
    /// That its message be part of a coordinated transaction.
    Join,
    /// That its message's guard be asked again when it may answer otherwise: the handler was not
    /// called.
    Admission,
}

/// A context of whoever takes the actor's messages, its type forgotten.
pub(crate) trait InTurn<M: Message> {
    fn actor_ref(&self) -> ActorRef<M>;
    fn id(&self) -> ActorId;
}

impl<M: Message, B: Behavior<Msg = M>> InTurn<M> for Context<'_, B> {
    fn actor_ref(&self) -> ActorRef<M> {
        Context::actor_ref(self)
    }

    fn id(&self) -> ActorId {
        Context::id(self)
    }
}

/// The way to the actor itself.
pub(crate) enum Me<'t, A: SpeculativeActor> {
    /// In its own turn.
    Turn(&'t dyn InTurn<A::Msg>),
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

impl<'t, A: SpeculativeActor> SpeculativeContext<'t, A> {
    /// Whoever runs the attempt has `message` to itself until the handler has ended.
    #[inline(always)]
    pub(crate) fn new(me: Me<'t, A>, message: &'t [A::Msg], mailbox: u8) -> Self {
        Self { me, message, wants: Wants::Nothing, mailbox, part: None }
    }

    /// As [`new`](Self::new), for a message that is part of a coordinated transaction.
    pub(crate) fn taking_part(
        me: Me<'t, A>,
        message: &'t [A::Msg],
        mailbox: u8,
        part: HandlerPart<'t>,
    ) -> Self {
        Self { part: Some(part), ..Self::new(me, message, mailbox) }
    }

    /// The guard of the message's mailbox has refused it.
    pub(crate) fn refused(&mut self) {
        self.wants = Wants::Admission;
    }

    pub(crate) fn wants(&self) -> Wants {
        self.wants
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

    /// The mailbox in which the message that is being handled has waited; 0 in
    /// [`started`](SpeculativeActor::started).
    #[inline(always)]
    pub fn mailbox(&self) -> usize {
        if A::Msg::MAILBOXES == 1 { 0 } else { self.mailbox.into() }
    }

    /// Sends a message to this actor itself.
    pub fn send_self(&self, message: A::Msg) {
        // If it has stopped by then, the message goes to the dead letters.
        let _ = self.actor_ref().send(message);
    }

    /// Answers a question by a reply that lies in the message. Only the first answer counts. That
    /// this one is given does not depend on what becomes of the reply until the attempt has
    /// committed: it may be moved, or dropped.
    ///
    /// # Panics
    /// If `reply` does not lie in the message itself, but behind a pointer: others could use it at
    /// this moment.
    #[track_caller]
    pub fn reply<T: Send + 'static>(&mut self, reply: &Reply<T>, value: T) {
        let reply = self.lend(reply);
        let_happen(move || reply.answer(value));
    }

    /// Says no to the one who asks: undoes what the handler has done so far, its writes and its
    /// effects, and answers. The message is handled then: nothing has failed, and supervision hears
    /// nothing of it.
    ///
    /// ```
    /// use odeon_core::{Message, Reply, Theater};
    /// use odeon_speculative::*;
    /// use odeon_stm::{TVar, Tx};
    ///
    /// #[derive(Debug, PartialEq)]
    /// struct NotCovered { missing: u64 }
    ///
    /// struct Transfer { amount: u64, done: Reply<Result<u64, NotCovered>> }
    /// impl Message for Transfer {}
    ///
    /// struct Accounts { from: TVar<u64>, to: TVar<u64> }
    ///
    /// impl SpeculativeActor for Accounts {
    ///     type Msg = Transfer;
    ///     fn handle<'t>(
    ///         &'t self,
    ///         Transfer { amount, done }: &'t Transfer,
    ///         tx: &mut Tx<'t>,
    ///         ctx: &mut SpeculativeContext<'_, Self>,
    ///     ) -> TxResult {
    ///         self.to.update(tx, |balance| balance + amount)?;
    ///         let balance = self.from.get(tx)?;
    ///         let Some(left) = balance.checked_sub(*amount) else {
    ///             return ctx.reject(tx, done, Err(NotCovered { missing: amount - balance }));
    ///         };
    ///         self.from.set(tx, left)?;
    ///         ctx.reply(done, Ok(left));
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let theater = Theater::new()?;
    /// let accounts = Accounts { from: TVar::new(10), to: TVar::new(0) };
    /// let accounts = theater.spawn_speculative(accounts, Processing::default());
    /// let transfer = |amount| accounts.ask(|done| Transfer { amount, done }).wait();
    /// assert_eq!(transfer(12)?, Err(NotCovered { missing: 2 }));
    /// assert_eq!(transfer(7)?, Ok(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// In a coordinated transaction, which happens wholly or not at all, one message that is
    /// rejected fails it: nobody is answered, and who has begun it is told.
    ///
    /// # Panics
    /// As [`reply`](Self::reply), and as [`Tx::undo`].
    #[track_caller]
    pub fn reject<T: Send + 'static>(
        &mut self,
        tx: &mut Tx<'_>,
        reply: &Reply<T>,
        answer: T,
    ) -> TxResult {
        let reply = self.lend(reply);
        if self.part.is_some() {
            return fail("a message of a coordinated transaction was rejected");
        }
        tx.undo();
        extend::forget_effects();
        self.wants = Wants::Nothing;
        let_happen(move || reply.answer(answer));
        Ok(())
    }

    /// Asks another actor: `question` makes the message around a [`Reply`], `answer` turns what
    /// comes back into a message to this actor. Both are called once if the attempt commits, and
    /// not at all if it is rolled back.
    pub fn ask<M: Message, T: Send + 'static>(
        &mut self,
        other: &ActorRef<M>,
        question: impl FnOnce(Reply<T>) -> M + Send + 'static,
        answer: impl FnOnce(Result<T, AskError>) -> A::Msg + Send + 'static,
    ) {
        let (other, me) = (other.clone(), self.actor_ref());
        let_happen(move || {
            // Refused, the question comes back, and its reply, dropped, answers.
            drop(other.send(question(extend::reply_to(me, answer))));
        });
    }

    /// Creates an actor on the pool.
    pub fn spawn<Kind, B: Spawnable<Kind>>(&self, actor: B) -> ActorRef<B::Msg> {
        match self.me {
            Me::Turn(ctx) => extend::spawn_beside(&ctx.actor_ref(), actor),
            Me::Beside(me) => extend::spawn_beside(me, actor),
        }
    }

    /// Sends a message to this actor itself after `delay`. If the actor moves to another theater
    /// the timer goes with it (S34).
    pub fn send_after(&self, delay: Duration, message: A::Msg) -> Timer {
        extend::send_own_after(&self.actor_ref(), delay, message)
    }

    /// Ends this actor with the commit of this message. Messages that have not committed by then go
    /// to the dead-letter hook.
    pub fn stop(&mut self) {
        if self.wants == Wants::Nothing {
            self.wants = Wants::Stop;
        }
    }

    /// Where messages are added that join the transaction. If the message is part of none it has to
    /// be handled again, as the first one of its own.
    pub(crate) fn joins(&mut self) -> Option<&mut dyn Any> {
        match &mut self.part {
            Some(part) => Some(&mut *part.joins),
            None => {
                self.wants = Wants::Join;
                None
            }
        }
    }

    /// A reply for a message that [joins](Self::join): what it answers is the answer of `reply`,
    /// which lies in the present message, once all has committed. Passed on more than once, it is
    /// answered once, perhaps by one that gives no answer.
    ///
    /// # Panics
    /// As [`reply`](Self::reply).
    #[track_caller]
    pub fn pass_on<T: Send + 'static>(&mut self, reply: &Reply<T>) -> Reply<T> {
        let reply = self.lend(reply);
        let (passed_on, all_has_happened) = pass_on(reply);
        match &mut self.part {
            Some(part) => part.passed_on.push(all_has_happened),
            None => self.wants = Wants::Join,
        }
        passed_on
    }

    /// # Panics
    /// If it does not lie in the message.
    #[track_caller]
    fn lend<T: Send + 'static>(&self, reply: &Reply<T>) -> LentReply<T> {
        let message = NonNull::from(self.message).cast::<u8>().as_ptr();
        let range = message.addr()..message.addr() + size_of_val(self.message);
        assert!(
            range.contains(&NonNull::from(reply).as_ptr().addr()),
            "a reply is answered where it lies in the message; this one is kept elsewhere"
        );
        // SAFETY: it is a part of the message at this moment, as the reference says that is there.
        // Whoever runs the attempt has the message to itself, and has lent it to this handler
        // alone, which is here. Where the reply goes later does not matter.
        unsafe { lend_reply(reply) }
    }
}

/// Has `handle` called with the context of an actor that this one consists of, or is made around:
/// it has the same messages, and what its handler asks for this one asks for.
pub fn within<'t, A, B, R>(
    ctx: &mut SpeculativeContext<'t, A>,
    handle: impl FnOnce(&mut SpeculativeContext<'t, B>) -> R,
) -> R
where
    A: SpeculativeActor,
    B: SpeculativeActor<Msg = A::Msg>,
{
    let me = match ctx.me {
        Me::Turn(turn) => Me::Turn(turn),
        Me::Beside(actor) => Me::Beside(actor),
    };
    let SpeculativeContext { message, wants, mailbox, .. } = *ctx;
    let mut inner = SpeculativeContext { me, message, wants, mailbox, part: ctx.part.take() };
    let answer = handle(&mut inner);
    (ctx.wants, ctx.part) = (inner.wants, inner.part);
    answer
}

/// Whether the message is part of a coordinated transaction.
pub fn takes_part<A: SpeculativeActor>(ctx: &SpeculativeContext<'_, A>) -> bool {
    ctx.part.is_some()
}

/// Has the message's transaction of several actors, if it commits, tell its outcome by `hold`, and
/// what others answer in this message's place: it gets each as an effect. Does nothing if the
/// message is part of none; where several say so, one of them tells the outcome.
pub fn hold_outcome_by<A: SpeculativeActor>(
    ctx: &mut SpeculativeContext<'_, A>,
    hold: impl Fn(Effect) + Send + Sync + 'static,
) {
    if let Some(part) = &mut ctx.part {
        *part.held_by = Some(Arc::new(hold));
    }
}

/// Ends a handler whose transaction of several actors reads a snapshot: it is run again, and holds
/// on to what it reads, as one that writes does.
pub fn hold_on_to_reads<A: SpeculativeActor, R>(
    tx: &mut Tx<'_>,
    ctx: &mut SpeculativeContext<'_, A>,
) -> TxResult<R> {
    ctx.wants = Wants::Admission;
    Ok(tx.retry()?)
}

/// Answers a question as [`SpeculativeContext::reply`] does, by what `answer` says when the attempt
/// has committed; if it says nothing, as if this had not been called.
///
/// # Panics
/// As [`SpeculativeContext::reply`].
#[track_caller]
pub fn reply_if<A: SpeculativeActor, T: Send + 'static>(
    ctx: &mut SpeculativeContext<'_, A>,
    reply: &Reply<T>,
    answer: impl FnOnce() -> Option<T> + Send + 'static,
) {
    let reply = ctx.lend(reply);
    let_happen(move || {
        if let Some(answer) = answer() {
            reply.answer(answer);
        }
    });
}

impl<A: SpeculativeActor> fmt::Debug for SpeculativeContext<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpeculativeContext").field("actor", &self.id()).finish_non_exhaustive()
    }
}
