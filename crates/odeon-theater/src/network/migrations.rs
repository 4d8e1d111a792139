//! Actors that move between theaters.
//!
//! PROTOCOL. An actor moves from X to Y; S is its seat at X, T its seat at Y, which may have stood there for it before; W is any other theater with a
//! seat for it.
//! 1. *Migrate* goes as a mark among its messages to the actor, wherever that is.
//! 2. S writes the actor and its guards (`departures.rs`) and sends them to Y. From here on S handles nothing and puts aside what comes.
//! 3. Y reads the actor (`arrivals.rs`), or refuses it: then it stays at X. If T has stood for it before, T closes its way, and the last thing
//!    that it sends by it is the mark *Ready*; it puts aside what comes. Otherwise T is new, and X is told directly.
//! 4. When S comes to *Ready*, all that was ever sent from Y has come to it. It hands over to T all that is aside, the actor's timers, and then the mark *Go*. From
//!    this moment the actor lives at Y, and S stands for it. Before, it lives at X, whatever happens to Y.
//! 5. What comes to T from X before *Go* is kept apart. At *Go* the actor sits in T; what has come from X goes before what T has put aside.
//!    So what one sender sends stays in its order, at X, at Y, and elsewhere.
//! 6. X tells each W that holds references to S, when it sends to S or after a while, that the actor has *Moved*, and grants it one to T. W closes its way with the mark *Through*, the
//!    last thing that goes by the old way; every seat that it comes to passes it on, until it comes to the actor, or to the seat that the actor is about to leave
//!    (`rerouting.rs`). That theater tells W that all has *Passed*: W opens the way to T, and gives its references to S back. When nobody refers to S any more it ends.
//!
//! If the link between X and Y ends before *Go* has been sent, or X leaves, the actor stays at X, and T opens its old way or ends with it. What had been handed
//! over by then is dead letters. Between *Go* and its
//! arrival the actor lives at a theater that X holds for dead: if *Go* has not come there, Y keeps what it has read until X says so (`cut_off.rs`).

mod arrivals;
mod asking;
mod cut_off;
mod departures;
mod local;
mod rerouting;

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use odeon_core::extend::{self, Submit, WrittenGuards};
use odeon_core::wire::{
    Address, Answerable, Bid, Kind, Mobile, Native, Occupied, Passage, StandIn, WireError, decode,
    native, natives, number_of, spawn_mobile,
};
use odeon_core::{ActorRef, Ask, Message, Reply};
use odeon_sync::atomic::{AtomicBool, Ordering};
use odeon_sync::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};

use super::channel::NUMBERS;
use super::marks::Mark;
use super::seats::Leads;
use super::way::Way;
use super::{Inner, MobileActor};
use crate::TheaterId;

pub(super) use arrivals::Came;
pub(super) use asking::Joined;
pub use asking::Migrate;
use cut_off::CutOff;
pub(super) use departures::Departing;
use departures::Gone;
pub(super) use local::Within;

/// Nobody moves so often: a number above is of somebody who does not mean well.
const MOST_MOVES: u64 = u64::MAX / 2;

/// An actor has moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Migrated {
    /// For how long the actor has handled nothing: from when it was written until it sat in the other theater, of which the last way, which is half of the time
    /// until that was known, is estimated. Zero if it was there already.
    pub pause: Duration,
    /// How many bytes its state came to.
    pub bytes: u64,
}

