//! Timers: messages that are sent later, once or over and over, and deadlines for answers.
//!
//! | question | file |
//! |---|---|
//! | what can a user do? | `lifecycle/timer/messages.rs`, `lifecycle/timer/answers.rs` |
//! | who fires a timer, and where does the time come from? | `scheduler/timers.rs` |
//! | who decides between firing and cancelling, when does the thread wake? | `scheduler/timers/pending.rs`, `scheduler/timers/repeat.rs` |
//! | how are a million of them cheap? | `scheduler/timers/wheel.rs` |
//! | what if the timer is an effect of an attempt? | `lifecycle/timer/held.rs` |
//! | what if its actor moves to another theater? | `lifecycle/timer/own.rs`, `lifecycle/pending_events.rs` |

mod answers;
mod deadline;
mod held;
mod messages;
mod own;
mod periodic;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::lifecycle::pending_events::LetterName;
use crate::process::theater_shared::TheaterShared;
use crate::scheduler::timers::TimerKey;

pub use answers::AskWithin;
pub(crate) use messages::send_own_after;
pub(crate) use own::keep as keep_own;

/// A timer that has been armed, to be cancelled. Dropping it does *not* cancel: most timers are
/// armed and never looked at again.
///
/// ```
/// # use odeon_core::*;
/// # use std::time::Duration;
/// # struct Session;
/// # impl Actor for Session {
/// #     type Msg = &'static str;
/// #     fn handle(&mut self, _: &'static str, _: &mut Context<'_, Self>) {}
/// # }
/// # let theater = Theater::new()?;
/// let session = theater.spawn(Session);
/// let timeout = session.send_after(Duration::from_secs(30), "too late");
/// assert!(timeout.cancel());
/// # Ok::<(), BuildError>(())
/// ```
pub struct Timer(TimerKind);

enum TimerKind {
    Once { theater: Arc<TheaterShared>, key: TimerKey },
    Shared(Arc<dyn Cancel>),
}

/// A timer that needs more than its place among the pending ones.
trait Cancel: Send + Sync {
    /// As [`Timer::cancel`].
    fn cancel(&self) -> bool;

    /// What it is called, if it goes with its actor.
    fn name(&self) -> Option<LetterName> {
        None
    }
}

impl Timer {
    fn once(theater: Arc<TheaterShared>, key: TimerKey) -> Self {
        Self(TimerKind::Once { theater, key })
    }

    /// Calls `ring` once `delay` has passed.
    pub(crate) fn alarm(
        theater: &Arc<TheaterShared>,
        delay: Duration,
        ring: impl FnOnce() + Send + 'static,
    ) -> Self {
        let theater = theater.clone();
        held::arm(move || {
            let key = theater.arm(delay, Box::new(ring));
            Self::once(theater, key)
        })
    }

    fn shared(timer: Arc<dyn Cancel>) -> Self {
        Self(TimerKind::Shared(timer))
    }

    /// Cancels the timer; its message is dropped. `true`: no message will be sent by it from now
    /// on. `false`: a message of this timer has been sent, or is being sent at this moment and may
    /// arrive later than this call returns, or it found its actor stopped when it was due, or its
    /// theater has stopped. A periodic timer is over in any case; `true` says of one that no
    /// message is being sent at this moment.
    ///
    /// A timer that an actor has begun for itself goes with it to another theater (S34), and so
    /// does this, in the actor's state: then it is cancelled there. What is left of it in another
    /// theater than the actor's cancels nothing, and answers `false`.
    ///
    /// Takes effect at once, also in an attempt whose effects are held back (S8): a timer armed in
    /// the same attempt is then never armed.
    pub fn cancel(self) -> bool {
        match self.0 {
            TimerKind::Once { theater, key } => theater.disarm(key),
            TimerKind::Shared(timer) => timer.cancel(),
        }
    }

    /// What it is called, if it goes with its actor to other theaters.
    pub(crate) fn name(&self) -> Option<LetterName> {
        match &self.0 {
            TimerKind::Once { .. } => None,
            TimerKind::Shared(timer) => timer.name(),
        }
    }
}

impl fmt::Debug for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Timer(..)")
    }
}
