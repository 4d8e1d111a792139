//! What follows from the end of a link: the other theater is dead, or has left.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;

use odeon_core::DeadLetterReason;
use odeon_core::extend::Submit;
use odeon_core::wire::{
    AnswerRoute, Answerable, Arriving, Encode, Leaving, Passage, Reference, StandIn, WireError,
    unreadable,
};

use crate::network::inner::Inner;
use crate::network::references::seats::{Line, LostWay, Sits};
use crate::routing::asker::Asker;
use crate::routing::channel::Channel;
use crate::routing::control::Control;
use crate::routing::marks::{ACCOMPANIED, MARK, Mark, is_letter, read_letter, read_slot};
use crate::routing::migrated::MigrateError;
use crate::routing::peer::Peer;
use crate::{End, TheaterId, Undelivered};

impl Inner {
    /// The link to a theater has ended. Nobody meets it anew before all that belongs to this link
    /// is gone.
    pub(super) fn ended(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        end: End,
        undelivered: Vec<Undelivered>,
    ) {
        undelivered.into_iter().for_each(|message| self.undelivered(peer, message));
        // Their references were the dead link's: they are not given back by another one.
        let may_be_back = matches!(end, End::Silent | End::GivenUp | End::Superseded);
        let stood = self.lose_ways(peer, may_be_back);
        // What is dropped here tells askers that there will be no answer, and lets actors go that
        // nobody else refers to.
        drop(self.questions.died(peer.id));
        peer.asked.take().into_iter().for_each(|asker| self.leave_unanswered(asker));
        self.lost_with(peer.id, may_be_back);
        let (over, holders, referred_to) = self.exports.died(peer.id);
        if may_be_back {
            self.keeps_named(referred_to);
        }
        drop(over);
        let until = self.grant_numbers.last();
        self.members.ended(peer.id, end);
        self.peers.end(peer);
        self.owes_no_more(peer.id, end);
        self.ends_grants(peer, until);
        self.expects_grants(peer.id, holders);
        self.says_through_again();
        stood.iter().for_each(|stands| stands.lose());
    }

    /// A message was pushed before it was known that the other side takes none of its length. The
    /// link goes on.
    pub(super) fn too_large(self: &Arc<Self>, peer: &Arc<Peer>, message: Undelivered) {
        match Channel::of(message.channel) {
            Some(Channel::Answer(question)) => {
                self.tell_peer(peer, &Control::Unanswered { question });
            }
            Some(Channel::Control) => {
                if let Some(Control::Asked { question, .. }) = Control::from_bytes(&message.message)
                {
                    drop(self.questions.take(question, peer.id));
                }
            }
            _ => self.undelivered(peer, message),
        }
    }

    /// A message that may not have come to its actor is a dead letter.
    fn undelivered(self: &Arc<Self>, peer: &Arc<Peer>, message: Undelivered) {
        let actor = match Channel::of(message.channel) {
            Some(Channel::Actor(actor)) => actor,
            Some(Channel::Control) => return self.untold(peer, &message.message),
            _ => return,
        };
        let bytes = match message.message.split_first() {
            Some((&MARK, mark)) => return self.mark_is_lost(mark),
            Some((&ACCOMPANIED, rest)) => self.accompanied.undelivered(rest),
            _ if is_letter(&message.message) => match read_letter(&message.message) {
                Some((.., bytes)) => bytes,
                None => return,
            },
            _ => match read_slot(&message.message) {
                Some((_, bytes)) => bytes,
                None => return,
            },
        };
        let stands = self.seats.by_route(peer.address(actor));
        let reason = DeadLetterReason::Unreachable;
        let returning = Returning { network: self, peer };
        if stands
            .first()
            .is_some_and(|stands| stands.dead_letter(&returning, reason, bytes).is_ok())
        {
            return;
        }
        if let Some(stage) = self.pool.upgrade() {
            unreadable(&*stage, actor, reason, bytes);
        }
    }

    fn untold(self: &Arc<Self>, peer: &Arc<Peer>, control: &[u8]) {
        if let Some(Control::Answered { asker, question, answer, is_passed_on }) =
            Control::from_bytes(control)
        {
            let asker = Asker { theater: TheaterId::from_bits(asker), question };
            self.has_not_answered(peer, asker, answer, is_passed_on);
        }
    }

