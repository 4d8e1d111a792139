//! Actors, mailboxes and stages: the local message path of Odeon.
//!
//! Applications use the facade crate `odeon`. The map of this crate:
//!
//! | concept | files |
//! |---|---|
//! | what a user implements | `actor.rs`, `message.rs` |
//! | what a user holds | `actor_ref.rs`, `reply.rs`, `ask.rs`, `context.rs` |
//! | one message in five files | `send.rs` → `mailbox/inbox.rs` → `scheduler/submit.rs` → `scheduler/worker.rs` → `turn/sequential.rs` |
//! | an actor's memory | `cell.rs` |
//! | the runtime as a whole | `theater.rs`, `theater/*`, `registry.rs` |
//! | seams for sibling crates | `extend.rs`, `observe.rs`, `clock.rs`, `random.rs`, `outbox.rs` |

mod actor;
mod actor_id;
mod actor_ref;
mod ask;
mod cell;
mod clock;
mod context;
mod current;
mod dead_letter;
mod error;
pub mod extend;
mod mailbox;
mod memory;
mod message;
mod observe;
mod outbox;
mod random;
mod registry;
mod reply;
mod scheduler;
mod send;
mod theater;
mod turn;

pub use actor::Actor;
pub use actor_id::ActorId;
pub use actor_ref::{ActorRef, WeakRef};
pub use ask::Ask;
pub use clock::{Clock, SystemClock};
pub use context::Context;
pub use dead_letter::{DeadLetter, DeadLetterReason};
pub use error::{AskError, BuildError, SendError, StageError, TrySendError};
pub use message::Message;
pub use observe::{EndReason, Observer};
pub use random::Random;
pub use reply::Reply;
pub use scheduler::pool::QueueOrder;
pub use theater::builder::TheaterBuilder;
pub use theater::{Stage, StopReport, Theater};
