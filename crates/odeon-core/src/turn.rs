//! How a worker processes an actor: the seam behind which sequential, and later other, ways of
//! processing lie.
//!
//! A worker knows a [`Task`]: a pointer to something that begins with a [`TurnVTable`] pointer. It
//! runs one turn and obeys the [`TurnOutcome`]; it never learns what kind of actor it was.

pub(crate) mod budget;
pub(crate) mod ending;
pub(crate) mod sequential;

use std::ptr::NonNull;

use crate::cell::Header;
use crate::scheduler::envelope::Payload;

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
    /// Frees a cell that nobody can reach.
    pub(crate) dealloc: unsafe fn(NonNull<Header>),
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
    pub fn run(self, limits: &TurnLimits<'_>) -> (TurnReport, Option<Task>) {
        // SAFETY: owning the task is the right to run; a woken actor's cell is alive (its alive
        // count is given back only by its own last turn).
        let report = unsafe { (self.0.as_ref().vtable.run)(self.0, limits) };
        (report, (report.outcome == TurnOutcome::More).then_some(self))
    }

    /// Gives up the right to run: the actor will be ended with its theater.
    pub(crate) fn forget(self) {}
}
