//! A thread that waits until a receiver is relieved, and a future that does.

use odeon_sync::atomic::{AtomicBool, Ordering};
use odeon_sync::{Arc, Parker};

use super::waits::WaitNode;

/// What a thread waits for.
#[derive(Default)]
pub(super) struct Relief {
    relieved: AtomicBool,
    parker: Parker,
}

impl Relief {
    /// Blocks the thread until it is let go.
    pub(super) fn wait(&self) {
        // ORDERING: Acquire: pairs with the Release in `Sleeper::drop`.
        while !self.relieved.load(Ordering::Acquire) {
            self.parker.park();
        }
    }
}

/// A thread that waits; dropped, it is woken.
pub(super) struct Sleeper(pub(super) Arc<Relief>);

impl Drop for Sleeper {
    fn drop(&mut self) {
        // ORDERING: Release: what the receiver did comes before what the thread does next.
        self.0.relieved.store(true, Ordering::Release);
        self.0.parker.unpark();
    }
}

/// A future that waits; dropped, it is taken out if it still is there.
pub(super) struct Entered<'a> {
    pub(super) giver: &'a WaitNode,
    /// `None`: it was let go at once.
    pub(super) key: Option<u64>,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        if let (Some(key), Some(waiters)) = (self.key, self.giver.waiters()) {
            waiters.leave(key);
        }
    }
}
