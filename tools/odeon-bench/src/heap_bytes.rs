//! How many heap bytes the program has asked for: an allocator that counts while it is told to.
//!
//! A program installs it with `#[global_allocator]`. Switched off, it costs one load of a flag that
//! nobody writes and a predicted branch.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// The system's allocator with a counter.
#[derive(Debug, Default)]
pub struct CountingAllocator;

static COUNTING: AtomicBool = AtomicBool::new(false);
static REQUESTED_BYTES: AtomicI64 = AtomicI64::new(0);

/// Bytes requested and not yet given back since counting began.
#[derive(Debug)]
pub struct HeapCount(());

impl HeapCount {
    /// Begins to count; `None` when the program has not installed [`CountingAllocator`].
    pub fn begin() -> Option<Self> {
        REQUESTED_BYTES.store(0, Ordering::SeqCst);
        COUNTING.store(true, Ordering::SeqCst);
        let count = Self(());
        let probe = std::hint::black_box(Box::new([0_u8; 64]));
        let installed = count.bytes() > 0;
        drop(probe);
        installed.then_some(count)
    }

    /// May be negative: memory from before the beginning may have been given back.
    pub fn bytes(&self) -> i64 {
        REQUESTED_BYTES.load(Ordering::SeqCst)
    }
}

impl Drop for HeapCount {
    fn drop(&mut self) {
        COUNTING.store(false, Ordering::SeqCst);
    }
}

/// ORDERING: Relaxed, because a count is read only while the counted threads are idle, and they
/// became idle through stronger operations.
fn note(change: impl FnOnce() -> i64) {
    if COUNTING.load(Ordering::Relaxed) {
        REQUESTED_BYTES.fetch_add(change(), Ordering::Relaxed);
    }
}

// SAFETY: every call is passed on to `System` unchanged, and counting touches nothing but two
// statics.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(|| layout.size() as i64);
        // SAFETY: the caller's promise is the one that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        note(|| -(layout.size() as i64));
        // SAFETY: `block` comes from `System`, as everything that this allocator hands out.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(|| layout.size() as i64);
        // SAFETY: the caller's promise is the one that `System` asks for.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        note(|| new_size as i64 - layout.size() as i64);
        // SAFETY: `block` comes from `System`, as everything that this allocator hands out.
        unsafe { System.realloc(block, layout, new_size) }
    }
}
