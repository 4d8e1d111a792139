//! A worker of a theater as a task of tokio.
//!
//! tokio puts what is woken on one of its threads into a slot of that thread from where nobody
//! steals it (tokio's issue 4941). There a worker that a handler wakes would wait for the end of
//! this very handler, and so would the actors that it was woken for. What is put there next moves
//! it on, into the queue: so an empty task is spawned behind it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use odeon_core::extend::WorkerTask;
use tokio::runtime::Handle;
use tokio::task::{Id, try_id};

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
            let woken = Arc::new(Woken { task, id: try_id(), runtime });
            me.woken = Some((woken.clone(), Waker::from(woken)));
        }
        let (_, waker) = me.woken.as_ref().expect("made above");
        Pin::new(&mut me.worker).poll(&mut Context::from_waker(waker))
    }
}

/// Wakes the task of a worker so that another thread can take it.
struct Woken {
    task: Waker,
    id: Option<Id>,
    runtime: Handle,
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.task.wake_by_ref();
        let here = try_id();
        // On other threads it does not come into the slot, nor does a task that wakes itself.
        if here.is_some() && here != self.id {
            self.runtime.spawn(async {});
        }
    }
}
