//! What the present thread is: a pool worker, a pinned stage, or some other thread; and whether
//! effects are held back. Read once per send.

use std::cell::Cell;
use std::ptr;

use crate::outbox::HeldOutbox;
use crate::scheduler::local_ring::LocalRing;
use crate::scheduler::pinned::PinnedShared;
use crate::scheduler::worker::WorkerLocal;

/// The present thread's place in a theater. All null on a thread that belongs to none.
pub(crate) struct Current {
    /// The pinned stage whose thread this is.
    pub(crate) pinned: Cell<*const PinnedShared>,
    /// That stage's private queue.
    pub(crate) ring: Cell<*const LocalRing>,
    /// The pool worker whose thread this is.
    pub(crate) worker: Cell<*const WorkerLocal>,
    /// Where effects go instead of out, while an attempt runs.
    pub(crate) outbox: Cell<Option<HeldOutbox>>,
    /// The registry shard for actors created here.
    pub(crate) shard: Cell<usize>,
}

odeon_sync::thread_local_const! {
    static CURRENT: Current = Current {
        pinned: Cell::new(ptr::null()),
        ring: Cell::new(ptr::null()),
        worker: Cell::new(ptr::null()),
        outbox: Cell::new(None),
        shard: Cell::new(0),
    }
}

/// Looks at the present thread's place.
#[inline(always)]
pub(crate) fn with<R>(look: impl FnOnce(&Current) -> R) -> R {
    CURRENT.with(look)
}
