//! What the engine has done: attempts, commits, rollbacks by cause and by variable.
//!
//! Every attempt counts in its own slot, so counting costs a few additions to lines that no other
//! thread writes; [`stats`] adds them up.

use crate::domain::Domain;
use crate::words::abort::Cause;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Counters of one slot; its holder alone writes.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    commits: StatsCounter,
    reads: StatsCounter,
    writes: StatsCounter,
    longest_read_log: StatsCounter,
    snapshots: StatsCounter,
    rollbacks: [StatsCounter; Cause::ALL.len()],
}

/// A number with one writer. Of `std` also in models: nothing hangs on it, and every look would be
/// a branch.
#[derive(Debug, Default)]
struct StatsCounter(AtomicU64);

impl StatsCounter {
    /// Holder only.
    #[inline(always)]
    fn add(&self, more: u64) {
        // ORDERING: Relaxed: a count for statistics; one writer, so no read-modify-write.
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(more), Ordering::Relaxed);
    }

    fn raise(&self, to: u64) {
        // ORDERING: Relaxed: as above.
        if to > self.0.load(Ordering::Relaxed) {
            self.0.store(to, Ordering::Relaxed);
        }
    }

    fn get(&self) -> u64 {
        // ORDERING: Relaxed: as above.
        self.0.load(Ordering::Relaxed)
    }
}

impl Counters {
    #[inline(always)]
    pub(crate) fn committed(&self, reads: usize, writes: usize) {
        self.commits.add(1);
        self.reads.add(reads as u64);
        self.writes.add(writes as u64);
        self.longest_read_log.raise(reads as u64);
    }

    /// A commit without logged reads, whose writes are counted apart.
    #[inline(always)]
    pub(crate) fn committed_direct(&self) {
        self.commits.add(1);
    }

    #[inline(always)]
    pub(crate) fn written(&self, writes: u64) {
        self.writes.add(writes);
    }

    pub(crate) fn rolled_back(&self, cause: Cause) {
        self.rollbacks[cause as usize].add(1);
    }

    pub(crate) fn snapshot_ended(&self) {
        self.snapshots.add(1);
    }
}

/// A look at the engine of this process; see [`stats`].
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Attempts that have ended.
    pub attempts: u64,
    /// Attempts that have committed.
    pub commits: u64,
    /// Logged reads of all commits together.
    pub reads: u64,
    /// Variables written by all commits together.
    pub writes: u64,
    /// The most logged reads of one commit.
    pub longest_read_log: u64,
    /// Snapshots that have ended.
    pub snapshots: u64,
    /// Rolled back attempts by cause; causes that never happened are missing. Each step of a
    /// [journey](crate::staged::Journey) that was in vain counts as one.
    pub rollbacks: Vec<(Cause, u64)>,
    /// Rollbacks by the label of the variable at which they happened, and the cause; variables
    /// without a label are not here.
    pub rollbacks_by_label: Vec<(&'static str, Cause, u64)>,
    /// The snapshots that run, the oldest first.
    pub running_snapshots: Vec<RunningSnapshot>,
    /// Overwritten values that wait for the end of a snapshot, and those that threads have left at
    /// their end. Not among them: what a thread has overwritten and not looked at since, up to 63
    /// values, or more while an attempt holds them; [`collect`](crate::collect), called by that
    /// thread, frees what can be freed.
    pub held_values: usize,
    /// Waits of `retry` and for prepared attempts, one on several variables counted several times.
    pub waits: usize,
}

/// A snapshot that has not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunningSnapshot {
    /// How long ago it began.
    pub age: Duration,
    /// Old values kept for it.
    pub kept_values: usize,
    /// Whether it has reached its limit.
    pub is_expired: bool,
}

impl Stats {
    /// How many attempts were rolled back for `cause`.
    pub fn rolled_back(&self, cause: Cause) -> u64 {
        self.rollbacks.iter().find(|(of, _)| *of == cause).map_or(0, |(_, count)| *count)
    }
}

/// Adds up what all threads of this process have done. Counts of running attempts are missing; the
/// numbers are not of one moment.
///
/// ```
/// let balance = odeon_stm::TVar::new(1);
/// odeon_stm::atomically(|tx| balance.update(tx, |b| b + 1));
/// assert!(odeon_stm::stats().commits >= 1);
/// ```
pub fn stats() -> Stats {
    collect(Domain::shared())
}

pub(crate) fn collect(domain: &Domain) -> Stats {
    let mut stats = Stats::default();
    let mut rollbacks = BTreeMap::new();
    for slot in domain.slots.iter() {
        let counters = &slot.counters;
        stats.commits += counters.commits.get();
        stats.reads += counters.reads.get();
        stats.writes += counters.writes.get();
        stats.longest_read_log = stats.longest_read_log.max(counters.longest_read_log.get());
        stats.snapshots += counters.snapshots.get();
        for cause in Cause::ALL {
            *rollbacks.entry(cause as usize).or_insert(0) +=
                counters.rollbacks[cause as usize].get();
        }
    }
    let with_count =
        |cause: &Cause| (*cause, rollbacks.get(&(*cause as usize)).copied().unwrap_or(0));
    stats.rollbacks = Cause::ALL.iter().map(with_count).filter(|(_, count)| *count > 0).collect();
    stats.attempts = stats.commits + stats.rollbacks.iter().map(|(_, count)| count).sum::<u64>();
    stats.rollbacks_by_label = domain.labels.counts();
    stats.running_snapshots = crate::domain::registry::running(domain);
    stats.held_values = domain.held_values.len();
    stats.waits = domain.waits.len();
    stats
}
