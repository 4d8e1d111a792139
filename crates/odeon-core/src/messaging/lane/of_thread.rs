//! The lane of a thread that belongs to no theater and runs no task that is known.
//!
//! Such a thread may be one of an executor that nobody knows here, and what it sends may come from
//! many tasks. Which message is whose nobody can tell, so all of them have the thread's lane, and
//! keep their order. With one exception: a question that is polled before its answer is there, and
//! is all that is under way in the lane. Whoever asked it sends nothing more until it is answered,
//! unless it waits for something else as well. So what the thread sends next has a lane of its own.
//!
//! What is under way is counted, on this thread only: messages that have been sent in its lane,
//! less the questions that have been answered. Of another message nobody hears that it has been
//! handled, so a thread that sends one keeps its lane for good.

use std::hash::{DefaultHasher, Hash, Hasher};

use odeon_sync::{interruption, thread};

use super::Lane;
use crate::process::cell::Header;
use crate::process::current::{self, Current};
use crate::vocabulary::foreign_task::ForeignTask;

impl Lane {
    /// The lane of a message that this thread sends.
    pub(super) fn of_thread(here: &Current) -> Self {
        here.lane_messages.set(here.lane_messages.get().saturating_add(1));
        Self::known_of_thread(here)
    }

    /// The lane that a message of this thread would have.
    pub(super) fn known_of_thread(here: &Current) -> Self {
        match here.thread_lane.get() {
            0 => Self::of_new_thread(here),
            number => Self::of_number(number),
        }
    }

    #[cold]
    fn of_new_thread(here: &Current) -> Self {
        // Its address would be that of the next thread when this one is gone.
        let mut hasher = DefaultHasher::new();
        match interruption::test() {
            // Which thread it is differs from run to run.
            Some(_) => "the thread of a deterministic test".hash(&mut hasher),
            None => thread::current().id().hash(&mut hasher),
        }
        here.thread_lane.set(hasher.finish());
        Self::of_number(hasher.finish())
    }
}

/// A question that is all that is under way in the lane of the thread that has asked it.
pub(crate) struct LoneQuestion {
    /// What the lane was made from.
    thread_lane: u64,
}

impl LoneQuestion {
    /// The question that this thread has just sent to `actor`, if it is alone in the thread's lane.
    pub(crate) fn just_sent(actor: &Header) -> Option<Self> {
        let here = current::here();
        let is_alone = here.lane_messages.get() == 1;
        // Otherwise the lane of the question is another one: an actor's, one that is lent, a
        // task's.
        let is_of_thread = here.actor.get().is_null() && here.lane.get() == 0;
        if !is_alone || !is_of_thread {
            return None;
        }
        let task = actor.stage.theater().foreign_task();
        let is_of_task = matches!(task, Some(ForeignTask::Numbered(_)));
        (!is_of_task).then(|| Self { thread_lane: here.thread_lane.get() })
    }

    /// Somebody waits for the answer and does nothing else: what this thread sends from here on has
    /// another lane.
    pub(crate) fn is_awaited(&self) {
        let here = current::here();
        let is_alone = here.lane_messages.get() == 1;
        // In a deterministic test lanes are the same in each run, however many went before.
        if is_alone && self.is_of_this(here) && interruption::test().is_none() {
            // Neighbours get lanes far apart ([`Lane::of_number`]).
            here.thread_lane.set(self.thread_lane.wrapping_add(1));
            here.lane_messages.set(0);
        }
    }

    /// It has been handled, and is under way no more.
    pub(crate) fn answered(self) {
        let here = current::here();
        if self.is_of_this(here) {
            here.lane_messages.set(here.lane_messages.get().saturating_sub(1));
        }
    }

    /// Whether the present lane of the thread is that of the question.
    fn is_of_this(&self, here: &Current) -> bool {
        here.thread_lane.get() == self.thread_lane
    }
}
