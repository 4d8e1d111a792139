//! The one door for the sibling crates of Odeon: the seams, not for applications.
//!
//! | seam | between | here |
//! |---|---|---|
//! | mailbox | senders and owner | [`Inbox`], [`InboxOwner`], [`Arrival`], [`Pushed`], [`WentIdle`], [`label`] |
//! | turn | worker and way of processing | [`Task`], [`TurnReport`], [`TurnLimits`] |
//! | submit | waking and running | [`Submit`], [`Origin`], [`theater_on_stage`] |
//! | tracer | sending and handling | [`Tracer`], [`Scope`], [`Cause`], [`Handling`], [`Followed`], [`follow_sends`] |
//! | outbox | a turn and the world | [`Outbox`], [`Effect`] |
//! | timers | time and a stage driven from outside | [`TheaterShared::next_deadline`], [`TheaterShared::has_due`], [`TheaterShared::fire_due`] |

use std::sync::Arc;

pub use crate::mailbox::{Arrival, Inbox, InboxOwner, MAX_MAILBOXES, Pushed, WentIdle, label};
pub use crate::outbox::{Effect, Outbox};
pub use crate::scheduler::submit::{Origin, Submit};
pub use crate::sight::Sight;
pub use crate::sight::follow::{Cause, Followed, Handling, Scope, Tracer, follow_sends};
pub use crate::theater::shared::TheaterShared;
pub use crate::turn::{Task, TurnLimits, TurnOutcome, TurnReport};

use crate::error::BuildError;
use crate::theater::Theater;
use crate::theater::builder::TheaterBuilder;

/// Builds a theater whose actors run where the stage made by `make_stage` has them run. The theater
/// starts no threads; whoever made the stage runs its tasks and fires its timers.
///
/// # Safety
/// No task of the stage is run after the theater was shut down or dropped (that ends its actors and
/// frees them), nor while it is; so the theater must not be owned by one of its actors.
///
/// # Errors
/// If a setting is out of its range.
pub unsafe fn theater_on_stage(
    builder: TheaterBuilder,
    make_stage: impl FnOnce(Arc<TheaterShared>) -> Arc<dyn Submit>,
) -> Result<Theater, BuildError> {
    builder.build_on(make_stage)
}
