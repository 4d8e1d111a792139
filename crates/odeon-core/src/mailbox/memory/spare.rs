//! Spare slabs: memory of slabs no piece of which is out, kept for the next ones.
//!
//! General allocators give much adjacent memory back to the operating system, from which the next
//! peak would get it page by page.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::Arc;

use odeon_sync::{Mutex, MutexGuard};

use super::HEADER;
use super::magazine::Magazine;

/// TUNE: bytes of one slab, with the header of the system's allocator 8 KiB: two pages. Ten pieces
/// of the largest size, 42 plain actors; larger slabs waste less on their first line (0.8 %), but a
/// single piece keeps more of them.
pub(super) const SLAB: usize = 8 * 1024 - HEADER;

/// TUNE: spare slabs that are kept, 20 MiB: enough for 100,000 plain actors. To get as much from
/// the operating system anew costs 100 ns an actor (measured 2026-11 by `odeon bench create`).
pub(super) const MAX_SPARE: usize = 2_560;

/// The alignment that general allocators give without effort; slabs find their first line
/// themselves.
const LAYOUT: Layout = match Layout::from_size_align(SLAB, HEADER) {
    Ok(layout) => layout,
    Err(_) => panic!("a power of two and a small size"),
};

/// Spare slabs of a thread and of the theaters made there.
pub(super) struct Spare(Mutex<Magazine>);

impl Spare {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(Magazine::EMPTY)))
    }

    /// Memory for one slab, aligned to [`HEADER`].
    pub(super) fn take(&self) -> NonNull<u8> {
        let kept = self.lock().pop();
        kept.unwrap_or_else(|| {
            // SAFETY: the layout is not empty.
            let fresh = NonNull::new(unsafe { alloc(LAYOUT) });
            fresh.unwrap_or_else(|| handle_alloc_error(LAYOUT))
        })
    }

    /// Keeps the memory of a slab, or frees it if there is enough.
    ///
    /// # Safety
    /// It came from [`take`](Self::take), of any owner, and is unused.
    pub(super) unsafe fn put(&self, slab: NonNull<u8>) {
        let mut kept = self.lock();
        if kept.count() < MAX_SPARE {
            // SAFETY: by contract.
            return unsafe { kept.push(slab) };
        }
        drop(kept);
        // SAFETY: by contract; `take` used this layout.
        unsafe { dealloc(slab.as_ptr(), LAYOUT) };
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.lock().count()
    }

    fn lock(&self) -> MutexGuard<'_, Magazine> {
        self.0.lock().expect("nothing panics under the lock of spare slabs")
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        let mut kept = self.lock();
        while let Some(slab) = kept.pop() {
            // SAFETY: only slabs from `take` are kept, which used this layout.
            unsafe { dealloc(slab.as_ptr(), LAYOUT) };
        }
    }
}
