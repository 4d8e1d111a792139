//! Actors are to move, and seats come to marks that say what becomes of that.

use std::sync::Arc;

use odeon_core::extend::{self, Submit};
use odeon_core::wire::{
    Address, Bid, Mobile, Native, Occupied, StandIn, native, natives, number_of, spawn_mobile,
};
use odeon_core::{ActorRef, Ask, Message, Reply};

use super::Asked;
use crate::TheaterId;
use crate::network::inner::Inner;
use crate::network::references::mobile_actor::MobileActor;
use crate::network::references::seats::Leads;
use crate::routing::asker::Asker;
use crate::routing::channel::NUMBERS;
use crate::routing::marks::Mark;
use crate::routing::migrated::{MigrateError, Migrated};
use crate::routing::way::Way;

impl Inner {
    pub(super) fn spawn_mobile<A: Mobile>(self: &Arc<Self>, actor: A) -> Option<ActorRef<A::Msg>> {
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
        if !self.natives.claim() {
            native(&actor).iter().for_each(|native| self.introduces(native));
        }
        Some(actor)
    }

    /// Whether mobile actors of this theater that have not been introduced are of this network.
    pub(in crate::network) fn has_natives(&self) -> bool {
        self.natives.are_ours()
    }

    /// Introduces an actor that sits where it was created, if it is one of this network.
    pub(in crate::network) fn introduce(self: &Arc<Self>, native: Option<Native>) {
        let is_ours = |native: &Native| self.is_of_this_theater(native.stage());
        if let Some(native) = native.filter(is_ours).filter(|_| self.has_natives()) {
            self.introduces(&native);
        }
    }

    /// The mobile actors that sit here, in the order of their identities. All of them have been
    /// introduced behind that.
    pub(in crate::network) fn residents(self: &Arc<Self>) -> Vec<MobileActor> {
        if let Some(stage) = self.pool.upgrade().filter(|_| self.has_natives()) {
            natives(&*stage).iter().for_each(|native| self.introduces(native));
        }
        self.seats.residents()
    }

    pub(super) fn migrate<M: Message>(
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
            // Nothing is known any more of one that has ended, nor of one whose theater is lost:
            // its seat ends a moment later. In this order, as that may be now.
            let is_lost = self.seats.lost(number).filter(is_same).is_some();
            let is_over = is_lost || actor.is_stopped();
            let why = if is_over { MigrateError::Stopped } else { MigrateError::NotMobile };
            reply.send(Err(why));
            return ask;
        };
        let network = self.clone();
        // With what else a speculative actor's handler does.
        extend::let_happen(move || network.migrate_seat(&*stands, to, reply));
        ask
    }

    /// Has the actor that sits here under this identity move.
    pub(in crate::network) fn migrate_resident(
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
    pub(in crate::network) fn mark_is_lost(self: &Arc<Self>, mark: &[u8]) {
        if let Some(Mark::Migrate { asker, question, .. }) = Mark::from_bytes(mark) {
            self.leave_unanswered(Asker { theater: TheaterId::from_bits(asker), question });
        }
    }

    /// A seat has come to a mark: what it is to do.
    pub(in crate::network) fn heed(
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
            // One that leaves too: what comes to its seat later, by whatever way, goes behind what
            // is aside there. And it may be this mark that keeps *Ready* from coming.
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
