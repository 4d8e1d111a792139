//! A thread sleeps here until somebody leaves it a token.
//!
//! PROTOCOL
//! 1. `state` is `EMPTY`, `PARKED` or `NOTIFIED`; only the owner writes `EMPTY` and `PARKED`.
//! 2. `unpark` swaps in `NOTIFIED`; if it saw `PARKED` it takes and releases the lock before it
//!    signals. The owner holds that lock from setting `PARKED` until it waits, so the signal
//!    cannot fall between the two.
//! 3. A token left before `park` makes that `park` return at once; tokens do not add up.

use crate::atomic::{AtomicU32, Ordering};
use crate::{Condvar, Mutex};
use std::time::Duration;

const EMPTY: u32 = 0;
const PARKED: u32 = 1;
const NOTIFIED: u32 = 2;

/// Parking place of one thread. Any thread may [`unpark`](Parker::unpark); only the owner parks.
#[derive(Debug)]
pub struct Parker {
    state: AtomicU32,
    lock: Mutex<()>,
    signal: Condvar,
}

impl Default for Parker {
    fn default() -> Self {
        Self::new()
    }
}

impl Parker {
    /// An empty parking place: no token.
    pub fn new() -> Self {
        Self { state: AtomicU32::new(EMPTY), lock: Mutex::new(()), signal: Condvar::new() }
    }

    /// Owner only: sleeps until a token is there, and takes it.
    pub fn park(&self) {
        // ORDERING: Acquire half of the token: pairs with the AcqRel swap in `unpark`, so what the
        // waker wrote before is visible after.
        if self
            .state
            .compare_exchange(NOTIFIED, EMPTY, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
        {
            return;
        }
        let mut guard = self.lock.lock().expect("no panic happens under the parker's lock");
        if self.state.compare_exchange(EMPTY, PARKED, Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            // ORDERING: Acquire: as above, the token arrived between the two exchanges.
            self.state.swap(EMPTY, Ordering::Acquire);
            return;
        }
        loop {
            guard = self.signal.wait(guard).expect("no panic happens under the parker's lock");
            // ORDERING: Acquire: as above; a spurious wake-up finds PARKED and waits again.
            if self
                .state
                .compare_exchange(NOTIFIED, EMPTY, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
            {
                return;
            }
        }
    }

    /// Owner only: sleeps until a token is there, and takes it, or until `limit` has passed; `true`
    /// if it took a token. For periodic duties; what ends a wait must always leave a token.
    pub fn park_timeout(&self, limit: Duration) -> bool {
        // ORDERING: Acquire on every path that takes the token: as in `park`.
        let take = || {
            self.state
                .compare_exchange(NOTIFIED, EMPTY, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
        };
        if take() {
            return true;
        }
        if cfg!(any(odeon_loom, odeon_shuttle)) {
            // The models have no time: any moment may be the end of the wait.
            crate::thread::yield_now();
            return take();
        }
        let guard = self.lock.lock().expect("no panic happens under the parker's lock");
        if self.state.compare_exchange(EMPTY, PARKED, Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            self.state.swap(EMPTY, Ordering::Acquire);
            return true;
        }
        // A spurious wake-up ends the wait early, which a periodic duty does not mind.
        drop(self.signal.wait_timeout(guard, limit).expect("no panic happens under this lock"));
        // ORDERING: Acquire: takes the token, if there is one, as in `park`.
        self.state.swap(EMPTY, Ordering::Acquire) == NOTIFIED
    }

    /// Any thread: leaves a token and wakes the owner if it sleeps.
    pub fn unpark(&self) {
        // ORDERING: Release half publishes the waker's writes to the owner (see `park`); the
        // Acquire half makes the lock below come after the owner's PARKED.
        if self.state.swap(NOTIFIED, Ordering::AcqRel) == PARKED {
            drop(self.lock.lock().expect("no panic happens under the parker's lock"));
            self.signal.notify_one();
        }
    }
}
