//! A theater among others: references, messages and answers over the links to them.
//!
//! | room | what it owns |
//! |---|---|
//! | `references/` | who refers to whom; questions under way; published actors |
//! | `migration/` | actors that move, answers to who has asked for that (`owed.rs`), drains |
//! | `membership/` | who is there, and what a theater says of itself |
//!
//! Links and ways are below, in `routing/`. Each room has its state in types that know nothing of
//! the whole. `Inner` has all of them, and does what concerns several: that stands in the room
//! where it belongs, and here what leaves (`outbound.rs`) and comes (`listening.rs`,
//! `arrivals.rs`), and what happens to a link (`events.rs`, `endings.rs`).
//!
//! One message on its way:
//!
//! | where | what happens | file |
//! |---|---|---|
//! | at the sender's | it waits at its seat, and is written | `outbound.rs`, and the core |
//! | | it takes the way to its actor | `routing/way.rs` |
//! | | references and replies in it become addresses and numbers | `references/passage.rs` |
//! | | it is pushed on the link, and goes | `routing/peer.rs`, `routing/transmitting.rs` |
//! | at the receiver's | it comes, in its order | `routing/peer.rs` |
//! | | it is read, and sent to the actor | `arrivals.rs` |

mod accompanied;
mod arrivals;
mod endings;
mod events;
mod handle;
mod inner;
mod listening;
mod membership;
mod migration;
mod outbound;
mod references;

pub use crate::routing::companions::Companions;
pub use crate::routing::migrated::{MigrateError, Migrated};
pub use handle::{Network, WeakNetwork};
pub use membership::members::{Membership, MembershipEvent};
pub use membership::overview::Overview;
pub use migration::Migrate;
pub use migration::draining::{Drained, Kept};
pub(crate) use references::asked_for::{Messages, other_messages};
pub use references::at::At;
pub use references::creation::Made;
pub use references::mobile_actor::MobileActor;
pub use references::mobile_id::MobileId;
pub use references::remote_error::RemoteError;
