//! A worker of a theater as a task of tokio.
//!
//! tokio puts what is woken on one of its threads into a slot of that thread from where nobody
//! steals it (tokio's issue 4941). There a worker that a handler wakes would wait for the end of
//! this very handler, and so would the actors that it was woken for. What is put there next moves
//! it on, into the queue: so an empty task is spawned behind it. Where a task wakes a worker the
//! slot is as good as for any task: it comes next when that one waits.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use odeon_core::extend::WorkerTask;
use tokio::runtime::Handle;

thread_local! {
    /// The worker that this thread polls; 0 if none.
    static POLLED: Cell<usize> = const { Cell::new(0) };
}

/// See the module.
pub(crate) struct TokioWorker {
    worker: WorkerTask,
    runtime: Handle,
    /// As of the last poll; the waker is made of it.
    woken: Option<(Arc<Woken>, Waker)>,
}

impl TokioWorker {
    pub(crate) fn new(worker: WorkerTask, runtime: Handle) -> Self {
        Self { worker, runtime, woken: None }
    }
}

impl Future for TokioWorker {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let me = &mut *self;
        let stays = |(woken, _): &(Arc<Woken>, Waker)| woken.task.will_wake(cx.waker());
        if !me.woken.as_ref().is_some_and(stays) {
            let (task, runtime) = (cx.waker().clone(), me.runtime.clone());
            let woken = Arc::new(Woken { task, runtime });
            me.woken = Some((woken.clone(), Waker::from(woken)));
        }
        let (woken, waker) = me.woken.as_ref().expect("made above");
        let outer = POLLED.replace(woken.number());
        let polled = Pin::new(&mut me.worker).poll(&mut Context::from_waker(waker));
        POLLED.set(outer);
        polled
    }
}

/// Wakes the task of a worker so that another thread can take it.
struct Woken {
    task: Waker,
    runtime: Handle,
}

impl Woken {
    /// Another one for each worker.
    fn number(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.task.wake_by_ref();
        let polled = POLLED.get();
        // A worker that has itself polled again does not come into the slot.
        if polled != 0 && polled != self.number() {
            self.runtime.spawn(async {});
        }
    }
}
