//! What the transport tells a theater.

use std::sync::{Arc, Weak};

use crate::link::Greeting;
use crate::network::inner::Inner;
use crate::routing::peer::send_by;
use crate::{Listener, Refusal, TheaterId};

/// Hears for a theater what its transport tells, as long as it is there.
pub(super) struct Ears(Weak<Inner>);

impl Ears {
    pub(super) fn of(network: &Arc<Inner>) -> Self {
        Self(Arc::downgrade(network))
    }
}

impl Listener for Ears {
    fn packet(&self, from: TheaterId, packet: &[u8]) {
        let Some(network) = self.0.upgrade() else { return };
        // No link takes it, and a greeting that is so long is none.
        if packet.len() > network.config.largest_incoming() {
            return;
        }
        // An ended link still has answers for the other side; what it cannot take is for the next
        // one.
        if network
            .peers
            .ended(from, network.now())
            .is_some_and(|peer| peer.receive(&network, packet))
        {
            return;
        }
        let secret = network.config.secret.as_ref();
        let peer = match Greeting::of(packet, secret, network.id, from) {
            Greeting::None => network.peers.get(from),
            Greeting::Good => network.peers.get_or_meet(from),
            Greeting::Foreign => return network.members.refused(from, Refusal::OtherSecret),
            Greeting::Refused(why, refusal) => {
                network.members.refused(from, why);
                if let Some(transport) = network.transport.get() {
                    send_by(&**transport, from, refusal);
                }
                return;
            }
        };
        if let Some(peer) = peer {
            peer.receive(&network, packet);
        }
    }

    fn appeared(&self, theater: TheaterId) {
        let Some(network) = self.0.upgrade() else { return };
        network.peers.note(theater, true);
        if let Some(peer) = network.peers.get_or_meet(theater) {
            peer.transmit(&network);
        }
    }

    fn vanished(&self, theater: TheaterId) {
        // Whether it is dead, its link finds out.
        if let Some(network) = self.0.upgrade() {
            network.peers.note(theater, false);
            network.members.forget_refused(theater);
        }
    }

    fn foreign(&self, theater: TheaterId) {
        if let Some(network) = self.0.upgrade() {
            network.members.refused(theater, Refusal::OtherCluster);
        }
    }
}
