//! What follows from what happens to a link.

use std::sync::Arc;
use std::time::Duration;

use odeon_core::extend::Submit;
use odeon_core::wire::{Address, StandIn};

use crate::network::inner::Inner;
use crate::routing::channel::Channel;
use crate::routing::owner::Owner;
use crate::routing::peer::Peer;
use crate::{End, Event, TheaterId, Transport};

impl Owner for Inner {
    fn now(&self) -> Duration {
        self.clock.now()
    }

    fn transport(&self) -> Option<&dyn Transport> {
        self.transport.get().map(|transport| &**transport)
    }

    fn pool(&self) -> Option<Arc<dyn Submit>> {
        self.pool.upgrade()
    }

    fn arrives(self: &Arc<Self>, peer: &Arc<Peer>, channel: u64, bytes: &[u8]) {
        self.message_comes(peer, channel, bytes);
    }

    fn happens(self: &Arc<Self>, peer: &Arc<Peer>, event: Event) {
        match event {
            Event::Relieved => self.seats.of(peer.id).iter().for_each(|stands| stands.wake()),
            Event::ChannelRelieved(channel) => {
                if let Some(Channel::Actor(seat)) = Channel::of(channel) {
                    let senders = self.senders_to(peer.address(seat));
                    senders.iter().for_each(|stands| stands.wake());
                }
            }
            Event::TooLarge(message) => self.too_large(peer, message),
            Event::Ended { end, undelivered } => {
                self.ended(peer, end, undelivered);
                if matches!(end, End::Silent | End::GivenUp) {
                    self.meets_anew(peer.id);
                }
            }
            Event::Linked => {
                self.tells_decisions(peer);
                self.members.note(peer.id, &event);
                self.says_through_again();
                self.pays(peer);
            }
            event => self.members.note(peer.id, &event),
        }
    }

    fn senders_to(&self, at: Address) -> Vec<Arc<dyn StandIn>> {
        self.seats.by_route(at)
    }
}

impl Inner {
    /// The link to a theater has ended, because one side has not heard of the other. If that is
    /// only slow, or has been cut off, nobody else would say that it can be reached: the transport
    /// has said so already.
    fn meets_anew(self: &Arc<Self>, theater: TheaterId) {
        if !self.peers.is_reachable(theater) {
            return;
        }
        if let Some(next) = self.peers.get_or_meet(theater) {
            next.transmit(self);
        }
    }
}
