//! Theaters among others: references, messages and answers between them, exactly once and in order, over any network that carries
//! packets.
//!
//! | question | file |
//! |---|---|
//! | how does a theater join others? what becomes of references and messages? | `network.rs`, `network/*` |
//! | who has which name, in the whole network? | `names.rs`, `names/*` |
//! | who moves actors to where there is less to do? | `rebalancing.rs`, `rebalancing/*` |
//! | how is a theater seen and served from outside? | `steward.rs` |
//! | who is that? | `theater_id.rs` |
//! | what does a network have to do? | `transport.rs` |
//! | how do two theaters get messages to each other? | `link.rs` has the protocol by numbers; `link/*` |
//! | what do packets look like? | `packet.rs`, `docs/wire-format.md` |
//! | what if the network is bad? | [`InMemoryNetwork`], `in_memory.rs` |
//!
//! A [`Link`] has no threads, no sockets, no clock: it is told what has come and what time it is, and asked what is to be sent. A [`Network`] owns
//! those of its theater, and does both.
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

mod epoch;
pub mod extend;
mod in_memory;
mod link;
mod mobile_id;
mod names;
mod network;
mod packet;
mod rebalancing;
mod secret;
mod steward;
mod theater_id;
mod transport;

pub use epoch::Epoch;
pub use in_memory::{Conditions, Counts, InMemoryNetwork, InMemoryTransport};
pub use link::{End, Event, Link, LinkConfig, Place, PushError, Sink, Undelivered, Violation};
pub use mobile_id::MobileId;
pub use names::{NameError, NameEvent, NameSettings, Names, Registration};
pub use network::{
    At, Drained, Kept, Made, Membership, MembershipEvent, Migrate, MigrateError, Migrated,
    MobileActor, Network, Overview, RemoteError,
};
pub use odeon_core::wire::Mobile;
pub use packet::{FORMAT_VERSION, PacketError, Refusal};
pub use rebalancing::{
    ByLoad, ByTalk, Load, Measured, Policy, RebalanceSettings, Rebalancer, Situation,
};
pub use secret::{Secret, ShortSecret};
pub use steward::{Steward, ToSteward};
pub use theater_id::TheaterId;
pub use transport::{Listener, Transport};
