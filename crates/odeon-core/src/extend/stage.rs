//! Stages that others drive.

use std::sync::Arc;
use std::sync::Weak;

use crate::process::submit::Submit;
use crate::process::theater_shared::TheaterShared;
use crate::runtime::theater::Theater;
use crate::runtime::theater::builder::TheaterBuilder;
use crate::scheduler::worker_task::WorkerTask;
use crate::vocabulary::error::BuildError;

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

/// As [`TheaterBuilder::thread_context`], for what costs little and may be entered on any thread:
/// it also surrounds each turn that a caller gives. A thread context keeps callers from that.
pub fn turn_context(
    builder: TheaterBuilder,
    context: impl Fn(&mut dyn FnMut()) + Send + Sync + 'static,
) -> TheaterBuilder {
    builder.turn_context(context)
}

/// Has the workers of the theater's pool be tasks of a runtime that has threads: each is given to
/// `spawn` once, which has it polled. They need neither [`stack_size`](TheaterBuilder::stack_size)
/// nor [`pin_workers`](TheaterBuilder::pin_workers), and a
/// [`thread_context`](TheaterBuilder::thread_context) surrounds each poll. From the end of the
/// runtime, or of the theater, on threads do their work.
pub fn workers_as_tasks(
    builder: TheaterBuilder,
    spawn: impl Fn(WorkerTask) + Send + 'static,
) -> TheaterBuilder {
    builder.workers_as_tasks(Box::new(spawn))
}

/// The pool of a theater, for those that may live longer than it.
pub fn pool(theater: &Theater) -> Weak<dyn Submit> {
    Arc::downgrade(&theater.shared().pool())
}
