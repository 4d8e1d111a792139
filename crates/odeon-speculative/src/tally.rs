//! What is counted of one speculative actor.

use odeon_stm::Cause;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters that any executor raises. Of `std` also in models: nothing hangs on them.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    commits: AtomicU64,
    rollbacks: [AtomicU64; Cause::ALL.len()],
    failures: AtomicU64,
}

impl Tally {
    pub(crate) fn committed(&self, messages: u64) {
        // ORDERING: Relaxed, here and below: a count for statistics.
        self.commits.fetch_add(messages, Ordering::Relaxed);
    }

    #[cold]
    pub(crate) fn rolled_back(&self, cause: Cause) {
        self.rollbacks[cause as usize].fetch_add(1, Ordering::Relaxed);
    }

    #[cold]
    pub(crate) fn failed(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    /// Commits and rollbacks so far.
    pub(crate) fn commits_and_rollbacks(&self) -> (u64, u64) {
        let rollbacks = self.rollbacks.iter().map(|count| count.load(Ordering::Relaxed)).sum();
        (self.commits.load(Ordering::Relaxed), rollbacks)
    }

    pub(crate) fn stats(&self) -> SpeculationStats {
        let count = |cause: &Cause| self.rollbacks[*cause as usize].load(Ordering::Relaxed);
        SpeculationStats {
            commits: self.commits.load(Ordering::Relaxed),
            failures: self.failures.load(Ordering::Relaxed),
            rollbacks: Cause::ALL
                .iter()
                .map(|cause| (*cause, count(cause)))
                .filter(|(_, count)| *count > 0)
                .collect(),
        }
    }
}

/// What a speculative actor has done so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SpeculationStats {
    /// Messages that have committed.
    pub commits: u64,
    /// Messages that were given up, by a panic or an error.
    pub failures: u64,
    /// Attempts that were rolled back by conflicts and waits, by cause; causes that never happened are missing.
    pub rollbacks: Vec<(Cause, u64)>,
}

impl SpeculationStats {
    /// Attempts that were rolled back, for whatever cause.
    pub fn rolled_back(&self) -> u64 {
        self.rollbacks.iter().map(|(_, count)| count).sum()
    }
}
