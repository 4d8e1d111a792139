//! All that wait for one receiver, or for one congestion.
//!
//! PROTOCOL of waiting: the sender enters itself with the receiver, then looks whether there still
//! is pressure, and if not takes all that wait out again; the owner takes pressure off, then takes
//! out all that wait. The list's lock orders the two: one of them sees the other. A future that is
//! given up takes itself out, by its key; if it has been taken out by then, there is nothing left
//! to do. (`process/waiters/loom.rs`)

use std::collections::BTreeMap;

use odeon_sync::{Mutex, MutexGuard};

/// Somebody who waits; dropped, it goes on.
pub(crate) type Waiter = Box<dyn Send>;

/// All that wait for one receiver.
#[derive(Default)]
pub(crate) struct Waiters {
    list: Mutex<List>,
}

#[derive(Default)]
struct List {
    /// By key, in the order in which they came.
    waiting: BTreeMap<u64, Waiter>,
    next_key: u64,
}

impl Waiters {
    /// Enters `waiter`, unless the pressure is gone by then; a key to take it out by.
    pub(crate) fn enter(&self, waiter: Waiter, is_pressed: impl FnOnce() -> bool) -> u64 {
        let mut list = self.lock();
        let key = list.next_key;
        list.next_key += 1;
        list.waiting.insert(key, waiter);
        drop(list);
        if !is_pressed() {
            self.release();
        }
        key
    }

    /// Takes somebody out who does not wait any more, if it still is there.
    pub(crate) fn leave(&self, key: u64) {
        let gone = self.lock().waiting.remove(&key);
        // Outside of the lock, here and below: an actor is submitted by being dropped.
        drop(gone);
    }

    /// Lets all go on.
    pub(crate) fn release(&self) {
        let all = std::mem::take(&mut self.lock().waiting);
        drop(all);
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Whether nobody waits.
    #[cfg(all(test, odeon_loom))]
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().waiting.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, List> {
        self.list.lock().expect("no panic happens under the lock of waiters")
    }
}

#[cfg(all(test, odeon_loom))]
mod loom;
