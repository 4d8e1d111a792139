//! The stage that stands before the one that gives turns, and notes when an actor was woken.

use std::sync::Arc;

use crate::process::cell::DeadCell;
use crate::process::submit::{CallersWork, Origin, Submit};
use crate::process::task::Task;
use crate::process::theater_shared::TheaterShared;

/// See the module. No thread is at home here, so no waker finds a short cut around it.
pub(crate) struct SeenStage {
    behind: Arc<dyn Submit>,
}

impl SeenStage {
    /// Puts one before `stage` if the theater counts.
    pub(crate) fn before(stage: Arc<dyn Submit>) -> Arc<dyn Submit> {
        let counts = stage.theater().telemetry().is_some_and(|telemetry| telemetry.counts);
        if counts { Arc::new(Self { behind: stage }) } else { stage }
    }
}

impl Submit for SeenStage {
    fn submit(&self, task: Task, origin: Origin) {
        task.note_woken(self.behind.theater().now());
        self.behind.submit(task, origin);
    }

    fn for_caller(&self, work: &mut CallersWork<'_>) -> bool {
        self.behind.for_caller(work)
    }

    fn theater(&self) -> &Arc<TheaterShared> {
        self.behind.theater()
    }

    fn has_waiting(&self) -> bool {
        self.behind.has_waiting()
    }

    fn reclaim(&self, cell: DeadCell) {
        self.behind.reclaim(cell);
    }
}
