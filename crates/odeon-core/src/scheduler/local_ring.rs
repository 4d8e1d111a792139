//! The private queue of a pinned stage: messages between its own actors, no atomics.

use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use super::envelope::Payload;
use crate::cell::Header;

/// A message under way, as it lies in the ring.
pub(crate) struct RingEntry {
    pub(crate) label: u32,
    pub(crate) target: NonNull<Header>,
    pub(crate) payload: Payload,
}

/// A growing ring buffer that is written in place. Not `Sync`: it belongs to the stage's thread.
pub(crate) struct LocalRing {
    entries: UnsafeCell<Box<[MaybeUninit<RingEntry>]>>,
    head: Cell<usize>,
    len: Cell<usize>,
}

const FIRST_CAPACITY: usize = 64;

impl LocalRing {
    pub(crate) fn new() -> Self {
        Self {
            entries: UnsafeCell::new(Box::new_uninit_slice(FIRST_CAPACITY)),
            head: Cell::new(0),
            len: Cell::new(0),
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
        // SAFETY: one thread, and no reference into the buffer outlives a call.
        let capacity = unsafe { (&*self.entries.get()).len() };
        if self.len.get() == capacity {
            self.grow();
        }
        // SAFETY: as above; the index is masked into the (power of two) buffer and free.
        unsafe {
            let entries = &mut *self.entries.get();
            let index = (self.head.get() + self.len.get()) & (entries.len() - 1);
            let entry = entries.get_unchecked_mut(index).as_mut_ptr();
            (&raw mut (*entry).label).write(label);
            (&raw mut (*entry).target).write(target);
            write(&raw mut (*entry).payload);
        }
        self.len.set(self.len.get() + 1);
    }

    /// Takes the oldest entry. The pointer is good until the next `push`: the caller must take
    /// everything out before it runs anybody's code.
    #[inline(always)]
    pub(crate) fn pop(&self) -> Option<*const RingEntry> {
        let len = self.len.get();
        if len == 0 {
            return None;
        }
        let head = self.head.get();
        // SAFETY: as in `push`; the entry was written.
        let entry = unsafe {
            let entries = &*self.entries.get();
            self.head.set((head + 1) & (entries.len() - 1));
            entries.get_unchecked(head).as_ptr()
        };
        self.len.set(len - 1);
        Some(entry)
    }

    #[cold]
    fn grow(&self) {
        // SAFETY: one thread; the old buffer is replaced whole.
        let entries = unsafe { &mut *self.entries.get() };
        let mut larger = Box::new_uninit_slice(entries.len() * 2);
        let (wrapped, first) = entries.split_at(self.head.get());
        for (to, from) in larger.iter_mut().zip(first.iter().chain(wrapped)) {
            // SAFETY: entries are moved bitwise; the old buffer forgets them (`MaybeUninit`).
            *to = unsafe { std::ptr::read(from) };
        }
        *entries = larger;
        self.head.set(0);
    }
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
