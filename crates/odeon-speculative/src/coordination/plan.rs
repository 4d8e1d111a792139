//! How a coordinated transaction is begun.

use super::abroad::{self, Abroad, Away, Begun, First, Here};
use super::outcome::{CoordinationError, Outcome};
use super::part::Decider;
use super::transaction::Coordination;
use crate::actor::context::SpeculativeContext;
use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::{contained, drop_each, drop_quietly};
use crate::executor::enlistment::{Enlistment, Role};
use odeon_core::extend::{
    self, AsyncBehavior, Behavior, Companion, Congestion, Congests, Effect, as_sender, let_happen,
};
use odeon_core::{
    ActorId, ActorRef, Ask, AsyncContext, Context, MailboxRef, Message, Reply, Theater, Timer,
};
use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

/// A message that will be sent as part of a transaction.
pub(crate) struct Join {
    sends: Sends,
    /// Whether somebody else delivers it.
    is_delivered: bool,
}

/// How a message is sent.
enum Sends {
    Here(Box<dyn FnOnce(Companion) + Send>),
    /// To an actor of another theater, by who decides the transaction, in a round of all theaters.
    Away(Arc<dyn Abroad>, Sending),
}

/// Sends it in this round.
type Sending = Box<dyn FnOnce(&dyn Decider, u32) + Send>;

impl Join {
    /// A message of `me`'s handler to another actor.
    #[track_caller]
    pub(crate) fn of<N: Message, M: Message>(
        me: &ActorRef<N>,
        mailbox: MailboxRef<'_, M>,
        message: M,
    ) -> Self {
        let (me, other, mailbox) = (me.clone(), mailbox.actor().clone(), mailbox.number());
        let sends = match abroad::of(&other) {
            Some(abroad) => {
                let message = Away::new(&other, mailbox, message);
                let send = move |decider: &dyn Decider, round| {
                    as_sender(&me, || decider.joins(round, message));
                };
                Sends::Away(abroad, Box::new(send))
            }
            None => {
                check(&other);
                Sends::Here(Box::new(move |companion| {
                    // Refused, the companion tells the transaction.
                    let mailbox = other.mailbox(mailbox);
                    let send = || extend::send_accompanied(mailbox, message, companion, false);
                    drop_quietly(as_sender(&me, send));
                }))
            }
        };
        Self { sends, is_delivered: false }
    }

    /// The same message, sent when `via` delivers it.
    ///
    /// # Panics
    /// If it is for an actor of another theater.
    #[track_caller]
    pub(crate) fn via(self, via: impl FnOnce(Delivery) + Send + 'static) -> Self {
        let Sends::Here(send) = self.sends else {
            panic!(
                "a message to an actor of another theater is not delivered by a way of one's own"
            );
        };
        let send = Box::new(move |companion| via(Delivery { send, companion }));
        Self { sends: Sends::Here(send), is_delivered: true }
    }

    /// The way to other theaters, if it goes to one.
    pub(super) fn abroad(&self) -> Option<&Arc<dyn Abroad>> {
        match &self.sends {
            Sends::Here(_) => None,
            Sends::Away(abroad, _) => Some(abroad),
        }
    }

    /// Sends it in this theater, with what `enlist` makes, or to another one, by who decides.
    pub(super) fn send(
        self,
        enlist: impl FnOnce() -> Enlistment,
        congestion: &Arc<Congestion>,
        decider: Option<(&dyn Decider, u32)>,
    ) {
        match (self.sends, decider) {
            (Sends::Here(send), _) => {
                let mut enlistment = enlist();
                if self.is_delivered {
                    enlistment = enlistment.on_its_way(congestion.suspend());
                }
                send(Box::new(enlistment));
            }
            (Sends::Away(_, send), Some((decider, round))) => send(decider, round),
            (Sends::Away(..), None) => unreachable!("it has become a part before that"),
        }
    }
}

/// A message that has joined a coordinated transaction and is to be [delivered](Self::deliver), by
/// whichever thread; see [`SpeculativeContext::join_via`]. Dropped instead, it fails the
/// transaction.
#[must_use = "the transaction fails if the message is not delivered"]
pub struct Delivery {
    send: Box<dyn FnOnce(Companion) + Send>,
    companion: Companion,
}

impl Delivery {
    /// Sends the message. If the transaction has been rolled back meanwhile, it is void.
    pub fn deliver(self) {
        (self.send)(self.companion);
    }
}

impl fmt::Debug for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delivery").finish_non_exhaustive()
    }
}

/// What to do about a plain actor.
pub(super) const PLAIN: &str = "only speculative actors take part in coordinated transactions. Spawn it by `spawn_speculative`, \
     so that what it does can be undone.";

