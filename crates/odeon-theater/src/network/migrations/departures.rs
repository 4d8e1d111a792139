//! An actor leaves this theater: rules 2 and 4.

use std::sync::Arc;
use std::time::Duration;

use odeon_core::wire::{Address, Bid, Departure, Occupied, ReadState, Traveller};

use super::local::Restored;
use super::{Asker, MigrateError, Migrated, Written, guards_to_wire};
use crate::network::Inner;
use crate::network::channel::Channel;
use crate::network::control::Control;
use crate::network::marks::Mark;
use crate::network::passage::Between;
use crate::network::peer::Peer;
use crate::network::seats::Sits;
use crate::network::way::{To, Way};
use crate::{PushError, TheaterId};

/// An actor that has been written, and not been let go.
pub(in crate::network) struct Departing {
    pub(in crate::network) attempt: u64,
    pub(in crate::network) to: Arc<Peer>,
    asker: Asker,
    begun: Duration,
    state: Vec<u8>,
    read: ReadState,
    /// Why it stays after all.
    why: Option<MigrateError>,
}

/// An actor that has been let go, and of which it is not known yet that it sits.
pub(super) struct Gone {
    to: TheaterId,
    asker: Asker,
    begun: Duration,
    gone: Duration,
    bytes: u64,
}

/// Takes an actor out of its seat.
struct Depart {
    network: Arc<Inner>,
    seat: u64,
    who: Address,
    to: Arc<Peer>,
    asker: Asker,
}

impl Departure for Depart {
    fn begin(self: Box<Self>, written: Traveller<'_>) -> bool {
        match self.send(written) {
            Ok(()) => true,
            Err(error) => {
                self.network.answer_migration(self.asker, Err(error));
                false
            }
        }
    }

    fn refuse(self: Box<Self>, because: &'static str) {
        self.network.answer_migration(self.asker, Err(MigrateError::Bound(because.into())));
    }
}

impl Depart {
    fn send(&self, traveller: Traveller<'_>) -> Result<(), MigrateError> {
        let (network, to) = (&self.network, &self.to);
        let begun = network.now();
        let moves = network.seats.with(self.who, |line| line.moves).unwrap_or_default() + 1;
        let mut under_way = network.migrations.under_way();
        under_way.last += 1;
        let attempt = under_way.last;
        drop(under_way);
        let between = Between::new(network, to);
        let mut state = Vec::new();
        if let Err(error) = (traveller.encode)(&between, &mut state) {
            between.undo();
            return Err(MigrateError::State(error.to_string()));
        }
        let written = Written {
            attempt,
            seat: self.seat,
            born: self.who,
            moves,
            kind: traveller.kind.into(),
            version: traveller.version,
            guards: guards_to_wire(traveller.guards),
            state,
        };
        let bytes = postcard::to_allocvec(&written).expect("numbers and bytes can be written");
        let departing = Departing {
            attempt,
            to: to.clone(),
            asker: self.asker,
            begun,
            state: written.state,
            read: traveller.read,
            why: None,
        };
        // Before it is pushed: what comes back finds it.
        network.seats.with(self.who, |line| line.sits = Sits::Leaving(Box::new(departing)));
        match to.push(Channel::Traveller(attempt), &bytes) {
            Ok(()) => {
                between.done();
                to.transmit(network);
                Ok(())
            }
            Err(error) => {
                network.seats.with(self.who, |line| line.sits = Sits::Here);
                between.undo();
                Err(match error {
                    PushError::TooLarge { .. } => MigrateError::State("it is too large".into()),
                    _ => MigrateError::Unreachable,
                })
            }
        }
    }
}

impl Inner {
    /// The actor of a seat is to move.
    pub(super) fn is_to_migrate(
        self: &Arc<Self>,
        seat: u64,
        who: Address,
        to: TheaterId,
        asker: Asker,
    ) -> Bid {
        if to == self.id {
            let there = Migrated { pause: Duration::ZERO, bytes: 0 };
            self.answer_migration(asker, Ok(there));
            return Bid::Nothing;
        }
        // Whoever has been lost lately is not waited for once more.
        let is_lost = self.peers.ended(to, self.now()).is_some();
        let peer = if is_lost { None } else { self.peers.get_or_meet(self, to) };
        match peer.filter(|peer| !peer.is_dead()) {
            Some(to) => {
                Bid::Leave(Box::new(Depart { network: self.clone(), seat, who, to, asker }))
            }
            None => {
                self.answer_migration(asker, Err(MigrateError::Unreachable));
                Bid::Nothing
            }
        }
    }

