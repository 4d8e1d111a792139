//! Theaters that only know those near them by themselves: a thousand that all know each other would
//! be half a million links.
#![allow(unreachable_pub, reason = "as in `support`")]

use odeon_theater::{InMemoryNetwork, Listener, TheaterId, Transport};
use std::sync::Arc;

struct Neighbours {
    listener: Arc<dyn Listener>,
    near: Vec<TheaterId>,
}

impl Listener for Neighbours {
    fn packet(&self, from: TheaterId, packet: &[u8]) {
        self.listener.packet(from, packet);
    }

    fn appeared(&self, theater: TheaterId) {
        if self.near.contains(&theater) {
            self.listener.appeared(theater);
        }
    }

    fn vanished(&self, theater: TheaterId) {
        self.listener.vanished(theater);
    }
}

/// Joins, and hears of those near it alone.
pub fn join(
    net: &InMemoryNetwork,
    me: TheaterId,
    near: Vec<TheaterId>,
    listener: Arc<dyn Listener>,
) -> Arc<dyn Transport> {
    Arc::new(net.join(me, Arc::new(Neighbours { listener, near })))
}
