//! How a worker that sleeps is woken.

use std::task::Waker;

use odeon_sync::{Mutex, MutexGuard, Parker};

use crate::vocabulary::contain::contain;

/// Wakes one worker.
#[derive(Debug)]
pub(super) enum Alarm {
    /// A thread of the theater, which parks here.
    Thread(Parker),
    /// A task of another runtime ([`WorkerTask`](super::worker_task::WorkerTask)): its waker, as
    /// soon as it has slept.
    Task(Mutex<Option<Waker>>),
}

impl Alarm {
    pub(super) fn of_thread() -> Self {
        Self::Thread(Parker::new())
    }

    pub(super) fn of_task() -> Self {
        Self::Task(Mutex::default())
    }

    /// Wakes the worker, or keeps it from its next sleep. A task that has never slept needs none.
    pub(super) fn ring(&self) {
        match self {
            Self::Thread(parker) => parker.unpark(),
            Self::Task(waker) => {
                let waker = lock(waker).clone();
                // The executor is somebody else's, and its waker no reason to unwind through a
                // send.
                contain(|| {
                    if let Some(waker) = waker {
                        waker.wake();
                    }
                });
            }
        }
    }

    /// Where the thread of this worker parks.
    ///
    /// # Panics
    /// If the worker is a task.
    pub(super) fn parker(&self) -> &Parker {
        match self {
            Self::Thread(parker) => parker,
            Self::Task(_) => unreachable!("a task does not park"),
        }
    }

    /// From here on this is who is woken.
    pub(super) fn set_waker(&self, waker: &Waker) {
        if let Self::Task(kept) = self {
            let mut kept = lock(kept);
            if !kept.as_ref().is_some_and(|kept| kept.will_wake(waker)) {
                let before = kept.replace(waker.clone());
                drop(kept);
                contain(|| drop(before));
            }
        }
    }

    /// From here on nobody is woken: the worker has returned.
    pub(super) fn forget_waker(&self) {
        if let Self::Task(kept) = self {
            let before = lock(kept).take();
            contain(|| drop(before));
        }
    }
}

fn lock(waker: &Mutex<Option<Waker>>) -> MutexGuard<'_, Option<Waker>> {
    waker.lock().expect("nothing panics under this lock")
}
