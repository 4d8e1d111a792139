//! Messages with companions leave, and come: see `companions.rs`.

use std::any::Any;
use std::sync::{Arc, Weak};

use odeon_core::DeadLetterReason;
use odeon_core::wire::{Address, Delivered};

use crate::network::handle::Network;
use crate::network::inner::Inner;
use crate::network::references::passage::Between;
use crate::network::references::seats::Leads;
use crate::routing::companions::{Companions, read_head};
use crate::routing::peer::Peer;

impl Network {
    pub(crate) fn accompany_by(&self, companions: Weak<dyn Companions>) {
        self.inner.accompanied.by(companions);
    }

    /// Where the actor lives for which an actor of this theater stands.
    pub(crate) fn leads_to(&self, actor: u64) -> Option<Address> {
        match self.inner.seats.leads(actor)? {
            Leads::Here => None,
            Leads::To(reference) => Some(reference.at),
        }
    }

    pub(crate) fn send_accompanied(
        &self,
        actor: u64,
        mailbox: usize,
        message: Box<dyn Any + Send>,
        companion: Vec<u8>,
    ) -> Result<(), Box<dyn Any + Send>> {
        match self.inner.seats.get(actor) {
            Some(stands) => stands.accompany(mailbox, message, companion),
            None => Err(message),
        }
    }
}

impl Inner {
    pub(super) fn accompanied_arrives(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        actor: u64,
        bytes: &[u8],
    ) {
        let Some((slot, companion, message)) = read_head(bytes) else { return };
        let made = self.accompanied.companions().and_then(|it| it.comes(peer.id, companion));
        if self.seats.are_mobile() {
            self.tell_moved(actor, peer);
        }
        let Some(inbound) = self.exports.get(actor) else {
            // Dropped first, the companion tells whom it concerns.
            drop(made);
            return self.lost(actor, DeadLetterReason::Stopped, message);
        };
        let Some(made) = made else {
            return self.lost(actor, DeadLetterReason::Stopped, message);
        };
        match inbound.deliver_accompanied(&Between::new(self, peer), slot, message, made) {
            Ok(Delivered::Yes) => peer.does_not_press(actor),
            Ok(Delivered::No) => self.tell_if_ended(actor, peer),
            Ok(Delivered::UnderPressure) => peer.presses(self, actor, bytes.len(), &inbound),
            Err(_) => self.lost(actor, DeadLetterReason::Unwritable, message),
        }
    }
}
