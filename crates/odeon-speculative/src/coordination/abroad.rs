//! The seam to transactions between theaters (`odeon-coordination`): who has first messages taken
//! to actors elsewhere.

use super::outcome::CoordinationError;
use super::part::{Decider, Part};
use super::plan::FirstMessage;
use odeon_core::extend::{self, Companion};
use odeon_core::{ActorId, ActorRef, Message, Reply, Theater};
use odeon_sync::Mutex;
use std::any::Any;
use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// The way of a theater's transactions to actors of others.
pub trait Abroad: Send + Sync {
    /// A transaction begins, of which at least one message goes to another theater.
    fn begin(&self, begun: Begun);

    /// A transaction of this theater alone becomes a part: a handler of it has joined a message to
    /// an actor of another one. Answers who decides it from here on, who is told of it when the
    /// part has been rolled back. `None`: nobody does.
    fn take_over(&self, taken: TakenOver) -> Option<Arc<dyn Decider>>;

    /// Whether this actor stands for one of another theater.
    fn leads_elsewhere(&self, actor: ActorId) -> bool;
}

/// That of one theater, once there is one.
#[derive(Default)]
struct Ways(Mutex<Option<Weak<dyn Abroad>>>);

/// Has transactions of a theater go to others by this way.
pub fn go_abroad(theater: &Theater, abroad: Weak<dyn Abroad>) {
    let ways = extend::belonging::<Ways>(theater);
    *ways.0.lock().expect("nothing panics under this lock") = Some(abroad);
}

/// The way by which an actor leads to another theater. One that is no speculative actor, and leads
/// to none, is found out where the transaction begins: so is one that stood for an actor whose
/// theater has gone.
pub(super) fn of<M: Message>(actor: &ActorRef<M>) -> Option<Arc<dyn Abroad>> {
    let ways = extend::belonging_at::<Ways, M>(actor);
    let way = ways.0.lock().expect("nothing panics under this lock").as_ref()?.upgrade()?;
    (!extend::has_lanes(actor) || way.leads_elsewhere(actor.id())).then_some(way)
}

/// Whether it is an actor of this theater that is no speculative one, and can be no participant.
pub(super) fn is_plain<M: Message>(actor: &ActorRef<M>) -> bool {
    // One that stands for an actor elsewhere is none either, and one that has ended may have stood
    // for one.
    !extend::has_lanes(actor)
        && of(actor).is_none_or(|way| !actor.is_stopped() && !way.leads_elsewhere(actor.id()))
}

/// A transaction that begins.
#[derive(Debug)]
pub struct Begun {
    /// With which messages, in their order.
    pub messages: Vec<First>,
    /// How long it may take to decide.
    pub deadline: Option<Duration>,
    /// Who waits for the outcome.
    pub reply: Reply<Result<(), CoordinationError>>,
}

/// A transaction of one theater that becomes one of several.
#[derive(Debug)]
pub struct TakenOver {
    /// What it is from here on.
    pub part: Part,
    /// To whom the messages have come with which it began.
    pub actors: Vec<ActorId>,
    /// Who waits for the outcome, if anybody does.
    pub reply: Option<Reply<Result<(), CoordinationError>>>,
}

/// A message with which a transaction begins.
#[derive(Debug)]
pub enum First {
    /// To an actor of this theater.
    Here(Here),
    /// To an actor of another one.
    Away(Away),
}

/// See [`First`].
pub struct Here(pub(super) ActorId, pub(super) FirstMessage);

impl Here {
    /// To whom.
    pub fn actor(&self) -> ActorId {
        self.0
    }

    /// Sends it. Refused, it drops the companion.
    pub fn send(self, companion: Companion) {
        (self.1)(companion);
    }
}

impl fmt::Debug for Here {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Here").field(&self.0).finish()
    }
}

/// A message to an actor of another theater.
pub struct Away {
    /// To whom, as the actor is known here.
    pub actor: ActorId,
    /// To which mailbox.
    pub mailbox: usize,
    /// Of the type that the actor takes.
    pub message: Box<dyn Any + Send>,
    /// The reference by which it goes.
    pub keeps: Box<dyn Any + Send>,
}

impl Away {
    pub(super) fn new<M: Message>(actor: &ActorRef<M>, mailbox: usize, message: M) -> Self {
        let (message, keeps) = (Box::new(message), Box::new(actor.clone()));
        Self { actor: actor.id(), mailbox, message, keeps }
    }
}

impl fmt::Debug for Away {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Away").field("actor", &self.actor).finish_non_exhaustive()
    }
}
