//! The settings of a theater, and what its builder was given to call.

use std::any::Any;
use std::time::Duration;

use super::cell::Header;
use super::theater_shared::TheaterShared;
use crate::vocabulary::dead_letter::DeadLetter;
use crate::vocabulary::foreign_task::ForeignTask;

/// The settings of a theater.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    pub(crate) name: String,
    pub(crate) workers: usize,
    pub(crate) order: QueueOrder,
    pub(crate) lifo_slot: bool,
    pub(crate) turn_messages: u32,
    pub(crate) turn_time: Duration,
    pub(crate) pin_workers: bool,
    pub(crate) random_seed: u64,
    /// In bytes; `None`: what the standard library gives a thread.
    pub(crate) stack_size: Option<usize>,
}

/// In which order a worker of the pool takes woken actors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QueueOrder {
    /// Each worker takes its own in the order they were woken (the `asyncMode` of Java's
    /// `ForkJoinPool`): fair, and the default.
    #[default]
    Fifo,
    /// Each worker takes the actor woken last: best for caches, unfair under load.
    Lifo,
    /// All workers share one queue and do not steal: for comparison.
    Central,
}

/// The hook that receives dead letters.
pub(crate) type DeadLetterHook = Box<dyn Fn(DeadLetter) + Send + Sync>;

/// What surrounds the work of each stage thread.
pub(crate) type ThreadContext = Box<dyn Fn(&mut dyn FnMut()) + Send + Sync>;

/// Who knows whether a thread runs a task.
pub(crate) type ForeignTasks = Box<dyn Fn() -> Option<ForeignTask> + Send + Sync>;

/// Told of a failure of which nobody else is told. May unwind.
pub(crate) type FailureHook = Box<dyn Fn(&TheaterShared, &Header, &(dyn Any + Send)) + Send + Sync>;

/// What is called when something happens, each if anybody wants it.
#[derive(Default)]
pub(crate) struct Hooks {
    pub(crate) dead_letter: Option<DeadLetterHook>,
    pub(crate) thread_context: Option<ThreadContext>,
    /// Whether a part of that is for threads of the theater only, and not for single turns.
    pub(crate) is_of_threads: bool,
    pub(crate) foreign_tasks: Option<ForeignTasks>,
    pub(crate) failure: Option<FailureHook>,
}