/// Why an actor has not moved: but for [`Lost`](Self::Lost) and [`Stopped`](Self::Stopped) it stays where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum MigrateError {
    /// The actor was not created as a [mobile](crate::Network::spawn_mobile) one.
    NotMobile,
    /// The theater has not registered the actor's kind ([`Network::register_mobile`](crate::Network::register_mobile)).
    UnknownKind,
    /// The theater knows the kind by other messages.
    OtherKind,
    /// The theater knows the kind by another version.
    OtherVersion,
    /// The state cannot be written here, or read there.
    State(String),
    /// Something that belongs to the actor cannot move with it.
    Bound(String),
    /// The theater has been lost, or leaves, or this one does.
    Unreachable,
    /// The theater has been lost after the actor was let go, and the actor with it, as far as one can know here. If both theaters live the actor lives there, and
    /// is where it was to be at the latest when they meet again within ten minutes.
    Lost,
    /// The theater has been [drained](crate::Network::drain), or is being.
    Drained,
    /// The actor does not sit in the theater that was asked.
    NotHere,
    /// The reference leads to nobody: the actor has ended, or its theater or this one has been lost, has left, or has been stopped.
    Stopped,
    /// The theater knows the kind's state, or its messages, by another layout: which type that is.
    OtherLayout(String),
}

impl fmt::Display for MigrateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotMobile => f.write_str("the actor is not mobile"),
            Self::UnknownKind => f.write_str("the theater has not registered the actor's kind"),
            Self::OtherKind => f.write_str("the theater knows the actor's kind by other messages"),
            Self::OtherVersion => {
                f.write_str("the theater knows another version of the actor's kind")
            }
            Self::State(reason) => write!(f, "the actor's state cannot travel: {reason}"),
            Self::Bound(reason) => write!(f, "the actor cannot leave: {reason}"),
            Self::Unreachable => f.write_str("the theater cannot be reached"),
            Self::Drained => f.write_str("the theater is being drained, and takes in no actor"),
            Self::NotHere => f.write_str("the actor does not sit in this theater"),
            Self::OtherLayout(name) => {
                write!(f, "the type {name} has another layout in the other theater")
            }
            Self::Stopped => {
                f.write_str("the actor has ended, or its theater or this one has stopped")
            }
            Self::Lost => f.write_str("the theater has been lost, and the actor with it"),
        }
    }
}

impl std::error::Error for MigrateError {}

/// Who has asked for a migration: a theater, and the number of its question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asker {
    pub(super) theater: TheaterId,
    pub(super) question: u64,
}

/// See the module.
#[derive(Default)]
pub(super) struct Migrations {
    /// Whether this theater is drained: no actor may come.
    is_drained: AtomicBool,
    kinds: Mutex<HashMap<String, Arc<dyn Kind>>>,
    under_way: Mutex<UnderWay>,
}

#[derive(Default)]
struct UnderWay {
    last: u64,
    /// Those that have been let go, by attempt, until it is known that they sit.
    gone: HashMap<u64, Gone>,
    /// Seats of which others are to be told that their actors have moved, and whether that is about to happen.
    to_tell: BTreeSet<u64>,
    tells: bool,
    cut_off: CutOff,
    /// Whether it will be looked at what of that is to be forgotten.
    forgets: bool,
}

impl Migrations {
    /// Whether no actor can come here, since no kind is registered.
    fn takes_nobody(&self) -> bool {
        self.kinds.lock().expect("nothing panics under this lock").is_empty()
    }

    fn kind(&self, name: &str) -> Option<Arc<dyn Kind>> {
        self.kinds.lock().expect("nothing panics under this lock").get(name).cloned()
    }

    /// Whether no actor may come here.
    pub(super) fn refuses_arrivals(&self) -> bool {
        // ORDERING: Relaxed: who comes at the same moment may go either way; a drain sees it afterwards.
        self.is_drained.load(Ordering::Relaxed)
    }

    /// Lets no actor come here, or all of them again.
    pub(super) fn refuse_arrivals(&self, refuses: bool) {
        // ORDERING: Relaxed: as above.
        self.is_drained.store(refuses, Ordering::Relaxed);
    }

    /// A number for a migration or a turn: another one each time.
    pub(super) fn new_number(&self) -> u64 {
        let mut under_way = self.under_way();
        under_way.last += 1;
        under_way.last
    }

    fn under_way(&self) -> MutexGuard<'_, UnderWay> {
        self.under_way.lock().expect("nothing panics under this lock")
    }
}

