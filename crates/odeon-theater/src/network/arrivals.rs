//! What has come from another theater, to whom it is meant for.

use std::sync::Arc;

use odeon_core::wire::{Delivered, unreadable};
use odeon_core::{DeadLetterReason, EndReason};

use crate::TheaterId;
use crate::network::inner::Inner;
use crate::network::migration::Came;
use crate::network::references::passage::Between;
use crate::routing::asker::Asker;
use crate::routing::channel::{Channel, NUMBERS};
use crate::routing::control::Control;
use crate::routing::marks::{ACCOMPANIED, MARK, Mark, is_letter, read_letter, read_slot};
use crate::routing::peer::Peer;

impl Inner {
    /// A message has come on a channel.
    pub(super) fn message_comes(self: &Arc<Self>, peer: &Arc<Peer>, channel: u64, bytes: &[u8]) {
        match Channel::of(channel) {
            Some(Channel::Actor(actor)) => self.message_arrives(peer, actor, bytes),
            Some(Channel::Answer(question)) => self.answer_arrives(peer, question, bytes),
            Some(Channel::Control) => {
                if let Some(control) = Control::from_bytes(bytes) {
                    self.control_arrives(peer, control);
                }
            }
            Some(Channel::Traveller(_)) => self.traveller_arrives(peer, bytes),
            // Of a newer version, or of nobody who means well.
            None => {}
        }
    }

    fn message_arrives(self: &Arc<Self>, peer: &Arc<Peer>, actor: u64, bytes: &[u8]) {
        match bytes.split_first() {
            Some((&MARK, mark)) => return self.mark_arrives(peer, actor, mark),
            Some((&ACCOMPANIED, rest)) => return self.accompanied_arrives(peer, actor, rest),
            _ => {}
        }
        // Nobody but the actor behind which it comes takes it.
        if is_letter(bytes) {
            let Some((name, awaits, message)) = read_letter(bytes) else { return };
            if !self.keeps_for_comer(peer, actor, Came::Letter(name, awaits), message) {
                self.lost(actor, DeadLetterReason::Stopped, message);
            }
            return;
        }
        let Some((slot, message)) = read_slot(bytes) else { return };
        if self.seats.are_mobile() {
            if self.keeps_for_comer(peer, actor, Came::Message(slot), message) {
                return;
            }
            self.tell_moved(actor, peer);
        }
        let Some(inbound) = self.exports.get(actor) else {
            peer.tell_later(Control::ended(actor, EndReason::Stopped));
            return self.lost(actor, DeadLetterReason::Stopped, message);
        };
        match inbound.deliver(&Between::new(self, peer), slot, message) {
            Ok(Delivered::Yes) => peer.does_not_press(actor),
            // Whoever has been granted a reference may not know.
            Ok(Delivered::No) => self.tell_if_ended(actor, peer),
            Ok(Delivered::UnderPressure) => peer.presses(self, actor, bytes.len(), &inbound),
            Err(_) => self.lost(actor, DeadLetterReason::Unwritable, message),
        }
    }

    fn mark_arrives(self: &Arc<Self>, peer: &Arc<Peer>, seat: u64, bytes: &[u8]) {
        match Mark::from_bytes(bytes) {
            Some(Mark::Go { attempt }) => self.comes(peer, seat, attempt),
            Some(Mark::Migrate { .. } | Mark::Ready { .. } | Mark::Through { .. }) => {
                if self.keeps_for_comer(peer, seat, Came::Mark, bytes) {
                    return;
                }
                let stands = self.seats.get(seat);
                if !stands.is_some_and(|stands| stands.mark(bytes.to_vec())) {
                    // Whoever turns to a seat that has ended meanwhile has not been told.
                    self.tell_of_an_end(peer, seat);
                    self.mark_is_lost(bytes);
                }
            }
            // A theater leaves the others to its own seats alone. Or it is of a newer version, or
            // of nobody who means well.
            Some(
                Mark::Reroute | Mark::Receive { .. } | Mark::Settle { .. } | Mark::Stay { .. },
            )
            | None => {}
        }
    }

