//! Actors, mailboxes and stages: the local message path of Odeon.
//!
//! Applications use the facade crate `odeon`. The map of this crate:
//!
//! | concept | files |
//! |---|---|
//! | what a user implements | `actor.rs`, `async_actor.rs`, `message.rs`, `access.rs` |
//! | what a user holds | `actor_ref.rs`, `reply.rs`, `ask.rs`, `context.rs`, `async_context.rs` |
//! | one message in five files | `send.rs` → `mailbox/inbox.rs` → `scheduler/submit.rs` → `scheduler/worker.rs` → `turn/sequential.rs` |
//! | an actor's memory | `cell.rs` |
//! | when senders wait | `pressure.rs`, `pressure/*`, `bounded.rs`, `bounded/*` |
//! | what happens later | `timer.rs`, `timer/*` |
//! | reads of one actor at once | `read_write.rs`, `read_write/*` |
//! | what happens beside an actor | `pipe.rs`, `pipe/*`, `fork.rs` |
//! | the runtime as a whole | `theater.rs`, `theater/*`, `registry.rs` |
//! | finding actors, one message for many | `naming.rs`, `group.rs`, `broadcast.rs`, `worker_pool.rs` |
//! | what can be seen from outside | `observe.rs`, `sight.rs`, `sight/*`, `dead_letter.rs` |
//! | messages between theaters | `wire.rs`, `wire/*` (feature `wire`) |
//! | seams for sibling crates | `extend.rs`, `observe.rs`, `clock.rs`, `random.rs`, `outbox.rs`, `lane.rs` |

mod access;
mod actor;
mod actor_id;
mod actor_ref;
mod ask;
mod async_actor;
mod async_context;
mod bonds;
mod bounded;
mod broadcast;
mod cell;
mod clock;
mod context;
mod current;
mod dead_letter;
mod declared_guards;
mod error;
pub mod extend;
mod failure_text;
mod foreign_task;
mod fork;
mod group;
mod guarding;
mod interior;
mod kin;
mod lane;
mod lazy;
mod link;
mod luggage;
mod mailbox;
mod mailbox_ref;
mod mailboxes;
mod memory;
mod message;
mod naming;
mod observe;
mod oneshot;
mod open_question;
mod outbox;
pub mod patterns;
mod pipe;
mod pressure;
mod random;
mod read_write;
mod registry;
mod reply;
mod scheduler;
mod selection;
mod send;
mod sight;
mod supervision;
mod theater;
mod timer;
mod turn;
mod unanswered;
mod watch;
pub mod wire;
mod worker_pool;

pub use access::Access;
pub use actor::Actor;
pub use actor_id::ActorId;
pub use actor_ref::{ActorRef, WeakRef};
pub use ask::Ask;
pub use async_actor::AsyncActor;
pub use async_context::AsyncContext;
pub use bounded::{Bound, Bounded};
pub use broadcast::broadcast;
pub use clock::{Clock, SystemClock};
pub use context::Context;
pub use dead_letter::{DeadLetter, DeadLetterCounts, DeadLetterReason};
pub use declared_guards::DeclaredGuards;
pub use error::{AskError, BuildError, Elapsed, SendError, StageError, TrySendError};
pub use failure_text::FailureText;
pub use foreign_task::{AsTask, ForeignTask, as_task};
pub use group::Group;
pub use link::Link;
pub use mailbox_ref::MailboxRef;
pub use mailboxes::{MailboxName, MailboxOf, Mailboxes};
pub use message::Message;
pub use naming::{LookupError, NameTaken, OtherType};
pub use observe::{EndReason, Observer};
pub use pipe::Pipe;
pub use random::Random;
pub use read_write::{
    ReadContext, ReadSharing, ReadWrite, ReadWriteActor, ReadWritePolicy, ReadWriting, WriteContext,
};
pub use reply::Reply;
pub use scheduler::pool::QueueOrder;
pub use selection::{
    Ageing, LeastRecentlyUsed, RandomMailbox, Ready, RoundRobin, Selection, SelectionPolicy,
    Weighted, WhenAllClosed,
};
pub use sight::{
    ActorStats, SpeculationReport, StageKind, StageStats, Stats, StatsSource, Wait, WaitsView,
};
pub use supervision::{Directive, Failure, Supervision};
pub use theater::builder::TheaterBuilder;
pub use theater::{RootFailure, Stage, StopReport, Theater};
pub use timer::{AskWithin, Timer};
pub use watch::{Ended, UntilEnded, Watch, Watching};
pub use worker_pool::{Routing, WorkerPool};
