//! An actor comes to this theater: rules 3 and 5.

use std::sync::Arc;

use odeon_core::extend::{Awaits, LetterName};
use odeon_core::wire::{Address, Bid, Kind, Slot, StandIn};
use odeon_core::{DeadLetterReason, EndReason};

use super::{MOST_MOVES, Written, guards_from_wire};
use crate::TheaterId;
use crate::network::inner::Inner;
use crate::network::references::passage::Between;
use crate::network::references::seats::{Coming, Line, Sits};
use crate::routing::control::Control;
use crate::routing::marks::Mark;
use crate::routing::migrated::MigrateError;
use crate::routing::peer::Peer;
use crate::routing::way::Way;

/// What is to be done about an actor that comes.
enum Next {
    /// This seat stands for it: it is told.
    Tell(Arc<dyn StandIn>),
    /// Its seats here are to become one first.
    Wait,
    /// It has no seat here.
    Prepare(Box<Coming>),
    Refuse(Box<Coming>, MigrateError),
}

/// What comes behind an actor.
pub(in crate::network) enum Came {
    Mark,
    Message(Slot),
    /// One of its timers, which has so much time left, or of its watches.
    Letter(LetterName, Awaits),
}

impl Inner {
    /// An actor has been sent here.
    pub(in crate::network) fn traveller_arrives(self: &Arc<Self>, peer: &Arc<Peer>, bytes: &[u8]) {
        let Ok(written) = postcard::from_bytes::<Written>(bytes) else { return };
        if written.moves >= MOST_MOVES {
            return;
        }
        let Written { attempt, seat, born, moves, kind, version, guards, state, layouts, has_name } =
            written;
        let read = match self.migrations.kind(&kind) {
            _ if self.migrations.refuses_arrivals() => Err(MigrateError::Drained),
            None => Err(MigrateError::UnknownKind),
            Some(kind) if kind.version() != version => Err(MigrateError::OtherVersion),
            Some(kind) => match other_layout(&*kind, layouts) {
                Some(name) => Err(MigrateError::OtherLayout(name.into())),
                None => match kind.read(&Between::new(self, peer), &state) {
                    Ok(settler) => Ok((kind, settler)),
                    Err(error) => Err(MigrateError::State(error.to_string())),
                },
            },
        };
        match read {
            Err(why) => {
                if self.migrations.takes_nobody() {
                    self.tell_peer(peer, &Control::TakesNobody);
                }
                self.tell_peer(peer, &Control::Refused { seat, attempt, why });
            }
            Ok((kind, settler)) => {
                let coming = Coming {
                    from: peer.clone(),
                    attempt,
                    left: seat,
                    who: born,
                    moves,
                    kind,
                    settler,
                    guards: guards_from_wire(guards),
                    has_name,
                    earlier: None,
                    is_awaited: false,
                    is_here: false,
                    keeps: None,
                };
                self.takes_in(Box::new(coming));
            }
        }
    }

    /// Has an actor come to its seat, or to a new one.
    pub(in crate::network) fn takes_in(self: &Arc<Self>, coming: Box<Coming>) {
        self.seats.note_mobile();
        let (who, attempt) = (coming.who, coming.attempt);
        let mut coming = Some(coming);
        let next = self.seats.with(who, |line| {
            let mut coming = coming.take().expect("used once");
            // Looked at here: its end looks for those that come from there behind this.
            if coming.from.is_dead() || line.waits.is_some() {
                return Next::Refuse(coming, MigrateError::Unreachable);
            }
            let Sits::Elsewhere(at) = line.sits else {
                return Next::Refuse(coming, MigrateError::OtherKind);
            };
            let stands = line.last().stands.clone();
            let is_of_kind = stands.message_type() == coming.kind.message_type()
                && stands.has_lanes() == coming.kind.has_lanes();
            if !is_of_kind {
                return Next::Refuse(coming, MigrateError::OtherKind);
            }
            let reference = stands.reference();
            if line.standing.len() > 1 || reference.is_none() {
                line.waits = Some(coming);
                return Next::Wait;
            }
            coming.keeps = reference;
            coming.earlier = Some(stands.nothing_earlier());
            line.sits = Sits::Coming(coming, Some(at));
            line.turning = None;
            Next::Tell(stands)
        });
        let next = next.unwrap_or_else(|| Next::Prepare(coming.take().expect("used once")));
        match next {
            Next::Wait => {}
            Next::Tell(stands) => {
                stands.mark(Mark::Receive { attempt }.to_bytes());
            }
            Next::Refuse(coming, why) => self.refuse(&coming, why),
            Next::Prepare(coming) => self.prepare(coming),
        }
    }

