//! The latest committed bits of one variable, outside of any transaction.

use crate::cell::Cell;
use crate::thread_cache::Borrowed;
use crate::version_word::Held;
use odeon_sync::{Backoff, interruption};

/// Waits for nothing but a commit that is at this variable; one that is prepared has changed nothing.
pub(crate) fn bits(cell: &Cell) -> u64 {
    let mut backoff = Backoff::new();
    loop {
        let word = cell.word();
        if word.held() != Held::Committing {
            if let Some(bits) = cell.bits_under(word) {
                interruption::point();
                return bits;
            }
        }
        backoff.wait();
    }
}

/// Ends the attempt under whose protection a value is looked at, also if the look panics.
pub(crate) struct End<'a>(pub(crate) &'a mut Borrowed);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}
