//! The numbers of commits: in whose order the state changes.

use crossbeam_utils::CachePadded;
use odeon_sync::Backoff;
use odeon_sync::atomic::{AtomicU64, Ordering};

/// Whether nobody gets a number at present.
const CLOSED: u64 = 1 << 63;

/// Counts commits, from 1 on. A commit takes its number while it holds the locks of what it writes,
/// and before it reads the clock: so whoever reads or writes the same later has a larger one, and a
/// snapshot that begins while the numbers are closed sees all commits that have one, once they are
/// over, and no other.
#[derive(Debug)]
pub(super) struct Numbers(CachePadded<AtomicU64>);

impl Numbers {
    pub(super) fn behind(last: u64) -> Self {
        Self(CachePadded::new(AtomicU64::new(last)))
    }

    /// The next one. Waits while they are closed.
    pub(super) fn take(&self) -> u64 {
        let mut backoff = Backoff::new();
        // ORDERING: Relaxed: a guess.
        let mut last = self.0.load(Ordering::Relaxed);
        loop {
            if last & CLOSED != 0 {
                backoff.wait();
                // ORDERING: Relaxed: as above.
                last = self.0.load(Ordering::Relaxed);
                continue;
            }
            // ORDERING: AcqRel: who takes a larger number has seen what came before this one; and
            // the snapshot that began before they were opened has begun for who takes one.
            let taken =
                self.0.compare_exchange_weak(last, last + 1, Ordering::AcqRel, Ordering::Relaxed);
            match taken {
                Ok(_) => return last + 1,
                Err(now) => last = now,
            }
        }
    }

    /// The last one that was taken.
    pub(super) fn last(&self) -> u64 {
        // ORDERING: Acquire: who has read what a commit wrote finds its number, or a larger one.
        self.0.load(Ordering::Acquire) & !CLOSED
    }

    /// Nobody gets a number until what this answers is dropped.
    pub(super) fn close(&self) -> ClosedNumbers<'_> {
        // ORDERING: AcqRel: as in `take`.
        let last = self.0.fetch_or(CLOSED, Ordering::AcqRel) & !CLOSED;
        ClosedNumbers { numbers: self, last }
    }
}

/// Nobody gets a number while this is there.
pub(super) struct ClosedNumbers<'a> {
    numbers: &'a Numbers,
    /// The last one that was taken.
    pub(super) last: u64,
}

impl Drop for ClosedNumbers<'_> {
    fn drop(&mut self) {
        // ORDERING: Release: the snapshot has begun for whoever takes a number from here on.
        self.numbers.0.fetch_and(!CLOSED, Ordering::Release);
    }
}