    /// Marks that have been passed on by a way that is lost, to an actor that comes here.
    pub(super) fn have_come(self: &Arc<Self>, marks: &VecDeque<Vec<u8>>) {
        for mark in marks {
            if let Some(Mark::Through { theater, who, turn }) = Mark::from_bytes(mark) {
                self.has_come(TheaterId::from_bits(theater), who, turn);
            }
        }
    }

    /// A link has ended: what becomes of the ways by it. Answers the seats that lead nowhere any
    /// more. `may_be_back`: the other theater may live.
    fn lose_ways(self: &Arc<Self>, peer: &Arc<Peer>, may_be_back: bool) -> Vec<Arc<dyn StandIn>> {
        let leaves = |line: &Line| matches!(&line.sits, Sits::Leaving(it) if it.to.id == peer.id);
        for who in self.seats.all(leaves) {
            // What was counted for it is forgotten with it.
            let stays = self.is_to_stay(who, MigrateError::Unreachable, false, |departing| {
                departing.to.id == peer.id
            });
            if let Some(attempt) = stays.filter(|_| may_be_back) {
                self.has_decided(peer.id, attempt, false);
            }
        }
        self.lose_comers(peer.id, may_be_back);
        self.lose_turns(peer);
        let dead = peer.id.bits();
        let mut over = Vec::new();
        let leads_there = |line: &Line| line.at().is_some_and(|at| at.theater == dead);
        for who in self.seats.all(leads_there) {
            let turn = self.migrations.new_number();
            match self.seats.with(who, |line| line.has_lost_its_way(turn)) {
                Some(LostWay::Turned(turn, passed)) => {
                    self.has_passed(who, turn);
                    self.pass_again(who, &passed);
                }
                // Whatever it was to say by that way, it says so directly.
                Some(LostWay::Comes(passed)) => {
                    self.says_ready_again(who);
                    self.have_come(&passed);
                }
                Some(LostWay::Over) => {
                    over.extend(self.seats.forget(who).into_iter().map(|standing| standing.stands));
                }
                None => {}
            }
        }
        over
    }
}

/// For messages that come back to where they were written: nothing is counted as having arrived.
struct Returning<'a> {
    network: &'a Arc<Inner>,
    peer: &'a Arc<Peer>,
}

impl Passage for Returning<'_> {
    fn actor_leaves(&self, _: &Leaving<'_>) -> Result<Reference, WireError> {
        Err(WireError::Refused("nothing is written here"))
    }

    fn actor_arrives(
        &self,
        reference: Reference,
        arriving: &dyn Arriving,
    ) -> Result<Box<dyn Any + Send + Sync>, WireError> {
        let Reference { at, born, grant, .. } = reference;
        if at.theater != self.network.id.bits() {
            self.network.revokes(at, grant);
            let gone = WireError::Refused("nobody refers to the actor any more");
            return self.network.seats.reference(born.unwrap_or(at), arriving).ok_or(gone);
        }
        let reference = self.network.exports.reference(at.actor, arriving)?;
        // It was counted when it left.
        drop(self.network.exports.released(at.actor, self.peer.id, 1));
        Ok(reference)
    }

    fn reply_leaves(&self, _: Box<dyn Answerable>, _: Option<u128>) -> Result<u64, WireError> {
        Err(WireError::Refused("nothing is written here"))
    }

    fn reply_arrives(&self, number: u64) -> Result<Box<dyn AnswerRoute>, WireError> {
        // The asker learns that there is no answer.
        drop(self.network.questions.take(number, self.peer.id));
        Ok(Box::new(Nowhere))
    }

    fn stage(&self) -> Result<Arc<dyn Submit>, WireError> {
        self.network.stage()
    }
}

/// The way back for the answer to a question that has come back itself.
struct Nowhere;

impl AnswerRoute for Nowhere {
    fn answered(self: Box<Self>, _: Option<Encode<'_>>) {}

    fn theater(&self) -> Option<u128> {
        None
    }
}
