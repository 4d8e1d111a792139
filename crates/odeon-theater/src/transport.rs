//! The seam between theaters and the network: packets in, packets out, and nothing promised.
//!
//! All that is promised (once, in order, told of an end) is made above it, by
//! [`Link`](crate::Link). So a transport may be as simple as its network allows, and the one in
//! memory ([`InMemoryNetwork`](crate::InMemoryNetwork)) may be as bad as a test wants it.

mod in_memory;

pub use in_memory::{Conditions, Counts, InMemoryNetwork, InMemoryTransport};

use crate::TheaterId;

/// A way to other theaters.
///
/// What is sent may be lost, delayed, doubled, and overtaken by what is sent later; all of that is
/// made good above. What no implementation may do is to change a packet, or to put two into one:
/// packets carry no checksum.
pub trait Transport: Send + Sync + 'static {
    /// Gives `packet` to the network, or drops it.
    ///
    /// Called by threads that have more to do: it may wait for a lock that is held for a short
    /// time, and never for the network or for the theater `to`. If the network takes no more now,
    /// the packet is dropped. It must not call the [`Listener`] of the theater that sends.
    fn send(&self, to: TheaterId, packet: Vec<u8>);

    /// How many bytes a packet may have. The same number for as long as the transport lives.
    fn largest_packet(&self) -> usize;
}

/// What a transport tells a theater. Called from the transport's own threads, several at once if it
/// likes.
///
/// Implementations hand over and return: a call that waits holds up packets of other theaters too.
/// They may call [`Transport::send`].
pub trait Listener: Send + Sync {
    /// A packet has come, as the transport believes from `from`. Any bytes may come from anybody:
    /// what the packet itself says is checked, `from` only says whose link is to look at it.
    fn packet(&self, from: TheaterId, packet: &[u8]);

    /// The theater can be reached, it seems. May be told several times, late, or never: packets
    /// come before it too.
    fn appeared(&self, theater: TheaterId);

    /// The theater has gone, or cannot be reached, it seems. A hint: whether it is dead, its link
    /// decides. Until this is said, a theater that has appeared and is not heard of is greeted now
    /// and then: it may only have been cut off.
    fn vanished(&self, theater: TheaterId);

    /// A theater can be reached, it seems, and belongs to another cluster: nothing is sent to it.
    /// Who listens may tell of it; until [`vanished`](Self::vanished) is said.
    fn foreign(&self, theater: TheaterId) {
        let _ = theater;
    }
}
