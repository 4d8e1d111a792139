//! Threads in the middle of something that nothing else may come into.
//!
//! Who runs code of others on a thread (an actor's turn on a caller's) asks first. A crate whose
//! work must not be nested, such as a transactional memory, says how to find out; what asks need
//! not know that crate.

use std::sync::OnceLock;

/// How to find out whether the present thread is occupied. It must not panic, also while the thread
/// ends.
pub type IsOccupied = fn() -> bool;

static IS_OCCUPIED: OnceLock<IsOccupied> = OnceLock::new();

/// Says how to find out; the first one of the process counts.
pub fn tell(is_occupied: IsOccupied) {
    let _ = IS_OCCUPIED.set(is_occupied);
}

/// Whether the present thread is occupied, as far as anybody has said how to find out.
#[inline]
pub fn here() -> bool {
    IS_OCCUPIED.get().is_some_and(|is_occupied| is_occupied())
}

#[cfg(all(test, not(any(odeon_loom, odeon_shuttle))))]
mod tests {
    use super::*;
    use std::cell::Cell;

    thread_local! { static OCCUPIED: Cell<bool> = const { Cell::new(false) } }

    #[test]
    fn who_has_told_is_asked_on_the_present_thread() {
        assert!(!here());
        tell(|| OCCUPIED.get());
        OCCUPIED.set(true);
        assert!(here());
        assert!(!std::thread::spawn(here).join().unwrap());
        tell(|| false);
        assert!(here(), "the first one counts");
    }
}