    fn prepare(self: &Arc<Self>, coming: Box<Coming>) {
        let Some(stage) = self.pool.upgrade() else {
            return self.refuse(&coming, MigrateError::Unreachable);
        };
        let (who, kind) = (coming.who, coming.kind.clone());
        match self.prepares(coming, kind.arriving(), &stage) {
            Ok(stands) => {
                let Some(ready) = self.ready(who, stands.actor(), None) else { return };
                self.tell_ready(&ready);
            }
            Err(coming) if coming.from.is_dead() => {}
            // A reference has come meanwhile.
            Err(coming) => self.takes_in(coming),
        }
    }

    fn refuse(self: &Arc<Self>, coming: &Coming, why: MigrateError) {
        let refused = Control::Refused { seat: coming.left, attempt: coming.attempt, why };
        self.tell_peer(&coming.from, &refused);
    }

    /// In the turn of the seat to which an actor comes: closes its way.
    pub(super) fn say_ready(
        self: &Arc<Self>,
        seat: u64,
        who: Address,
        way: &Arc<Way>,
        attempt: u64,
    ) {
        let Some(ready) = self.ready(who, seat, Some(attempt)) else { return };
        let mark = Mark::ready(attempt, self.id, seat);
        if way.close(Some(&mark)) {
            self.transmit_by(way);
        } else {
            // Nothing comes by that way any more.
            self.tell_ready(&ready);
        }
    }

    /// What the theater that the actor leaves is to know; the seat is referred to from there from
    /// here on.
    fn ready(self: &Arc<Self>, who: Address, seat: u64, attempt: Option<u64>) -> Option<Ready> {
        let (ready, stands) = self.seats.with(who, |line| {
            let Sits::Coming(coming, _) = &mut line.sits else { return None };
            if coming.is_awaited || attempt.is_some_and(|attempt| coming.attempt != attempt) {
                return None;
            }
            coming.is_awaited = true;
            let ready =
                Ready { to: coming.from.clone(), left: coming.left, attempt: coming.attempt, seat };
            Some((ready, line.first().stands.clone()))
        })??;
        let inbound = stands.inbound()?;
        if self.exports.is_referred_to(&inbound, ready.to.id) {
            self.tell_of_the_end_of(&*inbound);
        }
        Some(ready)
    }

    /// The way by which that was said is lost.
    pub(in crate::network) fn says_ready_again(self: &Arc<Self>, who: Address) {
        let ready = self.seats.with(who, |line| {
            let Sits::Coming(coming, _) = &line.sits else { return None };
            let seat = line.first().stands.actor();
            let (to, left, attempt) = (coming.from.clone(), coming.left, coming.attempt);
            coming.is_awaited.then_some(Ready { to, left, attempt, seat })
        });
        if let Some(Some(ready)) = ready {
            self.tell_ready(&ready);
        }
    }

    /// A seat elsewhere has ended: so do those that lead there.
    ///
    /// WHY not the one to which an actor is about to come: its old way ended, not the actor, which
    /// another theater has written and may have let go already. It would be nowhere then.
    pub(in crate::network) fn old_seat_ended(self: &Arc<Self>, at: Address, reason: EndReason) {
        for stands in self.seats.by_route(at) {
            let who = self.seats.who(stands.actor());
            let comes = who.and_then(|who| {
                let comes = self.seats.with(who, |line| line.comes_by_another_way(at))??;
                Some((who, comes))
            });
            let Some((who, (passed, way, references))) = comes else {
                stands.end(reason);
                continue;
            };
            // Not under the lock of the seats: see `Way`. What it has not said by that way yet, it
            // says directly, as there is none.
            let to = way.course().to.take();
            if let Some(to) = to {
                self.give_back(&to, references);
            }
            self.says_ready_again(who);
            self.have_come(&passed);
        }
    }

