//! What follows from the end of a link: the other theater is dead, or has left.

use std::any::Any;
use std::sync::Arc;

use odeon_core::wire::{
    Address, AnswerRoute, Answerable, Arriving, Encode, Leaving, Passage, WireError, unreadable,
};
use odeon_core::{DeadLetterReason, EndReason};

use super::Inner;
use super::channel::Channel;
use super::control::Control;
use super::peer::Peer;
use crate::{End, Undelivered};

impl Inner {
    /// The link to a theater has ended. Nobody meets it anew before all that belongs to this link is gone.
    pub(super) fn ended(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        end: End,
        undelivered: Vec<Undelivered>,
    ) {
        undelivered.into_iter().for_each(|message| self.undelivered(peer, message));
        // Their references were the dead link's: they are not given back by another one.
        let stood = self.stand_ins.forget(peer.id);
        // What is dropped here tells askers that there will be no answer, and lets actors go that nobody else refers to.
        drop(self.questions.died(peer.id));
        drop(self.exports.died(peer.id));
        self.members.ended(peer.id, end);
        self.peers.end(self, peer);
        stood.iter().for_each(|stands| stands.end(EndReason::Stopped));
    }

    /// A message was pushed before it was known that the other side takes none of its length. The link goes on.
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
        let Some(Channel::Actor(actor)) = Channel::of(message.channel) else { return };
        let Some((_, bytes)) = message.message.split_first() else { return };
        let stands = self.stand_ins.get(peer.address(actor));
        let reason = DeadLetterReason::Unreachable;
        let returning = Returning { network: self, peer };
        let read = stands.map(|stands| stands.dead_letter(&returning, reason, bytes).is_ok());
        if read == Some(true) {
            return;
        }
        if let Some(stage) = self.pool.upgrade() {
            unreadable(&*stage, actor, reason, bytes);
        }
    }
}

/// For messages that come back to where they were written: nothing is counted as having arrived.
struct Returning<'a> {
    network: &'a Arc<Inner>,
    peer: &'a Arc<Peer>,
}

impl Passage for Returning<'_> {
    fn actor_leaves(&self, _: &Leaving<'_>) -> Result<Address, WireError> {
        Err(WireError::Refused("nothing is written here"))
    }

    fn actor_arrives(
        &self,
        address: Address,
        arriving: &dyn Arriving,
    ) -> Result<Box<dyn Any + Send + Sync>, WireError> {
        if address.theater != self.network.id.bits() {
            let gone = WireError::Refused("nobody refers to the actor any more");
            return self.network.stand_ins.reference(address, arriving).ok_or(gone);
        }
        let reference = self.network.exports.reference(address.actor, arriving)?;
        // It was counted when it left.
        drop(self.network.exports.released(address.actor, self.peer.id, 1));
        Ok(reference)
    }

    fn reply_leaves(&self, _: Box<dyn Answerable>) -> Result<u64, WireError> {
        Err(WireError::Refused("nothing is written here"))
    }

    fn reply_arrives(&self, number: u64) -> Result<Box<dyn AnswerRoute>, WireError> {
        // The asker learns that there is no answer.
        drop(self.network.questions.take(number, self.peer.id));
        Ok(Box::new(Nowhere))
    }
}

/// The way back for the answer to a question that has come back itself.
struct Nowhere;

impl AnswerRoute for Nowhere {
    fn answered(self: Box<Self>, _: Option<Encode<'_>>) {}
}
