//! How a woken actor comes to a worker.
//!
//! One message in five files: `messaging/send.rs` → `mailbox/inbox.rs` → **`scheduler/submit.rs`**
//! → `scheduler/worker.rs` → `turn/sequential.rs`.

use std::sync::Arc;

use super::worker::WorkerLocal;
use crate::process::current;
use crate::process::home::Home;
use crate::process::submit::{Origin, Submit};
use crate::process::task::Task;

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
        let worker = unsafe { &*here.worker.get().cast::<WorkerLocal>() };
        if worker.lifo_slot_is_free() {
            worker.lifo.set(Some(task));
            return;
        }
    }
    stage.submit(task, Origin::Message);
}
