//! An actor leaves this theater: rules 2 and 4.

use std::sync::Arc;
use std::time::Duration;

use odeon_core::extend;
use odeon_core::wire::{Address, Began, Bid, Departure, Occupied, ReadState, Settler, Traveller};

use super::gone::Gone;
use super::local::Restored;
use super::{Written, guards_to_wire};
use crate::network::inner::Inner;
use crate::network::references::left::Left;
use crate::network::references::passage::Between;
use crate::network::references::seats::{Departing, Sits};
use crate::routing::asker::Asker;
use crate::routing::channel::Channel;
use crate::routing::control::Control;
use crate::routing::marks::Mark;
use crate::routing::migrated::{MigrateError, Migrated};
use crate::routing::peer::Peer;
use crate::routing::way::{To, Way};
use crate::{Membership, PushError, TheaterId};

/// TUNE: ms, guessed 2026-11: how long an actor that is to move to a theater which is not (or not
/// surely) there goes on before it looks again: a link is made in a few.
const UNTIL_ASKED_AGAIN: Duration = Duration::from_millis(10);

/// Takes an actor out of its seat.
struct Depart {
    network: Arc<Inner>,
    seat: u64,
    who: Address,
    to: Arc<Peer>,
    /// Until it has been answered, or others are to do that.
    asker: Option<Asker>,
}

impl Departure for Depart {
    fn begin(mut self: Box<Self>, written: Traveller<'_>) -> Began {
        match self.send(written) {
            Ok(()) => {
                self.asker = None;
                Began::Leaves
            }
            Err((error, settler)) => {
                self.answer(error);
                Began::Stays(settler)
            }
        }
    }

    fn refuse(mut self: Box<Self>, because: &'static str) {
        self.answer(MigrateError::Bound(because.into()));
    }
}

impl Drop for Depart {
    fn drop(&mut self) {
        if let Some(asker) = self.asker.take() {
            self.network.leave_unanswered(asker);
        }
    }
}

impl Depart {
    fn answer(&mut self, error: MigrateError) {
        if let Some(asker) = self.asker.take() {
            self.network.answer_migration(asker, Err(error));
        }
    }

    /// If it does not leave, it is read again: replies have been written with it.
    fn send(&self, traveller: Traveller<'_>) -> Result<(), (MigrateError, Option<Settler>)> {
        let (network, to) = (&self.network, &self.to);
        let Some(asker) = self.asker else { return Err((MigrateError::Unreachable, None)) };
        let begun = network.now();
        let known = network.seats.with(self.who, |line| (line.moves, line.has_name));
        let (moves, has_name) = known.unwrap_or_default();
        let moves = moves + 1;
        let attempt = network.migrations.new_number();
        let between = Between::new(network, to);
        let mut state = Vec::new();
        if let Err(error) = (traveller.encode)(&between, &mut state) {
            between.undo();
            return Err((MigrateError::State(error.to_string()), None));
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
            layouts: (traveller.layouts.state.0, traveller.layouts.messages.0),
            has_name,
        };
        let bytes = postcard::to_allocvec(&written).expect("numbers and bytes can be written");
        let departing = Departing {
            attempt,
            to: to.clone(),
            asker,
            begun,
            state: written.state,
            left: between.left(),
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
                let before = network
                    .seats
                    .with(self.who, |line| std::mem::replace(&mut line.sits, Sits::Here));
                let settler = match before {
                    Some(Sits::Leaving(departing)) => network.read_restored(
                        &departing.read,
                        &departing.to,
                        &departing.state,
                        &departing.left,
                        true,
                    ),
                    _ => None,
                };
                let error = match error {
                    PushError::TooLarge { .. } => MigrateError::State("it is too large".into()),
                    _ => MigrateError::Unreachable,
                };
                Err((error, settler))
            }
        }
    }
}

impl Inner {
    /// Reads again what was written of an actor that stays. If it cannot be read, nobody waits for
    /// what it was to answer.
    fn read_restored(
        self: &Arc<Self>,
        read: &ReadState,
        to: &Arc<Peer>,
        state: &[u8],
        left: &[Left],
        returns: bool,
    ) -> Option<Settler> {
        let settler = read(&Restored::new(self, to, returns), state).ok();
        if settler.is_none() {
            for left in left {
                if let Left::Question(number) = *left {
                    drop(self.questions.take(number, to.id));
                }
            }
        }
        settler
    }