#[track_caller]
fn check<M: Message>(actor: &ActorRef<M>) {
    assert!(
        extend::has_lanes(actor),
        "{} cannot join: {PLAIN} Send it its message: what a handler sends goes out with its commit",
        actor.id()
    );
}

/// Begins coordinated transactions: of a [`Theater`] and of every context.
///
/// ```
/// use odeon_core::{Message, Theater};
/// use odeon_speculative::*;
/// use odeon_stm::{TVar, Tx};
///
/// enum Account { Withdraw(u64), Deposit(u64) }
/// impl Message for Account {}
///
/// struct Purse(TVar<u64>);
///
/// impl SpeculativeActor for Purse {
///     type Msg = Account;
///     fn handle<'t>(
///         &'t self,
///         msg: &'t Account,
///         tx: &mut Tx<'t>,
///         _: &mut SpeculativeContext<'_, Self>,
///     ) -> TxResult {
///         let balance = self.0.get(tx)?;
///         match msg {
///             Account::Deposit(n) => self.0.set(tx, balance + n)?,
///             Account::Withdraw(n) if balance < *n => return fail("not covered"),
///             Account::Withdraw(n) => self.0.set(tx, balance - n)?,
///         }
///         Ok(())
///     }
/// }
///
/// let theater = Theater::new()?;
/// let [a, b] = [100, 0].map(|n| theater.spawn_speculative(Purse(TVar::new(n)), Processing::default()));
/// let transfer = theater.coordinate(|co| {
///     co.send(&a, Account::Withdraw(30));
///     co.send(&b, Account::Deposit(30));
/// });
/// transfer.wait()?;
/// let too_much = theater.coordinate(|co| {
///     co.send(&b, Account::Deposit(100));
///     co.send(&a, Account::Withdraw(100));
/// });
/// assert!(matches!(too_much.wait(), Err(CoordinationError::Failed { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Coordinate: sealed::Sealed {
    /// Sends the messages that `plan` names, to be handled wholly or not at all (S28). Messages
    /// that their handlers [join](SpeculativeContext::join) to it take part too.
    ///
    /// In a handler of a speculative actor the transaction begins with the commit of the handler's
    /// message, as all that it sends; for one that the message itself is part of, see
    /// [`SpeculativeContext::join`].
    ///
    /// Where this would block the thread, since too many transactions are under way (S28), it
    /// begins when its outcome is awaited or waited for and there are fewer. If the outcome is
    /// dropped instead it begins then, and the thread holds back as in a send.
    fn coordinate(&self, plan: impl FnOnce(&mut Plan)) -> Outcome {
        let planned = Plan::by(plan);
        let (reply, outcome) = extend::question();
        let beside = planned.beside.clone();
        let begin = Box::new(move || planned.begin(reply));
        match beside {
            Some(beside) => Outcome(beside.begin(outcome, begin)),
            None => {
                let_happen(begin);
                Outcome(outcome)
            }
        }
    }

    /// As [`coordinate`](Self::coordinate); the outcome is the answer of `reply`, as which an actor
    /// gets it as a message.
    fn coordinate_and_reply(
        &self,
        reply: Reply<Result<(), CoordinationError>>,
        plan: impl FnOnce(&mut Plan),
    ) {
        let planned = Plan::by(plan);
        let beside = planned.beside.clone();
        let_happen(move || planned.begin(reply));
        if let Some(beside) = beside {
            beside.heed_congestion();
        }
    }
}

mod sealed {
    pub trait Sealed {}
}

impl sealed::Sealed for Theater {}
impl Coordinate for Theater {}
impl<A: Behavior> sealed::Sealed for Context<'_, A> {}
impl<A: Behavior> Coordinate for Context<'_, A> {}
impl<A: AsyncBehavior> sealed::Sealed for AsyncContext<'_, A> {}
impl<A: AsyncBehavior> Coordinate for AsyncContext<'_, A> {}
impl<A: SpeculativeActor> sealed::Sealed for SpeculativeContext<'_, A> {}
impl<A: SpeculativeActor> Coordinate for SpeculativeContext<'_, A> {}

/// An actor of the theater where a transaction begins, the type of its messages forgotten.
trait Beside: Send + Sync {
    /// Has something called after a time.
    fn alarm(&self, delay: Duration, ring: Box<dyn FnOnce() + Send>) -> Timer;

    /// The transaction has begun.
    fn congest(&self) -> Congests;

    /// Begins the transaction, or has that done with its outcome.
    fn begin(&self, outcome: Undecided, begin: Effect) -> Undecided;

    /// Has who begins transactions hold back, if there are too many.
    fn heed_congestion(&self);
}

/// The outcome to come.
type Undecided = Ask<Result<(), CoordinationError>>;

