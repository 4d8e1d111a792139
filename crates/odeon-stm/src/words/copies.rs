//! Copies of inline values to which an attempt has given references: each stays where it is until
//! the attempt ends, and the memory serves the next one.

use std::fmt;
use std::ptr;

/// TUNE: copies in one piece of memory, a kibibyte. Guessed: attempts that ask for references to
/// more inline values than this allocate one piece for each so many.
const PIECE: usize = 128;

/// See the module.
pub(crate) struct Copies {
    /// Each from a `Box`; made when it is needed.
    pieces: Vec<*mut [u64; PIECE]>,
    /// The first free place of the last piece, if it is not at its `end`.
    next: *mut u64,
    end: *mut u64,
}

impl Default for Copies {
    fn default() -> Self {
        Self { pieces: Vec::new(), next: ptr::null_mut(), end: ptr::null_mut() }
    }
}

impl Copies {
    /// A copy of `bits` that stays until [`clear`](Copies::clear).
    #[inline(always)]
    pub(crate) fn put(&mut self, bits: u64) -> *const u64 {
        if self.next == self.end {
            self.grow();
        }
        let place = self.next;
        // SAFETY: not at the end, so a place of the last piece which nobody refers to.
        unsafe {
            place.write(bits);
            self.next = place.add(1);
        }
        place
    }

    #[cold]
    fn grow(&mut self) {
        self.pieces.push(Box::into_raw(Box::new([0; PIECE])));
        self.use_last();
    }

    /// All places of the last piece are free.
    fn use_last(&mut self) {
        let piece = *self.pieces.last().expect("there is a piece");
        self.next = piece.cast();
        // SAFETY: one behind the last place of the piece.
        self.end = unsafe { self.next.add(PIECE) };
    }

    /// Forgets all copies, to which nobody refers any more.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        if !self.pieces.is_empty() {
            self.free_beyond(1);
            self.use_last();
        }
    }

    /// Frees all pieces but the first `kept`.
    #[inline]
    fn free_beyond(&mut self, kept: usize) {
        while self.pieces.len() > kept {
            let piece = self.pieces.pop().expect("there is one more");
            // SAFETY: from a box in `grow`, out of the list now, and nobody refers to its copies.
            drop(unsafe { Box::from_raw(piece) });
        }
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        self.free_beyond(0);
    }
}

impl fmt::Debug for Copies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Copies").field("pieces", &self.pieces.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_stay_where_they_are_and_one_piece_of_memory_is_used_again() {
        let mut copies = Copies::default();
        let mut firsts = Vec::new();
        for _ in 0..3 {
            let places: Vec<_> = (0..1_000).map(|bits| copies.put(bits)).collect();
            for (bits, place) in (0..1_000).zip(&places) {
                // SAFETY: not cleared since.
                assert_eq!(unsafe { **place }, bits);
            }
            firsts.push(places[0]);
            copies.clear();
            assert_eq!(copies.pieces.len(), 1);
        }
        assert!(firsts.iter().all(|first| *first == firsts[0]));
    }
}