    fn tell_ready(self: &Arc<Self>, ready: &Ready) {
        let Ready { to, left, attempt, seat } = ready;
        self.tell_peer(to, &Control::Ready { seat: *left, attempt: *attempt, at: *seat });
    }

    /// Something has come for a seat. `true`: it is kept for the actor that comes from there.
    pub(in crate::network) fn keeps_for_comer(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        seat: u64,
        came: Came,
        bytes: &[u8],
    ) -> bool {
        let Some(who) = self.seats.comes_from(seat, peer.id) else { return false };
        // Read without the lock of the seats: references in it are looked up there. Nobody else
        // adds to it meanwhile: what comes from one theater comes in its order.
        let taken = self.seats.with(who, |line| {
            let Sits::Coming(coming, _) = &mut line.sits else { return None };
            Some((coming.earlier.take()?, line.first().stands.clone()))
        });
        let Some(Some((mut earlier, stands))) = taken else { return false };
        let between = Between::new(self, peer);
        let read = match came {
            Came::Mark => {
                stands.marked_earlier(bytes, &mut earlier);
                Ok(())
            }
            Came::Message(slot) => stands.came_earlier(&between, slot, bytes, &mut earlier),
            Came::Letter(name, awaits) => {
                stands.letter_came_earlier(&between, name, awaits, bytes, &mut earlier)
            }
        };
        if read.is_err() {
            self.lost(seat, DeadLetterReason::Unwritable, bytes);
        }
        self.seats.with(who, |line| {
            if let Sits::Coming(coming, _) = &mut line.sits {
                coming.earlier = Some(earlier);
            }
        });
        true
    }

    /// All that was to come before an actor has come.
    pub(in crate::network) fn comes(self: &Arc<Self>, peer: &Arc<Peer>, seat: u64, attempt: u64) {
        let Some(who) = self.seats.who(seat) else { return };
        let come = self.seats.with(who, |line| {
            let Sits::Coming(coming, before) = &mut line.sits else { return None };
            if coming.attempt != attempt || coming.from.id != peer.id || coming.is_here {
                return None;
            }
            coming.is_here = true;
            line.moves = coming.moves;
            line.told.clear();
            line.kind = coming.kind.name();
            line.has_name |= coming.has_name;
            *before = None;
            let references = std::mem::take(&mut line.references);
            let next = std::mem::take(&mut line.next);
            Some((line.first().stands.clone(), line.way.clone(), references, next))
        });
        let Some(Some((stands, way, references, next))) = come else { return };
        // Before the seat is told, which may let its actor go on by this way.
        let before = way.course().to.take();
        stands.mark(Mark::Settle { attempt }.to_bytes());
        if let Some(before) = before {
            self.give_back(&before, references);
        }
        next.iter().for_each(|to| self.give_back(to, 1));
    }

    /// The seat has come to the mark that says so.
    pub(super) fn settles(self: &Arc<Self>, who: Address, attempt: u64) -> Bid {
        let coming = self.seats.with(who, |line| match &line.sits {
            Sits::Coming(coming, _) if coming.attempt == attempt && coming.is_here => {
                match std::mem::replace(&mut line.sits, Sits::Here) {
                    Sits::Coming(coming, _) => Some(coming),
                    _ => unreachable!("looked at above"),
                }
            }
            _ => None,
        });
        let Some(Some(coming)) = coming else { return Bid::Nothing };
        let Coming { from, settler, guards, earlier, .. } = *coming;
        self.tell_peer(&from, &Control::Settled { attempt });
        match earlier {
            Some(earlier) => Bid::Settle { settler, guards, earlier },
            None => Bid::Nothing,
        }
    }

