//! A thread that waits for a future.

use std::sync::Arc;
use std::task::Wake;

use odeon_sync::Parker;

/// Its waker is made of the `Arc` that it lies in.
#[derive(Default)]
pub(crate) struct BlockedThread(pub(crate) Parker);

impl Wake for BlockedThread {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}