/// Whoever waits for the end of a migration.
struct Asked(Reply<Result<Migrated, MigrateError>>);

impl Answerable for Asked {
    fn answer(self: Box<Self>, passage: &dyn Passage, bytes: &[u8]) -> Result<(), WireError> {
        self.0.send(decode(passage, bytes)?);
        Ok(())
    }
}

impl Inner {
    fn spawn_mobile<A: Mobile>(self: &Arc<Self>, actor: A) -> Option<ActorRef<A::Msg>> {
        self.spawn_seated(|stage| spawn_mobile(stage, actor))
    }

    /// Creates an actor that sits in a seat of its own.
    pub(super) fn spawn_seated<M: Message>(
        self: &Arc<Self>,
        spawn: impl FnOnce(&Arc<dyn Submit>) -> ActorRef<M>,
    ) -> Option<ActorRef<M>> {
        let stage = self.pool.upgrade()?;
        self.seats.note_mobile();
        let actor = spawn(&stage);
        if !self.has_natives.get_or_init(|| self.joined.claims_natives()) {
            native(&actor).iter().for_each(|native| self.seats.introduce(self, native));
        }
        Some(actor)
    }

    /// Whether mobile actors of this theater that have not been introduced are of this network.
    pub(super) fn has_natives(&self) -> bool {
        self.has_natives.get().copied().unwrap_or_default()
    }

    /// Introduces an actor that sits where it was created, if it is one of this network.
    pub(super) fn introduce(self: &Arc<Self>, native: Option<Native>) {
        let is_ours = |native: &Native| self.is_of_this_theater(native.stage());
        if let Some(native) = native.filter(is_ours).filter(|_| self.has_natives()) {
            self.seats.introduce(self, &native);
        }
    }

    /// The mobile actors that sit here, in the order of their identities. All of them have been introduced behind that.
    pub(super) fn residents(self: &Arc<Self>) -> Vec<MobileActor> {
        if let Some(stage) = self.pool.upgrade().filter(|_| self.has_natives()) {
            natives(&*stage).iter().for_each(|native| self.seats.introduce(self, native));
        }
        self.seats.residents()
    }

    fn migrate<M: Message>(
        self: &Arc<Self>,
        actor: &ActorRef<M>,
        to: TheaterId,
    ) -> Ask<Result<Migrated, MigrateError>> {
        let (reply, ask) = extend::question();
        self.introduce(native(actor));
        let number = number_of(actor);
        let is_same = |stands: &Arc<dyn StandIn>| {
            let seated = stands.reference().and_then(|seated| seated.downcast().ok());
            seated.is_some_and(|seated: Box<ActorRef<M>>| *seated == *actor)
        };
        let Some(stands) = self.seats.get(number).filter(is_same) else {
            // Nothing is known any more of one that has ended.
            let is_over = actor.is_stopped();
            let why = if is_over { MigrateError::Stopped } else { MigrateError::NotMobile };
            reply.send(Err(why));
            return ask;
        };
        let network = self.clone();
        // With what else a speculative actor's handler does.
        extend::let_happen(Box::new(move || network.migrate_seat(&*stands, to, reply)));
        ask
    }

    /// Has the actor that sits here under this identity move.
    pub(super) fn migrate_resident(
        self: &Arc<Self>,
        who: Address,
        to: TheaterId,
    ) -> Ask<Result<Migrated, MigrateError>> {
        let (reply, ask) = extend::question();
        let stands = self.seats.with(who, |line| line.last().stands.clone());
        match stands.filter(|_| self.seats.is_resident(who)) {
            Some(stands) => self.migrate_seat(&*stands, to, reply),
            None => reply.send(Err(MigrateError::NotHere)),
        }
        ask
    }

