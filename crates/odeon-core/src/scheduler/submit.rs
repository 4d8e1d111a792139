//! The seam between waking an actor and running it.
//!
//! One message in five files: `messaging/send.rs` → `mailbox/inbox.rs` → **`scheduler/submit.rs`** →
//! `scheduler/worker.rs` → `turn/sequential.rs`.

use std::sync::Arc;

use super::home::Home;
use crate::process::current;
use crate::runtime::theater::shared::TheaterShared;
use crate::turn::Task;

/// Why a task is submitted; a scheduler may queue by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A message or signal woke the actor.
    Message,
    /// The actor is new.
    Spawn,
    /// The turn of whoever wakes the actor goes on, and may take long: others must be able to take it meanwhile.
    Shared,
    /// The actor is to have its turn behind those that wait for a worker here: what it does is better done once than after each of them.
    Behind,
    /// The actor is to work beside the one that wakes it, whose turn goes on: it is worth waking another worker for.
    Beside,
}

/// Takes woken actors and sees to it that each gets a turn.
///
/// # Contract
/// `submit` never runs the task itself, never blocks for long, and may be called from any thread,
/// also from within a turn. A task must be run (or ended with its theater); dropping it would lose
/// the actor.
pub trait Submit: Send + Sync + 'static {
    /// Queues `task` for a turn.
    fn submit(&self, task: Task, origin: Origin);

    /// The theater this stage belongs to.
    fn theater(&self) -> &Arc<TheaterShared>;

    /// Whether somebody may be waiting who gets the next turn of this thread if the present one ends. A stage that does not know says so.
    fn has_waiting(&self) -> bool {
        true
    }
}

/// Submits an actor that a message or signal has woken.
///
/// The common case, an actor of the pool woken by another one on the same worker, is settled here:
/// it goes into the worker's LIFO slot if that is free.
#[inline(always)]
pub(crate) fn woken(home: Home, stage: &Arc<dyn Submit>, task: Task) {
    let here = current::here();
    if here.home.get() == home {
        // SAFETY: a thread whose home is a submitting stage is a worker of it, and sets the pointer
        // for as long as its `WorkerLocal` lives.
        let worker = unsafe { &*here.worker.get() };
        if worker.lifo_slot_is_free() {
            worker.lifo.set(Some(task));
            return;
        }
    }
    stage.submit(task, Origin::Message);
}
