//! What follows from the end of a link: the other theater is dead, or has left.

use std::sync::Arc;

use odeon_core::wire::unreadable;
use odeon_core::{DeadLetterReason, EndReason};

use super::Inner;
use super::channel::Channel;
use super::passage::Between;
use super::peer::Peer;
use crate::{End, Undelivered};

impl Inner {
    /// The link to a theater has ended.
    pub(super) fn ended(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        end: End,
        undelivered: Vec<Undelivered>,
    ) {
        self.peers.end(self, peer);
        undelivered.into_iter().for_each(|message| self.undelivered(peer, message));
        // Their references were the dead link's: they are not given back by another one.
        self.stand_ins.forget(peer.id).iter().for_each(|stands| stands.end(EndReason::Stopped));
        // What is dropped here tells askers that there will be no answer, and lets actors go that nobody else refers to.
        drop(self.questions.died(peer.id));
        drop(self.exports.died(peer.id));
        self.members.ended(peer.id, end);
    }

    /// A message that may not have come to its actor is a dead letter.
    pub(super) fn undelivered(self: &Arc<Self>, peer: &Arc<Peer>, message: Undelivered) {
        let Some(Channel::Actor(actor)) = Channel::of(message.channel) else { return };
        let Some((_, bytes)) = message.message.split_first() else { return };
        let stands = self.stand_ins.get(peer.address(actor));
        let reason = DeadLetterReason::Unreachable;
        let read = stands
            .map(|stands| stands.dead_letter(&Between::new(self, peer), reason, bytes).is_ok());
        if read == Some(true) {
            return;
        }
        if let Some(stage) = self.pool.upgrade() {
            unreadable(&*stage, actor, reason, bytes);
        }
    }
}
