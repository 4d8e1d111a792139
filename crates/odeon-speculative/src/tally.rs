//! What is counted of one speculative actor.

use crate::conflicts::Conflicts;
use crate::stats::SpeculationStats;
use odeon_core::Message;
use odeon_stm::Cause;
use odeon_stm::staged::RolledBack;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters that any executor raises. Of `std` also in models: nothing hangs on them.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    commits: AtomicU64,
    rollbacks: [AtomicU64; Cause::ALL.len()],
    failures: AtomicU64,
    conflicts: Conflicts,
}

impl Tally {
    pub(crate) fn committed(&self, messages: u64) {
        // ORDERING: Relaxed, here and below: a count for statistics.
        self.commits.fetch_add(messages, Ordering::Relaxed);
    }

    /// An attempt at `message` was rolled back; at the start of the actor there is none.
    #[cold]
    pub(crate) fn rolled_back<M: Message>(&self, rolled_back: &RolledBack, message: &[M]) {
        self.rollbacks[rolled_back.cause() as usize].fetch_add(1, Ordering::Relaxed);
        self.conflicts.count(rolled_back, message.first());
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

    /// What is counted here; the rest is left empty.
    pub(crate) fn stats(&self) -> SpeculationStats {
        let count = |cause: &Cause| self.rollbacks[*cause as usize].load(Ordering::Relaxed);
        let (conflicts, conflicts_left_out) = self.conflicts.all();
        SpeculationStats {
            commits: self.commits.load(Ordering::Relaxed),
            failures: self.failures.load(Ordering::Relaxed),
            rollbacks: Cause::ALL
                .iter()
                .map(|cause| (*cause, count(cause)))
                .filter(|(_, count)| *count > 0)
                .collect(),
            conflicts,
            conflicts_left_out,
            ..SpeculationStats::default()
        }
    }
}