    /// The actor of a seat is to move.
    pub(super) fn is_to_migrate(
        self: &Arc<Self>,
        seat: u64,
        who: Address,
        to: TheaterId,
        asker: Asker,
        tries: u32,
    ) -> Bid {
        if to == self.id {
            let there = Migrated { pause: Duration::ZERO, bytes: 0 };
            self.answer_migration(asker, Ok(there));
            return Bid::Nothing;
        }
        // Whoever has been lost lately is not waited for once more.
        let is_lost = self.peers.ended(to, self.now()).is_some();
        let peer = if is_lost { None } else { self.peers.get_or_meet(to) };
        let Some(peer) = peer.filter(|peer| !peer.is_dead()) else {
            self.answer_migration(asker, Err(MigrateError::Unreachable));
            return Bid::Nothing;
        };
        if self.members.is(to) == Some(Membership::Present) {
            let network = self.clone();
            return Bid::Leave(Box::new(Depart {
                network,
                seat,
                who,
                to: peer,
                asker: Some(asker),
            }));
        }
        // The actor is not to stand still for one that may be dead.
        peer.transmit(self);
        if UNTIL_ASKED_AGAIN.saturating_mul(tries) < self.config.dead_after {
            self.ask_again(seat, to, asker, tries.saturating_add(1));
        } else {
            self.answer_migration(asker, Err(MigrateError::Unreachable));
        }
        Bid::Nothing
    }

    /// Leaves the mark once more, a little later.
    fn ask_again(self: &Arc<Self>, seat: u64, to: TheaterId, asker: Asker, tries: u32) {
        let Some(stage) = self.pool.upgrade() else { return self.leave_unanswered(asker) };
        let network = Arc::downgrade(self);
        extend::alarm_at(&*stage, UNTIL_ASKED_AGAIN, move || {
            let Some(network) = network.upgrade() else { return };
            let (to, Asker { theater, question }) = (to.bits(), asker);
            let mark = Mark::Migrate { to, asker: theater.bits(), question, tries };
            let stands = network.seats.get(seat);
            if !stands.is_some_and(|stands| stands.mark(mark.to_bytes())) {
                network.leave_unanswered(asker);
            }
        });
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
        let to = self.seats.with(who, |line| {
            let Sits::Leaving(departing) = &line.sits else { return None };
            let is_this = departing.attempt == attempt
                && departing.to.id.bits() == at.theater
                && departing.why.is_none()
                // It stays, as the end of the link will say: what waits for it stays here, too.
                && departing.to.is_open();
            if !is_this {
                return None;
            }
            line.going = Some(at);
            line.passed.clear();
            Some(departing.to.clone())
        });
        let Some(to) = to.flatten() else { return Bid::Nothing };
        way.lead(To { peer: to, seat: at.actor });
        Bid::Go
    }

    /// All that was aside has been handed over: the actor lives elsewhere, if that can be said.
    /// `false`: it cannot, and the actor stays, as the end of the link says or has said
    /// (`is_to_stay`).
    pub(in crate::network) fn has_gone(
        self: &Arc<Self>,
        seat: u64,
        who: Address,
        way: &Arc<Way>,
    ) -> bool {
        let Some(to) = way.course().to.clone() else { return false };
        // Under this lock: the end of the link looks here behind it, and finds an actor that is
        // here, or one that was told to go.
        let has_gone = self.seats.with(who, |line| {
            let Some(at) = line.going.take() else { return false };
            let Sits::Leaving(departing) = &line.sits else { return false };
            if departing.why.is_some() {
                return false;
            }
            let attempt = departing.attempt;
            let gone = Gone {
                to: departing.to.id,
                asker: departing.asker,
                begun: departing.begun,
                gone: self.now(),
                bytes: departing.state.len() as u64,
            };
            // Before it is pushed: what comes back finds it.
            self.migrations.under_way().gone.insert(attempt, gone);
            if to.push_mark(&Mark::Go { attempt }.to_bytes()).is_err() {
                self.migrations.under_way().gone.remove(&attempt);
                return false;
            }
            line.references = 1;
            line.moves += 1;
            line.sits = Sits::Elsewhere(at);
            true
        });
        let has_gone = has_gone == Some(true);
        if has_gone {
            self.has_to_tell(seat);
        }
        has_gone
    }

