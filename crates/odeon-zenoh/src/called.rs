//! What Zenoh calls on its own threads, and is not Zenoh's: a panic there would end more than it
//! concerns, and who is called must not wait for Zenoh.

use std::cell::Cell;

use odeon_sync::contained::quietly;

thread_local! {
    /// Whether this is a thread of Zenoh's that has called.
    static IS_CALLED: Cell<bool> = const { Cell::new(false) };
}

/// Calls what may be a user's on a thread of Zenoh's. Its panic concerns nobody: that of a message
/// has been seen to by the theater.
pub(crate) fn called_by_zenoh(act: impl FnOnce()) {
    let was_called = IS_CALLED.replace(true);
    quietly(act);
    IS_CALLED.set(was_called);
}

/// Whether Zenoh has called, and waits for this thread.
pub(crate) fn is_called_by_zenoh() -> bool {
    // A thread that ends has returned to nobody.
    IS_CALLED.try_with(Cell::get).unwrap_or(false)
}
