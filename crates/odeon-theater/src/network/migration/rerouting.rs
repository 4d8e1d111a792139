//! Messages go to where an actor has moved: rule 6.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use odeon_core::extend;
use odeon_core::wire::Address;

use crate::TheaterId;
use crate::network::inner::Inner;
use crate::network::migration::MOST_MOVES;
use crate::network::references::seats::{Line, Moved, Sits};
use crate::routing::channel::{Channel, NUMBERS};
use crate::routing::control::Control;
use crate::routing::marks::Mark;
use crate::routing::peer::Peer;
use crate::routing::way::{To, Way};

/// TUNE: ms, guessed 2026-11: theaters that send to where an actor was are told at once that it has
/// moved, the others after this time, so that one that moves on and on does not have all theaters
/// follow it.
const UNTIL_TOLD: Duration = Duration::from_millis(100);

impl Inner {
    /// The actor of a seat has moved: whoever refers to the seat is to know.
    pub(in crate::network) fn has_to_tell(self: &Arc<Self>, seat: u64) {
        let mut under_way = self.migrations.under_way();
        under_way.to_tell.insert(seat);
        if std::mem::replace(&mut under_way.tells, true) {
            return;
        }
        drop(under_way);
        let Some(stage) = self.pool.upgrade() else { return };
        let network = Arc::downgrade(self);
        // Never cancelled: it comes once.
        extend::alarm_at(&*stage, UNTIL_TOLD, move || {
            if let Some(network) = network.upgrade() {
                network.tells_all();
            }
        });
    }

    fn tells_all(self: &Arc<Self>) {
        let mut under_way = self.migrations.under_way();
        under_way.tells = false;
        let seats = std::mem::take(&mut under_way.to_tell);
        drop(under_way);
        seats.into_iter().for_each(|seat| self.tell_holders(seat));
    }

    /// If the actor of a seat has moved, tells all that refer to the seat from elsewhere.
    pub(in crate::network) fn tell_holders(self: &Arc<Self>, seat: u64) {
        for holder in self.exports.holders(seat) {
            if let Some(peer) = self.peers.get(holder) {
                self.tell_moved(seat, &peer);
            }
        }
    }

    /// If the actor of a seat of this theater has moved, tells a theater that holds a reference to
    /// the seat, once.
    pub(in crate::network) fn tell_moved(self: &Arc<Self>, seat: u64, holder: &Arc<Peer>) {
        let is_there = |at: Address| at.theater == holder.id.bits();
        let grant = |at| if is_there(at) { 0 } else { self.grants(at, holder) };
        let Some(moved) = self.seats.has_moved_on(seat, holder.id, grant) else { return };
        let Moved { who, at, moves, grant } = moved;
        if is_there(at) {
            return;
        }
        let told = Control::Moved { seat, who, to: at, moves, grant }.to_bytes();
        match holder.push(Channel::Control, &told) {
            Ok(()) => self.has_granted(at, holder, grant),
            Err(_) => self.revokes(at, grant),
        }
        holder.transmit(self);
    }

    /// An actor, for which another theater has a seat, has moved; a reference to its new seat has
    /// been granted to this theater.
    pub(in crate::network) fn has_moved(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        seat: u64,
        who: Address,
        at: Address,
        (moves, grant): (u64, u64),
    ) {
        if at.actor >= NUMBERS {
            return;
        }
        let Some(new) = self.peers.get_or_meet(TheaterId::from_bits(at.theater)) else {
            return;
        };
        self.takes(&new, at.actor, peer.id, grant);
        let to = To { peer: new, seat: at.actor };
        let is_wanted = self.seats.with(who, |line| {
            let is_newer = matches!(line.sits, Sits::Elsewhere(_) | Sits::Coming(_, Some(_)))
                && moves > line.moves
                && moves < MOST_MOVES
                && !to.peer.is_dead();
            if is_newer {
                line.moves = moves;
                line.next.push_back(to.clone());
                line.remind();
            }
            is_newer
        });
        if is_wanted.is_none() {
            // A reference may be under way.
            self.tell_peer(peer, &Control::NotKnown { seat });
        }
        if is_wanted != Some(true) {
            self.give_back(&to, 1);
        }
        to.peer.transmit(self);
    }

    /// In the turn of a seat: closes its way, to open another one.
    pub(super) fn turn_off(self: &Arc<Self>, seat: u64, who: Address, way: &Arc<Way>) {
        let turn = self.migrations.new_number();
        let turn = self.seats.with(who, |line| {
            let is_due = matches!(line.sits, Sits::Elsewhere(_))
                && line.turning.is_none()
                && !line.next.is_empty()
                && line.first().stands.actor() == seat;
            is_due.then(|| *line.turning.insert(turn))
        });
        let Some(Some(turn)) = turn else { return };
        let through = Mark::Through { theater: self.id.bits(), who, turn };
        if way.close(Some(&through)) {
            self.transmit_by(way);
        } else {
            // Nothing comes by that way any more.
            self.has_passed(who, turn);
        }
    }