    /// The other theater refuses an actor.
    pub(in crate::network) fn is_refused(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        seat: u64,
        attempt: u64,
        why: MigrateError,
    ) {
        if let Some(who) = self.seats.who(seat) {
            let has_read = !matches!(
                why,
                MigrateError::UnknownKind
                    | MigrateError::OtherVersion
                    | MigrateError::OtherLayout(_)
                    | MigrateError::Drained
            );
            self.is_to_stay(who, why, !has_read, |departing| {
                departing.attempt == attempt && departing.to.id == peer.id
            });
        }
        // It had been let go: its seat there was stopped before it sat.
        let mut under_way = self.migrations.under_way();
        if under_way.gone.get(&attempt).is_some_and(|gone| gone.to == peer.id) {
            let gone = under_way.gone.remove(&attempt);
            drop(under_way);
            if let Some(gone) = gone {
                self.leave_unanswered(gone.asker);
            }
        }
    }

    /// An actor that was to move to another theater, which refuses it or is dead, is kept.
    /// `returns`: that has read nothing of it. Answers the attempt by which it was to move, if
    /// there is one that is meant and did not stay already.
    pub(in crate::network) fn is_to_stay(
        self: &Arc<Self>,
        who: Address,
        why: MigrateError,
        returns: bool,
        is_meant: impl Fn(&Departing) -> bool,
    ) -> Option<u64> {
        let read = self.seats.with(who, |line| {
            let Sits::Leaving(departing) = &mut line.sits else { return None };
            let is_this = is_meant(departing) && departing.why.is_none();
            is_this.then(|| {
                departing.why = Some((why, None));
                let state = std::mem::take(&mut departing.state);
                let left = std::mem::take(&mut departing.left);
                (departing.read.clone(), departing.to.clone(), state, left, departing.attempt)
            })
        });
        let (read, to, state, left, attempt) = read.flatten()?;
        // At once, as long as its questions are known, and without the lock: its references are
        // looked up.
        let settler = self.read_restored(&read, &to, &state, &left, returns);
        let stands = self.seats.with(who, |line| {
            if let Sits::Leaving(departing) = &mut line.sits {
                if let Some((_, place)) = &mut departing.why {
                    *place = settler;
                }
            }
            line.first().stands.clone()
        });
        if let Some(stands) = stands {
            stands.mark(Mark::Stay { attempt }.to_bytes());
        }
        Some(attempt)
    }

    /// The seat has come to the mark that says so.
    pub(super) fn stays(self: &Arc<Self>, who: Address, way: &Arc<Way>, attempt: u64) -> Bid {
        let departing = self.seats.with(who, |line| match &line.sits {
            Sits::Leaving(departing) if departing.attempt == attempt => {
                match std::mem::replace(&mut line.sits, Sits::Here) {
                    Sits::Leaving(departing) => {
                        line.going = None;
                        Some((departing, std::mem::take(&mut line.passed)))
                    }
                    _ => unreachable!("looked at above"),
                }
            }
            _ => None,
        });
        let Some((departing, passed)) = departing.flatten() else { return Bid::Nothing };
        // It was about to be let go, and the way led there already.
        if way.course().to.take().is_some() {
            way.close(None);
            self.have_come(&passed);
        }
        let Departing { asker, why, .. } = *departing;
        let (why, settler) = why.unwrap_or((MigrateError::Unreachable, None));
        self.answer_migration(asker, Err(why));
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

    /// A theater is dead: those that were let go to it, and may not have come. `may_be_back`:
    /// unless it lives.
    pub(in crate::network) fn lost_with(self: &Arc<Self>, theater: TheaterId, may_be_back: bool) {
        let mut under_way = self.migrations.under_way();
        let mut lost: Vec<u64> = under_way
            .gone
            .iter()
            .filter_map(|(&attempt, gone)| (gone.to == theater).then_some(attempt))
            .collect();
        lost.sort_unstable();
        let take = |attempt| Some((attempt, under_way.gone.remove(&attempt)?));
        let lost: Vec<(u64, Gone)> = lost.into_iter().filter_map(take).collect();
        drop(under_way);
        for (attempt, gone) in lost {
            if may_be_back {
                self.has_decided(theater, attempt, true);
            }
            self.answer_migration(gone.asker, Err(MigrateError::Lost));
        }
    }

    /// The seat of an actor that was about to leave has ended.
    pub(in crate::network) fn has_withdrawn(self: &Arc<Self>, departing: &Departing) {
        self.tell_peer(&departing.to, &Control::Withdrawn { attempt: departing.attempt });
        self.leave_unanswered(departing.asker);
    }
}
