//! Actors, mailboxes and stages: the local message path of Odeon.
//!
//! Applications use the facade crate `odeon`. The map of this crate:
//!
//! | concept | files |
//! |---|---|
//! | what a user implements | `turn/actor.rs`, `turn/async_actor.rs`, `vocabulary/message.rs`, `vocabulary/access.rs` |
//! | what the runtime asks of it | `turn/behavior.rs`, `turn/async_behavior.rs` |
//! | what a user holds | `messaging/actor_ref.rs`, `messaging/reply.rs`, `messaging/ask.rs`, `turn/context.rs`, `turn/async_context.rs` |
//! | one message in five files | `messaging/send.rs` → `mailbox/inbox.rs` → `scheduler/submit.rs` → `scheduler/worker.rs` → `turn/sequential.rs` |
//! | an actor's memory | `process/cell.rs`, `turn/actor_cell.rs` |
//! | what other rooms keep with it | `process/attachments.rs` |
//! | which mailbox goes next | `mailbox/selection.rs`, `mailbox/guards.rs`, `mailbox/set.rs`, `turn/guarding.rs` |
//! | when senders wait | `messaging/pressure.rs`, `messaging/bounded.rs` |
//! | what happens later | `lifecycle/timer.rs`, `scheduler/timers.rs` |
//! | how an actor comes to be | `lifecycle/spawn.rs`, `lifecycle/creating.rs` |
//! | what happens beside an actor | `lifecycle/pipe.rs`, `lifecycle/fork.rs`, `patterns/read_write.rs` |
//! | the runtime as a whole | `runtime/theater.rs`, `process/theater_shared.rs`, `process/registry.rs` |
//! | finding actors, one message for many | `runtime/naming.rs`, `runtime/group.rs`, `messaging/broadcast.rs`, `patterns/worker_pool.rs` |
//! | what can be seen from outside | `vocabulary/observe.rs`, `telemetry.rs`, `runtime/collect.rs`, `vocabulary/dead_letter.rs` |
//! | messages between theaters | `extend/wire.rs` (feature `wire`) |
//! | seams for sibling crates | `extend.rs` |

pub mod extend;
mod lifecycle;
mod mailbox;
mod messaging;
pub mod patterns;
mod process;
mod runtime;
mod scheduler;
mod telemetry;
mod turn;
mod vocabulary;

pub use crate::process::config::QueueOrder;
pub use crate::vocabulary::ended::Ended;
pub use crate::vocabulary::foreign_task::ForeignTask;
#[cfg(feature = "wire")]
pub use extend::wire;
pub use lifecycle::actor_builder::{ActorBuilder, SupervisedBuilder};
pub use lifecycle::link::Link;
pub use lifecycle::pipe::Pipe;
pub use lifecycle::timer::{AskWithin, Timer};
pub use lifecycle::watch::{UntilEnded, Watch, Watching};
pub use mailbox::declared_guards::DeclaredGuards;
pub use mailbox::selection::{
    Ageing, LeastRecentlyUsed, RandomMailbox, Ready, RoundRobin, Selection, SelectionPolicy,
    Weighted, WhenAllClosed,
};
pub use messaging::actor_ref::{ActorRef, WeakRef};
pub use messaging::ask::Ask;
pub use messaging::ask::call::Call;
pub use messaging::bounded::Bound;
pub use messaging::broadcast::broadcast;
pub use messaging::foreign_task::{AsTask, as_task};
pub use messaging::mailbox_ref::MailboxRef;
pub use messaging::reply::Reply;
pub use patterns::bounded::Bounded;
pub use patterns::read_write::{
    ReadContext, ReadSharing, ReadWrite, ReadWriteActor, ReadWritePolicy, ReadWriting, WriteContext,
};
pub use patterns::worker_pool::{Routing, WorkerPool};
pub use process::supervision::{Directive, Failure, Supervision};
pub use runtime::collect::StatsSource;
pub use runtime::group::Group;
pub use runtime::naming::{LookupError, NameTaken, OtherType};
pub use runtime::theater::builder::TheaterBuilder;
pub use runtime::theater::{DedicatedBuilder, RootFailure, Stage, StopReport, Theater};
pub use telemetry::{ActorStats, SpeculationReport, StageKind, StageStats, Stats, Wait, WaitsView};
pub use turn::actor::Actor;
pub use turn::async_actor::AsyncActor;
pub use turn::async_context::AsyncContext;
pub use turn::context::Context;
pub use vocabulary::access::Access;
pub use vocabulary::actor_id::ActorId;
pub use vocabulary::clock::{Clock, SystemClock};
pub use vocabulary::dead_letter::{DeadLetter, DeadLetterCounts, DeadLetterReason};
pub use vocabulary::error::{AskError, BuildError, Elapsed, SendError, StageError, TrySendError};
pub use vocabulary::failure_text::FailureText;
pub use vocabulary::mailboxes::{MailboxName, MailboxOf, Mailboxes};
pub use vocabulary::message::Message;
pub use vocabulary::observe::{EndReason, Observer};
pub use vocabulary::random::Random;
