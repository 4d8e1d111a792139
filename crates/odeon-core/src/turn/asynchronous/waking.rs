//! How a wake-up of a pending future reaches its actor: through the inbox, as a signal.
//!
//! A waker is a weak count of the actor's cell: making one allocates nothing, and one that outlives
//! the actor, or its theater, finds a closed inbox.
//!
//! PROTOCOL
//! 1. Who wakes raises the flag; if it was down, it leaves one `WAKE` signal behind everything that
//!    was sent. So however often a future is woken, at most one signal of its own is under way.
//! 2. The owner lowers the flag when it takes any `WAKE` signal, and polls if it was up. A raised
//!    flag has its signal still to come, so no wake-up is lost, during a poll or before the step to
//!    idle.
//! 3. A stop request leaves a `WAKE` signal without the flag; it is told by `Header::signals`.
//!
//! Covered by: the loom model beside this file, T`shuttle_async.rs`.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::task::{RawWaker, RawWakerVTable, Waker};

use odeon_sync::atomic::{AtomicBool, Ordering};

use super::cell::AsyncCell;
use super::future::Handlers;
use crate::mailbox::label;
use crate::messaging::send;
use crate::process::cell;
use crate::turn::async_behavior::AsyncBehavior;

/// Whether a wake-up is under way to the actor.
pub(super) struct WakeFlag(AtomicBool);

impl WakeFlag {
    pub(super) fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Any thread: `true` if the caller has to leave the signal.
    #[must_use]
    pub(super) fn raise(&self) -> bool {
        // ORDERING: Release half: what the waker did before is visible to the poll, also if another
        // waker's signal brings it (Acquire in `take`, or in the chain of swaps up to it).
        !self.0.swap(true, Ordering::AcqRel)
    }

    /// Owner, having taken a `WAKE` signal: whether a future was woken.
    #[must_use]
    pub(super) fn take(&self) -> bool {
        // ORDERING: Acquire half: pairs with `raise`. A swap and not a store, so that a raise that
        // came before is read, and one that comes after finds the flag down.
        self.0.swap(false, Ordering::AcqRel)
    }
}

/// A waker without a count of its own, for one poll.
///
/// # Safety
/// The cell outlives the result.
#[inline(always)]
pub(super) unsafe fn borrowed<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> ManuallyDrop<Waker> {
    // SAFETY: by contract; clones count, and the original is not dropped.
    ManuallyDrop::new(unsafe { Waker::from_raw(raw(cell)) })
}

fn raw<A: AsyncBehavior, H: Handlers<A>>(cell: NonNull<AsyncCell<A, H>>) -> RawWaker {
    let vtable = const {
        &RawWakerVTable::new(clone::<A, H>, wake::<A, H>, wake_by_ref::<A, H>, drop::<A, H>)
    };
    RawWaker::new(cell.as_ptr().cast(), vtable)
}

/// # Safety
/// `data` is the cell of a waker's.
unsafe fn cell_of<A: AsyncBehavior, H: Handlers<A>>(data: *const ()) -> NonNull<AsyncCell<A, H>> {
    // SAFETY: by contract.
    unsafe { NonNull::new_unchecked(data.cast_mut().cast()) }
}

unsafe fn clone<A: AsyncBehavior, H: Handlers<A>>(data: *const ()) -> RawWaker {
    // SAFETY: the waker that is cloned keeps the cell.
    unsafe {
        let cell = cell_of::<A, H>(data);
        (*cell.as_ptr()).message.header.retain_weak();
        raw(cell)
    }
}

unsafe fn wake_by_ref<A: AsyncBehavior, H: Handlers<A>>(data: *const ()) {
    // SAFETY: the waker keeps the cell, for longer than this call.
    unsafe {
        let cell = cell_of::<A, H>(data);
        if (*cell.as_ptr()).wake.raise() {
            send::signal(&(*cell.as_ptr()).message, label::WAKE);
        }
    }
}

unsafe fn wake<A: AsyncBehavior, H: Handlers<A>>(data: *const ()) {
    // SAFETY: this waker's count is given back last: on a pinned stage the cell is reclaimed behind
    // the signal.
    unsafe {
        wake_by_ref::<A, H>(data);
        drop::<A, H>(data);
    }
}

unsafe fn drop<A: AsyncBehavior, H: Handlers<A>>(data: *const ()) {
    // SAFETY: this waker's count, given back once.
    unsafe { cell::release_weak(cell_of::<A, H>(data).cast()) }
}

#[cfg(all(test, odeon_loom))]
#[path = "waking/loom.rs"]
mod loom;
