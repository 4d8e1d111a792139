//! One attempt at a time may become irrevocable: while it runs, nobody else commits.
//!
//! PROTOCOL
//! 1. Who wants to be irrevocable closes the gate (one at a time), puts a full fence, then reads.
//! 2. A commit locks its variables, puts a full fence, then looks at the gate; if it is closed by
//!    somebody else it unlocks and rolls back.
//! 3. So a commit that the irrevocable attempt does not find locked finds the gate closed: what the
//!    attempt has read stays as it is until it ends.
//! 4. A commit that finds it closed has locked its variables for some instructions: the irrevocable
//!    attempt waits for that, and is not rolled back by it.
//! 5. The gate opens when the irrevocable attempt has published, before anybody is woken, or has
//!    rolled back: who is woken may commit on the same thread.
//! 6. A commit of a prepared attempt passes: the irrevocable attempt has met its locks and given
//!    way, or has read none of its variables. So does one of a direct attempt, which owns its
//!    variables.

use crate::domain::wakeup::{VariableWait, WaitTable};
use odeon_sync::atomic::{AtomicU64, Ordering};
use odeon_sync::fence_after_rmw;

const OPEN: u64 = 0;

/// See the module.
#[derive(Debug)]
pub(crate) struct SerialGate(AtomicU64);

impl SerialGate {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(OPEN))
    }

    /// PROTOCOL 1: closes the gate for `slot`; `false` if somebody else has.
    pub(crate) fn close(&self, slot: u64) -> bool {
        // ORDERING: AcqRel: the attempts of two holders come one after the other; the fence makes
        // the closed gate visible before the holder reads.
        let closed =
            self.0.compare_exchange(OPEN, slot, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        fence_after_rmw();
        closed
    }

    /// Opens the gate if `slot` has closed it, and wakes who waits for it.
    pub(crate) fn open(&self, slot: u64, waits: &WaitTable) {
        // ORDERING: AcqRel: Release to the next holder and to `is_closed_to`.
        let opened = self.0.compare_exchange(slot, OPEN, Ordering::AcqRel, Ordering::Relaxed);
        if opened.is_ok() {
            waits.wake(self.address());
        }
    }

    /// PROTOCOL 2: whether `slot` may not commit. A full fence lies before this in the caller.
    #[inline(always)]
    pub(crate) fn is_closed_to(&self, slot: u64) -> bool {
        // ORDERING: Acquire, from `open`; its order after the locks is the caller's fence.
        let holder = self.0.load(Ordering::Acquire);
        if holder == OPEN {
            return false;
        }
        holder != slot
    }

    /// Whether the attempt of `slot`, which asks itself, is irrevocable.
    pub(crate) fn is_closed_by(&self, slot: u64) -> bool {
        // ORDERING: Relaxed: only `slot` puts its number here and takes it away.
        self.0.load(Ordering::Relaxed) == slot
    }

    /// Waits for the gate to open. The table's lock orders this entry before or after the opener's
    /// look for entries; in the second case the load sees the gate open.
    pub(crate) fn wait(&self, wait: &mut VariableWait<'_>) {
        wait.enter(self.address());
        // ORDERING: Acquire, from `open`.
        if self.0.load(Ordering::Acquire) == OPEN {
            wait.end();
        }
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}