    pub(super) fn tell_of_an_end(self: &Arc<Self>, peer: &Arc<Peer>, seat: u64) {
        let why = match self.exports.get(seat) {
            Some(_) => self.exports.end_of(seat),
            None => Some(EndReason::Stopped),
        };
        if let Some(why) = why {
            peer.tell_later(Control::ended(seat, why));
            peer.transmit(self);
        }
    }

    fn answer_arrives(self: &Arc<Self>, peer: &Arc<Peer>, question: u64, bytes: &[u8]) {
        self.questions.answer(question, peer.id, |answer| {
            // An answer that cannot be read is none: the asker has been told by its end.
            let _ = answer.answer(&Between::new(self, peer), bytes);
        });
    }

    fn control_arrives(self: &Arc<Self>, peer: &Arc<Peer>, control: Control) {
        match control {
            Control::Released { actor, references } => {
                drop(self.exports.released(actor, peer.id, references));
            }
            Control::Granted { actor, to, grant } => {
                self.is_granted(actor, peer, TheaterId::from_bits(to), grant);
            }
            Control::Taken { actor, by, grant } => {
                self.is_taken(actor, peer, TheaterId::from_bits(by), grant);
            }
            Control::Revoked { actor, grant } => {
                drop(self.exports.revoked(actor, peer.id, grant));
            }
            Control::Void { to, until } => {
                drop(self.exports.void(peer.id, TheaterId::from_bits(to), until));
            }
            Control::Expects { by } => self.is_expected(TheaterId::from_bits(by), peer),
            Control::Over { by } => {
                drop(self.exports.over(TheaterId::from_bits(by), peer.id));
            }
            Control::Ended { actor, failed } => {
                let reason = if failed { EndReason::Failed } else { EndReason::Stopped };
                self.old_seat_ended(peer.address(actor), reason);
            }
            Control::Ready { at, .. } if at >= NUMBERS => {}
            Control::Ready { seat, attempt, at } => {
                if let Some(stands) = self.seats.get(seat) {
                    stands.mark(Mark::ready(attempt, peer.id, at).to_bytes());
                }
            }
            Control::Refused { seat, attempt, why } => self.is_refused(peer, seat, attempt, why),
            Control::Withdrawn { attempt } => self.does_not_come(peer.id, attempt),
            Control::Settled { attempt } => self.is_settled(peer, attempt),
            Control::Moved { seat, who, to, moves, grant } => {
                self.has_moved(peer, seat, who, to, (moves, grant));
            }
            Control::NotKnown { seat } => {
                self.seats.is_not_known(seat, peer.id);
                self.has_to_tell(seat);
            }
            Control::Passed { who, turn } => self.has_passed(who, turn),
            Control::Failed { question, text } => {
                if let Some(asked) = self.questions.take(question, peer.id) {
                    asked.fail(&text);
                }
            }
            Control::Unanswered { question } => drop(self.questions.take(question, peer.id)),
            Control::Asked { question, wanted, messages } if question < NUMBERS => {
                self.asked(peer, question, &wanted, &messages);
            }
            Control::Asked { .. } => {}
            Control::AreOpen { at, questions } => self.says_what_is_over(peer, at, questions),
            Control::AreOver { at, questions } => self.are_over(peer, at, &questions),
            Control::TakesNobody => peer.takes_nobody(),
            Control::Decided { attempt, has_gone } => self.is_decided(peer, attempt, has_gone),
            Control::Answered { asker, question, answer, .. } => {
                let asker = Asker { theater: TheaterId::from_bits(asker), question };
                self.answer_comes(peer, asker, answer);
            }
        }
    }

    /// A message that nobody here can read or take.
    pub(super) fn lost(&self, actor: u64, reason: DeadLetterReason, bytes: &[u8]) {
        if let Some(stage) = self.pool.upgrade() {
            unreadable(&*stage, actor, reason, bytes);
        }
    }
}
