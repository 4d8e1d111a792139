//! Theaters among others: references, messages and answers between them, exactly once and in order,
//! over any network that carries packets.
//!
//! | question | file |
//! |---|---|
//! | how does a theater join others? what becomes of references and messages? | `network.rs`, `network/*` |
//! | what is said to another theater, and when do packets go? | `routing.rs`, `routing/*` |
//! | who has which name, in the whole network? | `names.rs`, `names/*` |
//! | who moves actors to where there is less to do? | `rebalancing.rs`, `rebalancing/*` |
//! | how is a theater seen and served from outside? | `control_actor.rs` |
//! | what does a network have to do? | `transport.rs` |
//! | how do two theaters get messages to each other? | the protocol by numbers: `link.rs`; `link/*` |
//! | what do packets look like? | `link/packet.rs`, `docs/wire-format.md` |
//! | what if the network is bad? | [`InMemoryNetwork`], `transport/in_memory.rs` |
//!
//! A [`Link`] has no threads, no sockets, no clock: it is told what has come and what time it is,
//! and asked what is to be sent. A [`Network`] owns those of its theater, and does both.
//!
//! ```
//! use odeon_theater::{Epoch, Event, Link, LinkConfig, Sink, TheaterId};
//! use std::time::Duration;
//!
//! #[derive(Default)]
//! struct Heard(Vec<String>);
//! impl Sink for Heard {
//!     fn message(&mut self, channel: u64, message: &[u8]) {
//!         self.0.push(format!("{channel}: {}", String::from_utf8_lossy(message)));
//!     }
//!     fn event(&mut self, _: Event) {}
//! }
//!
//! let (a, b) = (TheaterId::from_bits(0xA), TheaterId::from_bits(0xB));
//! let config = LinkConfig::new("example", 65_000);
//! let mut now = Duration::ZERO;
//! let mut at_a = Link::new(config.clone(), a, b, Epoch::FIRST, now);
//! let mut at_b = Link::new(config, b, a, Epoch::FIRST, now);
//! at_a.push(7, b"hello")?;
//!
//! let (mut heard, mut packet) = (Heard::default(), Vec::new());
//! while heard.0.is_empty() {
//!     while at_a.poll(now, &mut packet, &mut heard) {
//!         at_b.receive(&packet, now, &mut heard)?;
//!     }
//!     while at_b.poll(now, &mut packet, &mut heard) {
//!         at_a.receive(&packet, now, &mut heard)?;
//!     }
//!     now += Duration::from_millis(1);
//! }
//! assert_eq!(heard.0, ["7: hello"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod control_actor;
pub mod extend;
mod link;
mod names;
mod network;
mod rebalancing;
mod routing;
mod transport;

pub use control_actor::{ControlActor, ControlRequest};
pub use link::{End, Event, Link, LinkConfig, Place, PushError, Sink, Undelivered, Violation};
pub use link::{Epoch, Secret, ShortSecret, TheaterId};
pub use link::{FORMAT_VERSION, PacketError, Refusal};
pub use names::{NameError, NameEvent, NameSettings, Names, Registration};
pub use network::{
    At, Drained, Kept, Made, Membership, MembershipEvent, Migrate, MigrateError, Migrated,
    MobileActor, MobileId, Network, Overview, RemoteError,
};
pub use odeon_core::wire::Mobile;
pub use rebalancing::{ByLoad, Load, Measured, Policy, RebalanceSettings, Rebalancer, Situation};
pub use transport::{Conditions, Counts, InMemoryNetwork, InMemoryTransport};
pub use transport::{Listener, Transport};
