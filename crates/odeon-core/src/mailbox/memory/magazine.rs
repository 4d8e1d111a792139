//! A few free pieces of memory of one size.

use std::ptr::{self, NonNull};

/// A stack of free pieces, linked through themselves.
pub(super) struct Magazine {
    top: *mut FreePiece,
    count: usize,
}

struct FreePiece {
    below: *mut FreePiece,
}

impl Magazine {
    pub(super) const EMPTY: Self = Self { top: ptr::null_mut(), count: 0 };

    /// A magazine of one piece.
    ///
    /// # Safety
    /// As for [`push`](Self::push).
    pub(super) unsafe fn of(memory: NonNull<u8>) -> Self {
        let mut magazine = Self::EMPTY;
        // SAFETY: by contract.
        unsafe { magazine.push(memory) };
        magazine
    }

    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<NonNull<u8>> {
        let piece = NonNull::new(self.top)?;
        // SAFETY: pieces in a magazine are free memory that `push` has written a link into.
        self.top = unsafe { piece.as_ref().below };
        self.count -= 1;
        Some(piece.cast())
    }

    /// # Safety
    /// `memory` is unused, aligned for a pointer and large enough for one; the magazine takes it
    /// over.
    #[inline(always)]
    pub(super) unsafe fn push(&mut self, memory: NonNull<u8>) {
        let piece = memory.cast::<FreePiece>();
        // SAFETY: by contract.
        unsafe { piece.write(FreePiece { below: self.top }) };
        self.top = piece.as_ptr();
        self.count += 1;
    }
}

// SAFETY: a magazine owns free memory, which belongs to no thread.
unsafe impl Send for Magazine {}
