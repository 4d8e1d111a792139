//! The latest committed bits of one variable, outside of any transaction.

use crate::attempt::Mode;
use crate::attempt::thread_cache::{self, Borrowed};
use crate::domain::cell::Cell;
use crate::words::version_word::VariableHolder;
use odeon_sync::{Backoff, interruption};

/// Waits for nothing but a commit that is at this variable; one that is prepared has changed
/// nothing.
pub(crate) fn bits(cell: &Cell) -> u64 {
    let mut backoff = Backoff::new();
    loop {
        let word = cell.word();
        if word.held() != VariableHolder::Committing {
            if let Some(bits) = cell.bits_under(word) {
                interruption::point();
                return bits;
            }
        }
        backoff.wait();
    }
}

/// Calls `look` under the protection of an attempt: what it reads of a variable stays there
/// meanwhile (I4).
#[track_caller]
pub(crate) fn protected<R>(look: impl FnOnce() -> R) -> R {
    if thread_cache::is_within() {
        // By an attempt of its own: the running one has its own view, which this look is not a part
        // of.
        let mut seen = None;
        thread_cache::outside(|| seen = Some(protected(look)));
        return seen.expect("it was called");
    }
    let mut attempt = Borrowed::take();
    attempt.begin(Mode::Logged);
    let _end = PeekEnd(&mut attempt);
    look()
}

/// Ends the attempt under whose protection a value is looked at, also if the look panics.
struct PeekEnd<'a>(&'a mut Borrowed);

impl Drop for PeekEnd<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}
