//! How long messages take, so that batches are neither a burden nor a wait.

use odeon_sync::interruption;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A moving average. Of `std` also in models: nothing hangs on it.
#[derive(Debug)]
pub(crate) struct Pace(AtomicU64);

/// TUNE: what a batch should take, in ns: long against taking it, short against a turn.
const BATCH_NS: u64 = 20_000;
/// TUNE: and for each executor, since they pass the board one after the other: 64 us with 16, where
/// 20 us were too little and 100 us better (decision 038); guessed in between.
const BATCH_NS_EACH: u64 = 4_000;
/// TUNE: from here on the actor's own turn leaves messages to runners, so that its inbox is looked
/// at: well above what handing over to a runner costs.
const LONG_NS: u64 = 50_000;
/// TUNE: the most messages of a batch, and for each executor.
const MOST: u64 = 16;
const MOST_EACH: u64 = 4;

impl Default for Pace {
    fn default() -> Self {
        // Unknown, so thought long.
        Self(AtomicU64::new(2 * LONG_NS))
    }
}

impl Pace {
    /// A batch has taken that long.
    pub(crate) fn note(&self, took: Duration, messages: usize) {
        let each = took.as_nanos() as u64 / messages.max(1) as u64;
        // ORDERING: Relaxed, here and below: an estimate; a lost update does no harm.
        let before = self.0.load(Ordering::Relaxed);
        self.0.store((before * 7 + each) / 8, Ordering::Relaxed);
    }

    /// Whether a message takes longer than others should wait to be looked at.
    pub(crate) fn is_long(&self) -> bool {
        // A test has any of two things happen that time decides between.
        let longest = if interruption::choose(2) == 2 { LONG_NS } else { 0 };
        self.0.load(Ordering::Relaxed) > longest
    }

    /// How many messages the next batch should have, of an actor with so many executors.
    pub(crate) fn batch(&self, width: usize) -> usize {
        let (each, width) = (self.0.load(Ordering::Relaxed).max(1), width as u64);
        let lasting = BATCH_NS.max(BATCH_NS_EACH.saturating_mul(width));
        let most = MOST.max(MOST_EACH.saturating_mul(width));
        interruption::choose((lasting / each).clamp(1, most) as usize)
    }
}