    /// Leaves a mark for the actor for which a seat of this theater is.
    fn migrate_seat(
        self: &Arc<Self>,
        stands: &dyn StandIn,
        to: TheaterId,
        reply: Reply<Result<Migrated, MigrateError>>,
    ) {
        let first = match self.seats.leads(stands.actor()) {
            Some(Leads::To(reference)) => TheaterId::from_bits(reference.at.theater),
            _ => self.id,
        };
        let question = self.questions.leaves_for_anybody(Box::new(Asked(reply)), first);
        let asker = self.id.bits();
        if !stands.mark(Mark::Migrate { to: to.bits(), asker, question, tries: 0 }.to_bytes()) {
            let asker = Asker { theater: self.id, question };
            self.answer_migration(asker, Err(MigrateError::Stopped));
        }
    }

    /// A mark does not come to its actor.
    pub(super) fn mark_is_lost(self: &Arc<Self>, mark: &[u8]) {
        if let Some(Mark::Migrate { asker, question, .. }) = Mark::from_bytes(mark) {
            self.leave_unanswered(Asker { theater: TheaterId::from_bits(asker), question });
        }
    }

    /// A seat has come to a mark: what it is to do.
    pub(super) fn heed(
        self: &Arc<Self>,
        seat: u64,
        who: Address,
        way: &Arc<Way>,
        mark: Mark,
        occupied: Occupied,
    ) -> Bid {
        let is_here = occupied == Occupied::ByTheActor;
        match mark {
            Mark::Migrate { to, asker, question, tries } if is_here => {
                let asker = Asker { theater: TheaterId::from_bits(asker), question };
                self.is_to_migrate(seat, who, TheaterId::from_bits(to), asker, tries)
            }
            Mark::Ready { seat: at, .. } if at >= NUMBERS => Bid::Nothing,
            Mark::Ready { attempt, theater, seat: at } => {
                self.is_ready(who, way, occupied, attempt, Address { theater, actor: at })
            }
            // One that leaves too: what comes to its seat later, by whatever way, goes behind what is aside there. And it may be this mark that keeps
            // *Ready* from coming.
            Mark::Through { theater, who, turn } if occupied != Occupied::No => {
                self.has_come(TheaterId::from_bits(theater), who, turn);
                Bid::Nothing
            }
            Mark::Migrate { .. } | Mark::Through { .. } => Bid::Pass,
            Mark::Go { .. } => Bid::Nothing,
            Mark::Reroute if occupied == Occupied::No => {
                self.turn_off(seat, who, way);
                Bid::Nothing
            }
            Mark::Receive { attempt } if occupied == Occupied::No => {
                self.say_ready(seat, who, way, attempt);
                Bid::Nothing
            }
            Mark::Settle { attempt } if occupied == Occupied::No => self.settles(who, attempt),
            Mark::Stay { attempt } if occupied == Occupied::ByOneThatLeaves => {
                self.stays(who, way, attempt)
            }
            Mark::Reroute | Mark::Receive { .. } | Mark::Settle { .. } | Mark::Stay { .. } => {
                Bid::Nothing
            }
        }
    }
}

/// Guards as they travel: see [`WrittenGuards`].
type Guards = (u64, u64, u64, u32);

fn guards_to_wire(guards: WrittenGuards) -> Guards {
    (guards.open, guards.awaited, guards.afterwards, guards.answers)
}

fn guards_from_wire((open, awaited, afterwards, answers): Guards) -> WrittenGuards {
    WrittenGuards { open, awaited, afterwards, answers }
}

/// An actor as it travels.
#[derive(Serialize, Deserialize)]
struct Written {
    attempt: u64,
    /// The seat that it leaves.
    seat: u64,
    born: Address,
    /// The so manieth time that it moves.
    moves: u64,
    kind: String,
    version: u32,
    guards: Guards,
    state: Vec<u8>,
    /// Of the state and of the messages.
    layouts: (u64, u64),
    /// Whether it has names of the network where it was, or has come from where it had: those follow it.
    has_name: bool,
}