    /// The other theater is ready; `occupied`: the seat here.
    pub(super) fn is_ready(
        self: &Arc<Self>,
        who: Address,
        way: &Arc<Way>,
        occupied: Occupied,
        attempt: u64,
        at: Address,
    ) -> Bid {
        match occupied {
            Occupied::No => return Bid::Pass,
            // An attempt that is over.
            Occupied::ByTheActor => return Bid::Nothing,
            Occupied::ByOneThatLeaves => {}
        }
        let departing = self.seats.with(who, |line| {
            let Sits::Leaving(departing) = &line.sits else { return None };
            let is_this = departing.attempt == attempt
                && departing.to.id.bits() == at.theater
                && departing.why.is_none();
            if !is_this {
                return None;
            }
            line.references = 1;
            line.going = Some(attempt);
            line.moves += 1;
            match std::mem::replace(&mut line.sits, Sits::Elsewhere(at)) {
                Sits::Leaving(departing) => Some(departing),
                _ => unreachable!("looked at above"),
            }
        });
        let Some(departing) = departing.flatten() else { return Bid::Nothing };
        let Departing { to, asker, begun, state, .. } = *departing;
        let gone = Gone { to: to.id, asker, begun, gone: self.now(), bytes: state.len() as u64 };
        self.migrations.under_way().gone.insert(attempt, gone);
        way.lead(To { peer: to, seat: at.actor });
        Bid::Go
    }

    /// All that was aside has been handed over: the actor lives elsewhere.
    pub(in crate::network) fn has_gone(self: &Arc<Self>, seat: u64, who: Address, way: &Arc<Way>) {
        let going = self.seats.with(who, |line| line.going.take()).flatten();
        let to = way.course().to.clone();
        let (Some(attempt), Some(to)) = (going, to) else { return };
        // If that is dead, a link finds out.
        let _ = to.push_mark(&Mark::Go { attempt }.to_bytes());
        if let Some(gone) = self.migrations.under_way().gone.get_mut(&attempt) {
            gone.gone = self.now();
        }
        self.has_to_tell(seat);
    }

    /// The other theater refuses an actor.
    pub(in crate::network) fn is_refused(
        &self,
        peer: &Arc<Peer>,
        seat: u64,
        attempt: u64,
        why: MigrateError,
    ) {
        if let Some(who) = self.seats.who(seat) {
            self.is_to_stay(who, why, |departing| {
                departing.attempt == attempt && departing.to.id == peer.id
            });
        }
    }

    /// The theater to which an actor of this one was to move is dead.
    pub(in crate::network) fn is_to_stay(
        &self,
        who: Address,
        why: MigrateError,
        is_meant: impl FnOnce(&Departing) -> bool,
    ) {
        let stays = self.seats.with(who, |line| {
            let Sits::Leaving(departing) = &mut line.sits else { return None };
            if !is_meant(departing) || departing.why.is_some() {
                return None;
            }
            departing.why = Some(why);
            let attempt = departing.attempt;
            Some((line.first().stands.clone(), attempt))
        });
        if let Some(Some((stands, attempt))) = stays {
            stands.mark(Mark::Stay { attempt }.to_bytes());
        }
    }

    /// The seat has come to the mark that says so.
    pub(super) fn stays(self: &Arc<Self>, who: Address, attempt: u64) -> Bid {
        let departing = self.seats.with(who, |line| match &line.sits {
            Sits::Leaving(departing) if departing.attempt == attempt => {
                match std::mem::replace(&mut line.sits, Sits::Here) {
                    Sits::Leaving(departing) => Some(departing),
                    _ => unreachable!("looked at above"),
                }
            }
            _ => None,
        });
        let Some(departing) = departing.flatten() else { return Bid::Nothing };
        let Departing { to, asker, state, read, why, .. } = *departing;
        // With its state replies were written, which are read again; if that fails it goes on without them.
        let settler = read(&Restored::new(self, &to), &state).ok();
        self.answer_migration(asker, Err(why.unwrap_or(MigrateError::Unreachable)));
        Bid::Stay(settler)
    }

    /// An actor that was let go sits in the other theater.
    pub(in crate::network) fn is_settled(self: &Arc<Self>, peer: &Arc<Peer>, attempt: u64) {
        let mut under_way = self.migrations.under_way();
        if under_way.gone.get(&attempt).is_none_or(|gone| gone.to != peer.id) {
            return;
        }
        let Some(gone) = under_way.gone.remove(&attempt) else { return };
        drop(under_way);
        let last_way = self.now().saturating_sub(gone.gone) / 2;
        let pause = gone.gone.saturating_sub(gone.begun) + last_way;
        self.answer_migration(gone.asker, Ok(Migrated { pause, bytes: gone.bytes }));
    }

    /// A theater is dead: those that were let go to it, and may not have come.
    pub(in crate::network) fn lost_with(self: &Arc<Self>, theater: TheaterId) {
        let mut under_way = self.migrations.under_way();
        let lost: Vec<u64> = under_way
            .gone
            .iter()
            .filter_map(|(&attempt, gone)| (gone.to == theater).then_some(attempt))
            .collect();
        let lost: Vec<Gone> =
            lost.iter().filter_map(|attempt| under_way.gone.remove(attempt)).collect();
        drop(under_way);
        for gone in lost {
            self.answer_migration(gone.asker, Err(MigrateError::Lost));
        }
    }

    /// The seat of an actor that was about to leave has ended.
    pub(in crate::network) fn has_withdrawn(self: &Arc<Self>, departing: &Departing) {
        self.tell_peer(&departing.to, &Control::Withdrawn { attempt: departing.attempt });
        self.leave_unanswered(departing.asker);
    }
}
