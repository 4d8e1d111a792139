//! A stage that a sibling crate, or a user, has made beside those of a theater.
//!
//! The theater knows nothing of who gives turns there, so it cannot tell when that is over. It
//! tells the actors of such a stage to end, as all others, but never ends one itself: a task of it
//! may be kept by anybody, or be running at that moment. The actor ends in the turn that its task
//! is for.

use std::sync::Arc;

use crate::process::cell::DeadCell;
use crate::process::submit::{Origin, Submit};
use crate::process::task::Task;
use crate::process::theater_shared::TheaterShared;

/// Stands before a stage that is not its theater's own.
pub(crate) struct ForeignStage {
    behind: Arc<dyn Submit>,
    /// Asked for once: an actor leaves the registry that it has been entered in, whatever the stage
    /// says later.
    theater: Arc<TheaterShared>,
}

impl ForeignStage {
    /// Puts one before `stage`, unless that is the pool of its theater.
    pub(crate) fn before(stage: &Arc<dyn Submit>) -> Arc<dyn Submit> {
        let theater = stage.theater().clone();
        if theater.has_as_pool(stage) {
            return stage.clone();
        }
        Arc::new(Self { behind: stage.clone(), theater })
    }
}

impl Submit for ForeignStage {
    fn submit(&self, task: Task, origin: Origin) {
        self.behind.submit(task, origin);
    }

    fn theater(&self) -> &Arc<TheaterShared> {
        &self.theater
    }

    fn has_waiting(&self) -> bool {
        self.behind.has_waiting()
    }

    fn reclaim(&self, cell: DeadCell) {
        self.behind.reclaim(cell);
    }
}
