//! What is counted of one speculative actor.

use crate::report::conflicts::Conflicts;
use crate::report::counts::{BoundedCounts, name_of};
use crate::report::stats::SpeculationStats;
use odeon_core::Message;
use odeon_stm::Cause;
use odeon_stm::staged::RolledBack;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters that any executor raises. Of `std` also in models: nothing hangs on them.
#[derive(Debug, Default)]
pub(crate) struct AttemptTally {
    commits: AtomicU64,
    rollbacks: [AtomicU64; Cause::ALL.len()],
    failures: AtomicU64,
    failed: BoundedCounts<&'static str>,
    conflicts: Conflicts,
}

impl AttemptTally {
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

    /// This message has failed.
    #[cold]
    pub(crate) fn failed<M: Message>(&self, message: &M) {
        self.count_failure(name_of(message));
    }

    /// A message has failed by its destructor: nobody can be asked any more what it is called.
    #[cold]
    pub(crate) fn failed_when_dropped<M>(&self) {
        self.count_failure(std::any::type_name::<M>());
    }

    fn count_failure(&self, name: &'static str) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.failed.count(name);
    }

    /// Commits that were counted here.
    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// Rollbacks so far.
    pub(crate) fn rollbacks(&self) -> u64 {
        self.rollbacks.iter().map(|count| count.load(Ordering::Relaxed)).sum()
    }

    /// What is counted here; the rest is left empty.
    pub(crate) fn stats(&self) -> SpeculationStats {
        let count = |cause: &Cause| self.rollbacks[*cause as usize].load(Ordering::Relaxed);
        let (conflicts, conflicts_left_out) = self.conflicts.all();
        SpeculationStats {
            commits: self.commits(),
            failures: self.failures.load(Ordering::Relaxed),
            failures_by_message: self.failed.all().0,
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
