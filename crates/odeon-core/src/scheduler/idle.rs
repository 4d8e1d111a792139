//! Which workers search for work and which sleep; who is woken when there is more to do.
//!
//! PROTOCOL
//! 1. `word` holds two counts: workers searching (low half) and workers sleeping (high half). The
//!    list of sleepers changes only under its lock, together with the sleeping count.
//! 2. Whoever makes work visible to others (a queue push) then calls `wake_one`: a full fence, then a
//!    look at `word`. Nobody is woken if someone searches already, or nobody sleeps.
//! 3. A worker that finds nothing enters itself as sleeping, then a full fence, then looks at all
//!    queues once more; only if they are empty does it park.
//! 4. No wake-up is lost: of 2 and 3, one fence comes first. If the pusher's does, the worker's
//!    second look sees the push. Otherwise the pusher sees the worker sleeping (or someone else
//!    searching, who is bound by 3 before it sleeps) and wakes it.
//! 5. The last searcher that finds work passes the search on (`found_work` says so), so that one
//!    wake-up is enough for any number of tasks.
//! 6. `wake_one` counts the woken worker as searching at once, so that a burst of pushes wakes one
//!    worker and not all.
//!
//! Covered by `idle/loom.rs`, and with real queues by the shuttle tests of the scheduler.

use odeon_sync::Mutex;
use odeon_sync::atomic::{AtomicU64, Ordering, fence};

const SEARCHING: u64 = 1;
const SLEEPING: u64 = 1 << 32;

fn searching(word: u64) -> u64 {
    word & (SLEEPING - 1)
}

fn sleeping(word: u64) -> u64 {
    word >> 32
}

/// The workers of one pool that have nothing to do.
#[derive(Debug)]
pub(super) struct Idle {
    word: AtomicU64,
    sleepers: Mutex<Vec<usize>>,
    /// How often any worker went to sleep: tells two looks at a sleeping pool apart.
    sleeps: AtomicU64,
    workers: usize,
}

impl Idle {
    pub(super) fn new(workers: usize) -> Self {
        Self {
            word: AtomicU64::new(0),
            sleepers: Mutex::new(Vec::with_capacity(workers)),
            sleeps: AtomicU64::new(0),
            workers,
        }
    }

    /// After work was made visible: the worker to unpark, if any (rules 2, 4, 6).
    #[inline]
    pub(super) fn wake_one(&self) -> Option<usize> {
        // ORDERING: SeqCst fence between the caller's queue push and the look at `word`; partner: the
        // fence in `enter_sleep`. Anything weaker lets both sides miss each other.
        fence(Ordering::SeqCst);
        let word = self.word.load(Ordering::Relaxed);
        if searching(word) > 0 || sleeping(word) == 0 { None } else { self.take_sleeper() }
    }

    #[cold]
    fn take_sleeper(&self) -> Option<usize> {
        let mut sleepers = self.sleepers.lock().expect("no panic happens under the idle lock");
        let worker = sleepers.pop()?;
        // ORDERING: SeqCst: keeps the counts in the single order that rule 4 argues about.
        self.word.fetch_add(SEARCHING.wrapping_sub(SLEEPING), Ordering::SeqCst);
        Some(worker)
    }

    /// A worker out of work begins to search; `false` if enough others do already.
    pub(super) fn begin_search(&self) -> bool {
        // ORDERING: Relaxed look: a limit on effort, not on correctness.
        if 2 * searching(self.word.load(Ordering::Relaxed)) >= self.workers as u64 {
            return false;
        }
        // ORDERING: SeqCst: as in `take_sleeper`.
        self.word.fetch_add(SEARCHING, Ordering::SeqCst);
        true
    }

    /// A searching worker found work; `true` if it was the last one searching and must therefore
    /// call `wake_one` (rule 5).
    #[must_use]
    pub(super) fn found_work(&self) -> bool {
        // ORDERING: SeqCst: as in `take_sleeper`.
        searching(self.word.fetch_sub(SEARCHING, Ordering::SeqCst)) == 1
    }

    /// Enters `worker` as sleeping. Afterwards it must look at all queues again (rule 3), and then
    /// either park or call [`leave_sleep`](Self::leave_sleep).
    pub(super) fn enter_sleep(&self, worker: usize, was_searching: bool) {
        let mut sleepers = self.sleepers.lock().expect("no panic happens under the idle lock");
        sleepers.push(worker);
        let change = if was_searching { SLEEPING.wrapping_sub(SEARCHING) } else { SLEEPING };
        // ORDERING: SeqCst: as in `take_sleeper`.
        self.word.fetch_add(change, Ordering::SeqCst);
        self.sleeps.fetch_add(1, Ordering::SeqCst);
        drop(sleepers);
        // ORDERING: SeqCst fence between entering and the second look at the queues; partner: the
        // fence in `wake_one`.
        fence(Ordering::SeqCst);
    }

    /// A worker that entered and then saw work takes itself off the list and searches on. `false`
    /// if somebody has woken it meanwhile: its token is on the way and must be taken by parking.
    #[must_use]
    pub(super) fn leave_sleep(&self, worker: usize) -> bool {
        let mut sleepers = self.sleepers.lock().expect("no panic happens under the idle lock");
        let Some(place) = sleepers.iter().position(|&sleeper| sleeper == worker) else {
            return false;
        };
        sleepers.swap_remove(place);
        // ORDERING: SeqCst: as in `take_sleeper`.
        self.word.fetch_add(SEARCHING.wrapping_sub(SLEEPING), Ordering::SeqCst);
        true
    }

    /// Whether every worker sleeps, and a number that changes whenever one has gone to sleep since.
    pub(super) fn all_sleep(&self) -> (bool, u64) {
        // ORDERING: SeqCst: the shutdown's two looks must not be reordered.
        let word = self.word.load(Ordering::SeqCst);
        (sleeping(word) == self.workers as u64, self.sleeps.load(Ordering::SeqCst))
    }
}

#[cfg(all(test, odeon_loom))]
mod loom;
