//! The one door for the sibling crates of Odeon: the seams, not for applications.
//!
//! | seam | between | here |
//! |---|---|---|
//! | mailbox | senders and owner | [`Inbox`], [`InboxOwner`], [`Arrival`], [`Pushed`], [`WentIdle`], [`label`] |
//! | turn | worker and way of processing | [`Task`], [`TurnReport`], [`TurnLimits`] |
//! | submit | waking and running | [`Submit`], [`Origin`], [`theater_on_stage`], [`workers_as_tasks`], [`WorkerTask`] |
//! | tracer | sending and handling | [`Tracer`], [`Scope`], [`Cause`], [`Handling`], [`Followed`], [`follow_sends`] |
//! | outbox | a turn and the world | [`Outbox`], [`Effect`] |
//! | behavior | turns and whatever is given them | [`Behavior`], [`AsyncBehavior`], [`NoInner`] |
//! | actor | one actor inside another, in its place | [`lend`], [`lend_async`], [`settle_answer`], [`settle_answer_async`], [`Continuation`], [`dead_letter`] |
//! | lanes | senders and an actor that takes messages of several of them at once | [`Lane`], [`Companion`], [`divide`], [`served`], [`wake_shard`], [`SHARDS`], [`Pause`], [`pause`], [`has_lanes`], [`mailbox_said`], [`send_accompanied`], [`as_sender`], [`as_numbered_sender`], [`wake`], [`wake_shared`], [`wake_behind`], [`is_neighbour`], [`lend_reply`], [`LentReply`], [`question`], [`is_awaited`], [`begin_question`], [`waiting_about`], [`number_of`], [`open_entrance`], [`Entrance`], [`RELIEVED_AT`] |
//! | surroundings | an actor and its theater, for work done for it elsewhere | [`may_go_on`], [`is_held`], [`note_handled`], [`handles_deferred`], [`has_own_thread`], [`clock_here`], [`let_happen`], [`forget_effects`], [`let_out`], [`spawn_beside`], [`spawn_working_for`], [`spawn_on`], [`clock`], [`workers`], [`belonging`], [`belonging_at`], [`before_the_end`] |
//! | failure | errors of handlers, supervision, and who has asked | [`fail_with`], [`text_of`], [`drop_failed`] |
//! | congestion | what is under way at actors with lanes and those who begin more of it | [`Congestion`], [`congestion()`], [`congestion_at`], [`heed_congestion`] |
//! | interior | an actor that moves and its mailboxes | [`Interior`], [`WrittenGuards`], [`mark`] |
//! | reporter | what is counted of an actor elsewhere and a theater's numbers | [`Reporter`], [`report_by`] |
//! | bounds | a source that can wait and a mailbox that rejects | [`room_in`] |
//! | timers | time and a stage driven from outside | [`TheaterShared::next_deadline`], [`TheaterShared::has_due`], [`TheaterShared::fire_due`] |
//! | pending events | an actor that moves, and its timers and watches | [`LetterName`], [`TakenLetter`], [`Awaits`], [`send_own_after`], [`packs`], [`take_letters`], [`keep_letter`], [`timer_named`], [`name_of_timer`], [`write_watch`], [`read_watch`] |

mod actor;
mod congestion;
mod failure;
mod interior;
mod lanes;
mod pending_events;
mod questions;
mod reporting;
mod sending;
mod stage;
mod surroundings;
mod timers;
pub mod wire;

pub use self::congestion::{congestion, congestion_at, heed_congestion};
pub use actor::*;
pub use failure::*;
pub use interior::*;
pub use lanes::*;
pub use pending_events::*;
pub use questions::*;
pub use reporting::*;
pub use sending::*;
pub use stage::*;
pub use surroundings::*;
pub use timers::*;

pub use crate::lifecycle::pending_events::{Awaits, LetterName, TakenLetter};
pub use crate::lifecycle::spawnable::{Asynchronous, Plain, Spawnable};
pub use crate::lifecycle::watch::WrittenWatch;
pub use crate::mailbox::written_guards::WrittenGuards;
pub use crate::mailbox::{
    Arrival, Inbox, InboxOwner, MAX_MAILBOXES, Pushed, RELIEVED_AT, WentIdle, label,
};
pub use crate::messaging::bounded::Place;
pub use crate::messaging::entrance::Entrance;
pub use crate::messaging::lane::Lane;
pub use crate::messaging::lane::companion::Companion;
pub use crate::messaging::pressure::Pause;
pub use crate::messaging::pressure::congestion::{Congestion, Congests, Suspends};
pub use crate::messaging::reply::{LentReply, SendBorrowed};
pub use crate::messaging::tag::follow_sends;
pub use crate::process::outbox::{Effect, Outbox};
pub use crate::process::piped::Continuation;
pub use crate::process::submit::{CallersWork, Origin, Submit};
pub use crate::process::task::{Task, TurnOutcome, TurnReport};
pub use crate::process::theater_shared::TheaterShared;
pub use crate::process::turn_limits::TurnLimits;
pub use crate::scheduler::worker_task::WorkerTask;
pub use crate::telemetry::Reporter;
pub use crate::telemetry::Telemetry;
pub use crate::telemetry::follow::{Cause, Followed, Handling, Scope, Tracer};
pub use crate::turn::async_behavior::AsyncBehavior;
pub use crate::turn::behavior::{Behavior, NoInner};
pub use crate::turn::interior::Interior;