    /// An actor that was to come by this attempt does not.
    pub(in crate::network) fn does_not_come(self: &Arc<Self>, from: TheaterId, attempt: u64) {
        self.do_not_come(from, Some(attempt), false);
    }

    /// The theater is dead that actors were to leave. `may_be_back`: unless it lives.
    pub(in crate::network) fn lose_comers(self: &Arc<Self>, from: TheaterId, may_be_back: bool) {
        self.do_not_come(from, None, may_be_back);
    }

    fn do_not_come(self: &Arc<Self>, from: TheaterId, attempt: Option<u64>, may_be_back: bool) {
        let is_meant = |line: &Line| match &line.sits {
            Sits::Coming(coming, _) => {
                coming.from.id == from
                    && !coming.is_here
                    && attempt.is_none_or(|attempt| coming.attempt == attempt)
            }
            _ => false,
        };
        for who in self.seats.all(is_meant) {
            self.goes_back(who, attempt.is_none(), may_be_back);
        }
        let waits = |line: &Line| line.waits.as_ref().is_some_and(|coming| coming.from.id == from);
        for who in self.seats.all(waits) {
            drop(self.seats.with(who, |line| line.waits.take()));
        }
    }

    /// The seat stands for its actor as before. If it was made for it, it ends; also if the actor
    /// is lost: whether the dead theater had let it go or not, nobody has it, and ways of which
    /// some lead here may go round in a circle. `may_be_back`: what has come of it is put aside
    /// until that is known (`cut_off.rs`).
    fn goes_back(self: &Arc<Self>, who: Address, is_lost: bool, may_be_back: bool) {
        let back = self.seats.with(who, |line| {
            let Sits::Coming(_, before) = &line.sits else { return None };
            let before = before.filter(|_| !is_lost);
            let sits = before.map_or(Sits::Here, Sits::Elsewhere);
            let Sits::Coming(coming, _) = std::mem::replace(&mut line.sits, sits) else {
                unreachable!("looked at above")
            };
            let stands = line.first().stands.clone();
            if before.is_some() {
                line.way.open();
                return Some((coming, stands, None));
            }
            let next = std::mem::take(&mut line.next);
            let references = std::mem::take(&mut line.references);
            Some((coming, stands, Some((line.way.clone(), references, next))))
        });
        let Some(Some((mut coming, stands, over))) = back else { return };
        if coming.is_awaited {
            drop(self.exports.released(stands.actor(), coming.from.id, 1));
        }
        if may_be_back && coming.is_awaited {
            self.defers(coming, &stands);
        } else if let Some(earlier) = coming.earlier.take() {
            stands.lost_earlier(earlier, DeadLetterReason::Unreachable);
        }
        match over {
            None => {
                stands.wake();
                self.seats.with(who, |line| line.remind());
            }
            Some((way, references, next)) => {
                let before = way.course().to.take();
                if let Some(before) = before {
                    self.give_back(&before, references);
                }
                next.iter().for_each(|to| self.give_back(to, 1));
                self.seats.forget(who);
                stands.lose();
            }
        }
    }

    /// The seat to which an actor was to come has ended.
    pub(in crate::network) fn cannot_come(self: &Arc<Self>, coming: &Coming) {
        if coming.is_here {
            // It has come, and ended with its seat.
            self.tell_peer(&coming.from, &Control::Settled { attempt: coming.attempt });
        } else {
            self.refuse(coming, MigrateError::Bound("its seat there has been stopped".into()));
        }
    }
}

struct Ready {
    to: Arc<Peer>,
    left: u64,
    attempt: u64,
    seat: u64,
}

/// The type of a kind that this theater knows by another layout than the one from which an actor
/// comes.
fn other_layout(kind: &dyn Kind, (state, messages): (u64, u64)) -> Option<&'static str> {
    let known = kind.layouts();
    let both = [(known.messages, messages), (known.state, state)];
    both.into_iter().find_map(|((here, name), there)| (here != there).then_some(name))
}
