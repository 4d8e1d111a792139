//! How a worker processes an actor: the seam behind which sequential, and later other, ways of
//! processing lie.
//!
//! A worker knows a [`Task`]: a pointer to something that begins with a [`TurnVTable`] pointer. It
//! runs one turn and obeys the [`TurnOutcome`]; it never learns what kind of actor it was.

pub(crate) mod actor;
pub(crate) mod async_actor;
pub(crate) mod async_context;
pub(crate) mod asynchronous;
pub(crate) mod budget;
pub(crate) mod context;
pub(crate) mod ending;
pub(crate) mod failing;
pub(crate) mod guarding;
pub(crate) mod interior;
pub(crate) mod parked;
pub(crate) mod pipe;
pub(crate) mod renewing;
pub(crate) mod sequential;

use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::time::Duration;

use crate::mailbox::InboxOwner;
use crate::messaging::bounded::Bound;
use crate::messaging::unanswered;
use crate::process::bonds::AnyIntroduction;
use crate::process::cell::{Header, MessageCell};
use crate::process::current;
use crate::process::kin::Kin;
use crate::scheduler::envelope::Payload;
use crate::scheduler::submit::Submit;
use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::message::Message;

pub use budget::TurnLimits;

/// What a turn came to, and what the worker owes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum TurnOutcome {
    /// Nothing left to do. The worker must forget the task: another thread may already run it.
    Idle,
    /// The budget ran out first. The worker must submit the task again.
    More,
    /// The actor has ended. The worker must forget the task.
    Stopped,
}

/// A turn that has been given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct TurnReport {
    /// What it came to.
    pub outcome: TurnOutcome,
    /// How many messages were handled, signals included.
    pub messages: u32,
}

/// The operations on a cell whose types have been forgotten.
pub(crate) struct TurnVTable {
    /// Pool: one turn of a scheduled actor.
    pub(crate) run: unsafe fn(NonNull<Header>, &TurnLimits<'_>) -> TurnReport,
    /// Pinned stage: handles one message or signal; `true` asks to be delivered a
    /// [`RESUME`](crate::scheduler::envelope::RESUME) after what is already waiting.
    pub(crate) deliver: unsafe fn(NonNull<Header>, u32, *const Payload) -> bool,
    /// Any thread: leaves a signal and sees to the turn that follows from it.
    pub(crate) signal: unsafe fn(NonNull<Header>, u32),
    /// Ends an actor whose stage is gone or never ran it; the caller owns it.
    pub(crate) end: unsafe fn(NonNull<Header>),
    /// Any thread: whether senders are to hold back.
    pub(crate) is_pressed: unsafe fn(NonNull<Header>) -> bool,
    /// Any thread: how many messages wait in the inbox, if its owner is at this position.
    pub(crate) waiting: unsafe fn(NonNull<Header>, u64) -> usize,
    /// Any thread: whether a handler waits that the drain of a shutdown waits for.
    pub(crate) is_waiting: unsafe fn(NonNull<Header>) -> bool,
    /// Whether the actor is asked to go on with what it has put aside.
    pub(crate) puts_aside: bool,
    /// Whether its messages come with lanes.
    pub(crate) laned: bool,
    /// Whether the actor may go on in another theater: what it has begun here, timers and watches (`runtime/luggage.rs`) and questions
    /// (`messaging/open_question.rs`), is kept account of.
    pub(crate) may_move: bool,
    /// How the actor is introduced to a network that knows nothing of it.
    #[allow(dead_code, reason = "only networks read it, and there need not be any")]
    pub(crate) introduction: Option<AnyIntroduction>,
    /// Frees a cell that nobody can reach.
    pub(crate) dealloc: unsafe fn(NonNull<Header>),
    /// The Rust type of the actor.
    pub(crate) actor_type: fn() -> &'static str,
}

/// An actor that is to be created, and with it the way in which it will be processed.
///
/// # Safety
/// `Cell` is `repr(C)` and begins with a `MessageCell<Msg>`; `VTABLE` is made for it.
pub(crate) unsafe trait NewActor: Sized {
    /// What it can be sent.
    type Msg: Message;
    /// Its whole memory.
    type Cell;
    /// The operations on that cell.
    const VTABLE: &'static TurnVTable;
    /// Whether its mailboxes have bounds.
    const BOUNDED: bool;
    /// Whether its messages come with lanes.
    const LANED: bool;

    /// The bounds of its mailboxes, if they are known already.
    fn wanted_bounds(&self) -> Option<&[Option<Bound>]>;

    /// Fills the cell.
    ///
    /// # Safety
    /// `cell` is memory for one, not initialised.
    unsafe fn fill(
        self,
        cell: NonNull<Self::Cell>,
        message: MessageCell<Self::Msg>,
        inbox: InboxOwner<Self::Msg>,
    );
}

/// Something that a worker can give a turn: a woken actor.
///
/// Owning a `Task` is the right to run it once. It is made by the sender that woke the actor.
#[derive(Debug)]
#[must_use = "a task that is dropped is an actor that never runs again"]
pub struct Task(NonNull<Header>);

// SAFETY: a task is the right to run an actor, and actors are `Send`.
unsafe impl Send for Task {}

impl Task {
    /// # Safety
    /// The caller was told to wake the owner of this cell, or holds an outcome of `More` for it.
    pub(crate) unsafe fn new(cell: NonNull<Header>) -> Self {
        Self(cell)
    }

    /// Gives the actor one turn within `limits`. On [`TurnOutcome::More`] the task comes back.
    ///
    /// That may be on any thread, and after the end of its theater too: a theater ends no actor whose tasks others may keep
    /// (`scheduler/foreign.rs`).
    pub fn run(self, limits: &TurnLimits<'_>) -> (TurnReport, Option<Task>) {
        let here = current::here();
        here.actor.set(self.0.as_ptr());
        // SAFETY: owning the task is the right to run; a woken actor's cell is alive (its alive
        // count is given back only by its own last turn).
        let report = unsafe { (self.0.as_ref().vtable.run)(self.0, limits) };
        here.actor.set(ptr::null_mut());
        here.lane.set(0);
        unanswered::settle();
        (report, (report.outcome == TurnOutcome::More).then_some(self))
    }

    /// The actor that is to run.
    pub fn actor(&self) -> ActorId {
        // SAFETY: as in `run`.
        unsafe { self.0.as_ref() }.id
    }

    /// Where the actor is given its turns.
    pub(crate) fn stage(&self) -> Arc<dyn Submit> {
        // SAFETY: as in `run`.
        unsafe { self.0.as_ref() }.stage.clone()
    }

    /// Notes when the actor was woken, if somebody looks at it.
    pub(crate) fn note_woken(&self, now: Duration) {
        // SAFETY: as in `run`. The task's holder is the only one who writes this.
        if let Some(tally) = unsafe { self.0.as_ref() }.tally() {
            tally.woken_at.set_time(now);
        }
    }

    /// The actor, without the right to run it.
    pub(crate) fn kin(&self) -> Kin {
        // SAFETY: as in `run`.
        Kin::new(unsafe { self.0.as_ref() })
    }

    /// Gives up the right to run: the actor will be ended with its theater.
    pub(crate) fn forget(self) {}
}
