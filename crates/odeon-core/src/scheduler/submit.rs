//! The seam between waking an actor and running it.
//!
//! One message in five files: `send.rs` → `mailbox/inbox.rs` → **`scheduler/submit.rs`** →
//! `scheduler/worker.rs` → `turn/sequential.rs`.

use std::sync::Arc;

use crate::theater::shared::TheaterShared;
use crate::turn::Task;

/// Why a task is submitted; a scheduler may queue by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A message or signal woke the actor.
    Message,
    /// The actor is new.
    Spawn,
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
}