    /// All that a theater has sent by an old way has come to an actor of this one.
    pub(in crate::network) fn has_come(
        self: &Arc<Self>,
        theater: TheaterId,
        who: Address,
        turn: u64,
    ) {
        if theater == self.id {
            self.has_passed(who, turn);
        } else if let Some(peer) = self.peers.get_or_meet(theater) {
            self.tell_peer(&peer, &Control::Passed { who, turn });
        }
    }

    /// All that this theater has sent to an actor by the old way has come to it.
    pub(in crate::network) fn has_passed(self: &Arc<Self>, who: Address, turn: u64) {
        let turns = self.seats.with(who, |line| {
            let turns = line.turning == Some(turn) && matches!(line.sits, Sits::Elsewhere(_));
            let to = turns.then(|| line.next.front().cloned()).flatten()?;
            Some((to, line.way.clone()))
        });
        let Some(Some((to, way))) = turns else { return };
        // Not under the lock of the seats: see `Way`.
        let before = way.course().to.replace(to.clone());
        let turned = self.seats.with(who, |line| {
            if line.turning != Some(turn) || !matches!(line.sits, Sits::Elsewhere(_)) {
                return None;
            }
            line.turning = None;
            line.next.pop_front();
            line.passed.clear();
            line.sits = Sits::Elsewhere(to.peer.address(to.seat));
            let references = std::mem::replace(&mut line.references, 1);
            line.way.open();
            Some((references, line.first().stands.clone()))
        });
        let Some(Some((references, stands))) = turned else {
            // Its actor comes here: what is to be said by the old way goes by that.
            let mut course = way.course();
            if course.to.as_ref().is_some_and(|now| now.seat == to.seat) {
                course.to = before;
            }
            return;
        };
        stands.wake();
        if let Some(before) = before {
            self.give_back(&before, references);
            before.peer.transmit(self);
        }
        self.seats.with(who, |line| line.remind());
    }

    /// Marks that went by a way that has been lost go by the one that there is.
    pub(in crate::network) fn pass_again(
        self: &Arc<Self>,
        who: Address,
        marks: &VecDeque<Vec<u8>>,
    ) {
        let Some(way) = self.seats.with(who, |line| line.way.clone()) else { return };
        let Some(to) = way.course().to.clone() else { return };
        for mark in marks {
            self.seats.with(who, |line| line.has_passed_on(mark));
            let _ = to.push_mark(mark);
        }
        to.peer.transmit(self);
    }

    /// A theater is dead: no way is to lead there.
    pub(in crate::network) fn lose_turns(self: &Arc<Self>, peer: &Arc<Peer>) {
        let turns = |line: &Line| line.next.iter().any(|to| to.peer.id == peer.id);
        for who in self.seats.all(turns) {
            let back = self.seats.with(who, |line| {
                line.does_not_turn_to(peer.id).then(|| {
                    line.way.open();
                    line.first().stands.clone()
                })
            });
            if let Some(Some(stands)) = back {
                stands.wake();
            }
            self.seats.with(who, |line| line.remind());
        }
    }

    /// A link has ended, or there is a new one. With one that has ended may be lost that all has
    /// *Passed*, which the actor's theater says directly: it says so again when *Through* comes
    /// again.
    pub(in crate::network) fn says_through_again(self: &Arc<Self>) {
        let turns = |line: &Line| line.turning.is_some() && matches!(line.sits, Sits::Elsewhere(_));
        for who in self.seats.all(turns) {
            let turning = self.seats.with(who, |line| Some((line.turning?, line.way.clone())));
            let Some(Some((turn, way))) = turning else { continue };
            // By a way that has been turned meanwhile it does no harm.
            way.say(&Mark::Through { theater: self.id.bits(), who, turn });
            self.transmit_by(&way);
        }
    }

    /// So many references to a seat elsewhere are held here no longer; behind all that has been
    /// sent there.
    pub(in crate::network) fn give_back(self: &Arc<Self>, to: &To, references: u64) {
        if references > 0 {
            to.peer.tell_later(Control::Released { actor: to.seat, references });
            to.peer.transmit(self);
        }
    }

    /// What has been pushed by a way is to go.
    pub(super) fn transmit_by(self: &Arc<Self>, way: &Way) {
        let to = way.course().to.clone();
        if let Some(to) = to {
            to.peer.transmit(self);
        }
    }
}
