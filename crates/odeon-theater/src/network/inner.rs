//! All that a theater knows of others: each part owns its state, and nothing of it knows this.

use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use odeon_core::Clock;
use odeon_core::extend::Submit;
use odeon_core::wire::Inbound;

use crate::network::membership::members::Members;
use crate::network::migration::Migrations;
use crate::network::migration::natives::Natives;
use crate::network::migration::owed::Owed;
use crate::network::references::exports::Exports;
use crate::network::references::grants::GrantNumbers;
use crate::network::references::published::Published;
use crate::network::references::questions::Questions;
use crate::network::references::seats::Seats;
use crate::routing::channel::Channel;
use crate::routing::companions::Accompanied;
use crate::routing::control::Control;
use crate::routing::peer::Peer;
use crate::routing::peers::Peers;
use crate::{LinkConfig, TheaterId, Transport};

/// See the module.
pub(super) struct Inner {
    pub(super) id: TheaterId,
    pub(super) name: String,
    pub(super) config: LinkConfig,
    /// Where what stands here for actors elsewhere lives.
    pub(super) pool: Weak<dyn Submit>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) transport: OnceLock<Arc<dyn Transport>>,
    pub(super) peers: Peers,
    pub(super) members: Members,
    pub(super) exports: Exports,
    pub(super) grant_numbers: GrantNumbers,
    pub(super) seats: Seats,
    pub(super) questions: Questions,
    pub(super) migrations: Migrations,
    pub(super) owed: Owed,
    pub(super) published: Published,
    pub(super) accompanied: Accompanied,
    pub(super) natives: Natives,
}

impl Inner {
    pub(super) fn now(&self) -> Duration {
        self.clock.now()
    }

    pub(super) fn leave(self: &Arc<Self>, deadline: Duration) -> bool {
        self.peers.leave().iter().for_each(|peer| peer.leave(self));
        let have_gone = self.peers.wait_until_empty(deadline);
        self.peers.all().iter().for_each(|peer| peer.give_up(self));
        have_gone
    }

    pub(super) fn tell_peer(self: &Arc<Self>, peer: &Arc<Peer>, control: &Control) {
        let _ = peer.push(Channel::Control, &control.to_bytes());
        peer.transmit(self);
    }

    /// Those that refer to an actor of this theater are to know when it ends.
    pub(super) fn tell_of_the_end_of(self: &Arc<Self>, inbound: &dyn Inbound) {
        let (network, actor) = (Arc::downgrade(self), inbound.actor());
        let watch = inbound.on_end(Box::new(move |reason| {
            let Some(network) = network.upgrade() else { return };
            for holder in network.exports.has_ended(actor, reason) {
                if let Some(peer) = network.peers.get(holder) {
                    peer.tell_later(Control::ended(actor, reason));
                    peer.transmit(&network);
                }
            }
        }));
        self.exports.is_watched(actor, watch);
    }

    /// Tells another theater that an actor of this one has ended, if it has; behind what has been
    /// pushed.
    pub(super) fn tell_if_ended(self: &Arc<Self>, actor: u64, peer: &Arc<Peer>) {
        if let Some(reason) = self.exports.end_of(actor) {
            peer.tell_later(Control::ended(actor, reason));
            peer.transmit(self);
        }
    }

    pub(super) fn is_of_this_theater(&self, stage: &dyn Submit) -> bool {
        let of_theater = |pool: Arc<dyn Submit>| Arc::ptr_eq(pool.theater(), stage.theater());
        self.pool.upgrade().is_some_and(of_theater)
    }
}
