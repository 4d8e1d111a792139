//! All that wait for one receiver, or for one congestion.
//!
//! PROTOCOL of waiting: the sender enters itself with the receiver, then looks whether there still is
//! pressure, and if not takes all that wait out again; the owner takes pressure off, then takes out
//! all that wait. The list's lock orders the two: one of them sees the other. A future that is given up takes
//! itself out, by its key; if it has been taken out by then, there is nothing left to do. (`messaging/pressure/loom.rs`)

use std::collections::BTreeMap;

use odeon_sync::atomic::{AtomicBool, Ordering};
use odeon_sync::{Arc, Mutex, MutexGuard, Parker};

use super::HeldBack;
use super::waits::{Node, Waits};
use crate::vocabulary::oneshot;

/// Somebody who waits until a receiver is relieved; dropped, it goes on.
pub(crate) enum Waiter {
    Actor(#[expect(dead_code, reason = "dropping it is what it is for")] HeldBack),
    Thread(#[expect(dead_code, reason = "as above")] Sleeper),
    Future(#[expect(dead_code, reason = "as above")] oneshot::Sender<()>),
}

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
pub(crate) struct Sleeper(pub(super) Arc<Relief>);

impl Drop for Sleeper {
    fn drop(&mut self) {
        // ORDERING: Release: what the receiver did comes before what the thread does next.
        self.0.relieved.store(true, Ordering::Release);
        self.0.parker.unpark();
    }
}

/// All that wait for one node, and what it waits for itself.
#[derive(Default)]
pub(crate) struct Waiters {
    list: Mutex<List>,
    pub(super) waits: Waits,
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
    pub(super) fn leave(&self, key: u64) {
        let gone = self.lock().waiting.remove(&key);
        // Outside of the lock, here and below: an actor is submitted by being dropped.
        drop(gone);
    }

    /// Lets all go on.
    pub(crate) fn release(&self) {
        let all = std::mem::take(&mut self.lock().waiting);
        drop(all);
    }

    /// Whether nobody waits.
    #[cfg(all(test, odeon_loom))]
    pub(super) fn is_empty(&self) -> bool {
        self.lock().waiting.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, List> {
        self.list.lock().expect("no panic happens under the lock of waiters")
    }
}

/// A future that waits; dropped, it is taken out if it still is there.
pub(super) struct Entered<'a> {
    pub(super) giver: &'a Node,
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
