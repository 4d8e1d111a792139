//! The right to give an actor a turn, and what comes of it.
//!
//! A worker knows a [`Task`]: a pointer to something that begins with a [`TurnVTable`] pointer. It
//! runs one turn and obeys the [`TurnOutcome`]; it never learns what kind of actor it was.

use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::time::Duration;

use super::cell::Header;
use super::current;
use super::erased_weak_ref::ErasedWeakRef;
use super::unanswered;
use crate::process::submit::Submit;
use crate::process::turn_limits::TurnLimits;
use crate::vocabulary::actor_id::ActorId;

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
    /// That may be on any thread, and after the end of its theater too: a theater ends no actor
    /// whose tasks others may keep (`scheduler/foreign.rs`).
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
    pub(crate) fn erased(&self) -> ErasedWeakRef {
        // SAFETY: as in `run`.
        ErasedWeakRef::new(unsafe { self.0.as_ref() })
    }

    /// Gives up the right to run: the actor will be ended with its theater.
    pub(crate) fn forget(self) {}
}