impl<M: Message> Beside for ActorRef<M> {
    fn alarm(&self, delay: Duration, ring: Box<dyn FnOnce() + Send>) -> Timer {
        extend::alarm(self, delay, ring)
    }

    fn congest(&self) -> Congests {
        extend::congestion_at(self).add()
    }

    fn begin(&self, outcome: Undecided, begin: Effect) -> Undecided {
        extend::begin_question(outcome, self, begin)
    }

    fn heed_congestion(&self) {
        extend::heed_congestion(self);
    }
}

/// Sends one of the messages with which a transaction begins.
pub(super) type FirstMessage = Box<dyn FnOnce(Companion) + Send>;

/// The messages with which a coordinated transaction begins.
pub struct Plan {
    messages: Vec<First>,
    deadline: Option<Duration>,
    beside: Option<Arc<dyn Beside>>,
    /// If a message goes to another theater.
    abroad: Option<Arc<dyn Abroad>>,
    /// A participant that can be none.
    plain: Option<ActorId>,
}

impl Plan {
    fn by(plan: impl FnOnce(&mut Self)) -> Self {
        let (messages, deadline, beside, abroad, plain) = Default::default();
        let mut planned = Self { messages, deadline, beside, abroad, plain };
        if let Err(panic) = contained(|| plan(&mut planned)) {
            // Each by itself, and not while this one passes: two panics at once would be the end of
            // the process.
            drop_each(planned.messages);
            resume_unwind(panic);
        }
        planned
    }

    /// One more message. Those to one actor are handled in this order, and after what the same
    /// sender has sent there before.
    ///
    /// The actor may live in another theater, if both theaters take part in such transactions
    /// (`odeon-coordination`). It has to be a speculative one: else the transaction fails, as
    /// [`NotSpeculative`](CoordinationError::NotSpeculative).
    ///
    /// # Panics
    /// If the message is for a mailbox that there is not.
    #[track_caller]
    pub fn send<M: Message>(&mut self, actor: &ActorRef<M>, message: M) {
        self.send_in(extend::mailbox_said(actor, &message), message);
    }

    /// As [`send`](Self::send), to a mailbox that the sender decides:
    /// `co.send_in(buffer.mailbox(Port::Producer), item)`.
    pub fn send_in<M: Message>(&mut self, mailbox: MailboxRef<'_, M>, message: M) {
        let actor = mailbox.actor();
        if abroad::is_plain(actor) {
            self.plain.get_or_insert(actor.id());
            return drop_quietly(message);
        }
        if let Some(abroad) = abroad::of(actor) {
            self.abroad = Some(abroad);
            let message = Away::new(actor, mailbox.number(), message);
            return self.messages.push(First::Away(message));
        }
        let (to, mailbox) = (actor.clone(), mailbox.number());
        let send: FirstMessage = Box::new(move |companion| {
            // Refused, the companion tells the transaction.
            let sent = extend::send_accompanied(to.mailbox(mailbox), message, companion, true);
            drop_quietly(sent);
        });
        self.messages.push(First::Here(Here(actor.id(), send)));
        if self.beside.is_none() {
            self.beside = Some(Arc::new(actor.clone()));
        }
    }

    /// Has the transaction rolled back for good if it is not decided when `limit` has passed, and
    /// that is noticed: a short one may be decided before, whatever the limit. Progress does not
    /// depend on it.
    pub fn deadline(&mut self, limit: Duration) {
        self.deadline = Some(limit);
    }

    fn begin(self, reply: Reply<Result<(), CoordinationError>>) {
        let Self { messages, deadline, beside, abroad, plain } = self;
        if let Some(participant) = plain {
            drop_each(messages);
            return reply.send(Err(CoordinationError::NotSpeculative { participant }));
        }
        if let Some(abroad) = abroad {
            return abroad.begin(Begun { messages, deadline, reply });
        }
        if messages.is_empty() {
            return reply.send(Ok(()));
        }
        let congests = beside.as_ref().map(|beside| beside.congest());
        let coordination = Coordination::new(messages.len(), Some(reply), congests);
        if let (Some(limit), Some(beside)) = (deadline, beside) {
            let late = Arc::downgrade(&coordination);
            let ring = move || {
                if let Some(coordination) = late.upgrade() {
                    coordination.expire();
                }
            };
            coordination.set_deadline(beside.alarm(limit, Box::new(ring)));
        }
        for (place, message) in messages.into_iter().enumerate() {
            if let First::Here(message) = message {
                let place = Role::First(place);
                message.send(Box::new(Enlistment::new(coordination.clone(), 0, place)));
            }
        }
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan").field("messages", &self.messages.len()).finish_non_exhaustive()
    }
}
