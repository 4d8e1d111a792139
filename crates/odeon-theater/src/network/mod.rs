//! A theater among others: references, messages and answers over the links to them.
//!
//! One message on its way:
//!
//! | where | what happens | file |
//! |---|---|---|
//! | at the sender's | it waits at the receiver's seat, and is written | `odeon-core`: `wire/seat.rs`; `outbound.rs`, `way.rs` |
//! | | references and replies in it become addresses and numbers | `passage.rs` |
//! | | it is pushed on the link, and goes | `peer.rs`, `transmitting.rs` |
//! | at the receiver's | it comes, in its order | `peer.rs` |
//! | | it is read, and sent to the actor | `arrivals.rs` |
//!
//! Who refers to whom is known in `exports.rs` (actors here, referred to from elsewhere) and `seats.rs` (actors elsewhere, referred
//! to from here, and mobile ones); questions under way in `questions.rs`; actors that move in `migrations.rs`, and the
//! answers to who has asked for that in `owed.rs`.

mod accompanied;
mod answering;
mod arrivals;
mod asked;
mod asked_for;
mod at;
mod channel;
mod companions;
mod control;
mod creation;
mod draining;
mod endings;
mod events;
mod exports;
mod granting;
mod grants;
mod handle;
mod held;
mod in_order;
mod inner;
mod kinds;
mod later;
mod left;
mod listening;
mod marks;
mod membership;
mod migrated;
mod migrations;
mod mobile_actor;
mod mobile_id;
mod natives;
mod observing;
mod outbound;
mod overview;
mod owed;
mod owner;
mod passage;
mod peer;
mod peers;
mod pressed;
mod published;
mod publishing;
mod questions;
mod remote_error;
mod requests_over;
mod seats;
mod transmitting;
mod wanted;
mod way;

pub(crate) use asked_for::{Messages, other_messages};
pub use at::At;
pub use companions::Companions;
pub use creation::Made;
pub use draining::{Drained, Kept};
pub use handle::{Network, WeakNetwork};
pub use membership::{Membership, MembershipEvent};
pub use migrated::{MigrateError, Migrated};
pub use migrations::Migrate;
pub use mobile_actor::MobileActor;
pub use mobile_id::MobileId;
pub use overview::Overview;
pub use remote_error::RemoteError;
