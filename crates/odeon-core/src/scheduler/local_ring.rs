//! The private queue of a pinned stage: messages between its own actors, no atomics.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use crate::process::cell::Header;
use crate::process::payload::Payload;

/// A message under way, as it lies in the ring.
pub(crate) struct RingEntry {
    pub(crate) label: u32,
    pub(crate) target: NonNull<Header>,
    pub(crate) payload: Payload,
}

/// A growing ring buffer that is written in place. Not `Sync`: it belongs to the stage's thread.
///
/// `head` and `tail` count entries taken and put in since the start; their low bits are the places.
pub(crate) struct LocalRing {
    entries: Cell<NonNull<RingEntry>>,
    mask: Cell<usize>,
    head: Cell<usize>,
    tail: Cell<usize>,
}

const FIRST_CAPACITY: usize = 64;

impl LocalRing {
    pub(crate) fn new() -> Self {
        Self {
            entries: Cell::new(allocate(FIRST_CAPACITY)),
            mask: Cell::new(FIRST_CAPACITY - 1),
            head: Cell::new(0),
            tail: Cell::new(0),
        }
    }

    /// Appends an entry; `write` fills in the payload (or leaves it, for a signal).
    #[inline(always)]
    pub(crate) fn push(
        &self,
        label: u32,
        target: NonNull<Header>,
        write: impl FnOnce(*mut Payload),
    ) {
        if self.tail.get().wrapping_sub(self.head.get()) > self.mask.get() {
            self.grow();
        }
        let tail = self.tail.get();
        // SAFETY: the place is inside the buffer and free (the ring is not full).
        unsafe {
            let entry = self.entries.get().add(tail & self.mask.get()).as_ptr();
            (&raw mut (*entry).label).write(label);
            (&raw mut (*entry).target).write(target);
            write(&raw mut (*entry).payload);
        }
        self.tail.set(tail.wrapping_add(1));
    }

    /// Takes the oldest entry. The pointer is good until the next `push`: the caller must take
    /// everything out before it runs anybody's code.
    #[inline(always)]
    pub(crate) fn pop(&self) -> Option<*const RingEntry> {
        let head = self.head.get();
        if head == self.tail.get() {
            return None;
        }
        self.head.set(head.wrapping_add(1));
        // SAFETY: the place is inside the buffer and was written.
        Some(unsafe { self.entries.get().add(head & self.mask.get()).as_ptr() })
    }

    #[cold]
    #[inline(never)]
    fn grow(&self) {
        let (old, mask) = (self.entries.get(), self.mask.get());
        let larger = allocate((mask + 1) * 2);
        let head = self.head.get();
        let len = self.tail.get().wrapping_sub(head);
        for n in 0..len {
            // SAFETY: both places are inside their buffers; entries are moved bitwise.
            unsafe {
                let from = old.add(head.wrapping_add(n) & mask);
                from.copy_to_nonoverlapping(larger.add(n), 1);
            }
        }
        self.entries.set(larger);
        self.mask.set((mask + 1) * 2 - 1);
        self.head.set(0);
        self.tail.set(len);
        // SAFETY: it has this capacity and nothing points into it any more.
        unsafe { free(old, mask + 1) };
    }
}

impl Drop for LocalRing {
    fn drop(&mut self) {
        // SAFETY: the stage has emptied the ring before it ends; the buffer is ours.
        unsafe { free(self.entries.get(), self.mask.get() + 1) };
    }
}

fn allocate(capacity: usize) -> NonNull<RingEntry> {
    let entries: Box<[MaybeUninit<RingEntry>]> = Box::new_uninit_slice(capacity);
    NonNull::from(Box::leak(entries)).cast()
}

/// # Safety
/// `entries` came from `allocate(capacity)`.
unsafe fn free(entries: NonNull<RingEntry>, capacity: usize) {
    let slice = NonNull::slice_from_raw_parts(entries.cast::<MaybeUninit<RingEntry>>(), capacity);
    // SAFETY: by contract.
    drop(unsafe { Box::from_raw(slice.as_ptr()) });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(ring: &LocalRing, n: u64) {
        // SAFETY: the place is writable.
        ring.push(1, NonNull::dangling(), |place| unsafe { Payload::put(place, n) });
    }

    fn pop(ring: &LocalRing) -> Option<u64> {
        // SAFETY: `push` put a u64 there.
        ring.pop().map(|entry| unsafe { Payload::take(&raw const (*entry).payload) })
    }

    #[test]
    fn order_survives_growth_at_every_offset() {
        for offset in 0..FIRST_CAPACITY as u64 {
            let ring = LocalRing::new();
            for n in 0..offset {
                push(&ring, n);
                assert_eq!(pop(&ring), Some(n));
            }
            for n in 0..1_000 {
                push(&ring, n);
            }
            for n in 0..1_000 {
                assert_eq!(pop(&ring), Some(n));
            }
            assert!(pop(&ring).is_none());
        }
    }
}
