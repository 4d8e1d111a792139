//! The seam between waking an actor and running it.

use std::sync::Arc;

use super::cell::DeadCell;
use super::theater_shared::TheaterShared;
use crate::process::task::Task;
use crate::process::turn_limits::TurnLimits;

/// Why a task is submitted; a scheduler may queue by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A message or signal woke the actor.
    Message,
    /// The actor is new.
    Spawn,
    /// The turn of whoever wakes the actor goes on, and may take long: others must be able to take
    /// it meanwhile.
    Shared,
    /// The actor is to have its turn behind those that wait for a worker here: what it does is
    /// better done once than after each of them.
    Behind,
    /// The actor is to work beside the one that wakes it, whose turn goes on: it is worth waking
    /// another worker for.
    Beside,
}

/// What a caller does in the place of a worker, within these limits.
pub type CallersWork<'a> = dyn FnMut(&TurnLimits<'_>) -> Option<Task> + 'a;

/// Takes woken actors and sees to it that each gets a turn.
///
/// # Contract
/// `submit` never runs the task itself, never blocks for long, and may be called from any thread,
/// also from within a turn. A task must be run (or ended with its theater); dropping it would lose
/// the actor.
pub trait Submit: Send + Sync + 'static {
    /// Queues `task` for a turn.
    fn submit(&self, task: Task, origin: Origin);

    /// Does `work` for an actor of the stage on this thread, which belongs to no stage and waits
    /// for what comes of it; the task that is left of it is queued. `false`: the stage does not do
    /// that, as most do not.
    fn for_caller(&self, work: &mut CallersWork<'_>) -> bool {
        let _ = work;
        false
    }

    /// The theater this stage belongs to.
    fn theater(&self) -> &Arc<TheaterShared>;

    /// Whether somebody may be waiting who gets the next turn of this thread if the present one
    /// ends. A stage that does not know says so.
    fn has_waiting(&self) -> bool {
        true
    }

    /// Frees the memory of an actor that nobody references. A stage that owns its actors does so
    /// behind everything that is under way to it.
    fn reclaim(&self, cell: DeadCell) {
        drop(cell);
    }
}
