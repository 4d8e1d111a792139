//! How long messages take, so that batches are neither a burden nor a wait.

use odeon_sync::interruption;
use std::time::Duration;

/// A moving average, in ns.
#[derive(Debug)]
pub struct Pace(u64);

/// TUNE: what a batch should take, in ns: long against taking it, short against a turn. Twice as
/// much, and half, were slower (decision 038).
const BATCH_NS: u64 = 40_000;
/// TUNE: and for each executor, since they pass the board one after the other: 64 us with 16, where
/// 20 us were too little and 100 us better (decision 038); guessed in between.
const BATCH_NS_EACH: u64 = 4_000;
/// TUNE: from here on the actor's own turn leaves messages to runners, so that its inbox is looked
/// at: well above what handing over to a runner costs.
const LONG_NS: u64 = 50_000;
/// TUNE: the most messages of a batch, and for each executor.
const MOST: u64 = 32;
const MOST_EACH: u64 = 4;

/// TUNE: the most messages that a shard handles in one place: that it takes the board's lock twice
/// is then a fraction of a ns each. And for each executor, as above: in the simulation
/// (`tools/odeon-scale`) 64 executors of empty messages want four times as many as 8.
const MOST_OF_SHARD: u64 = 256;
const MOST_OF_SHARD_EACH: u64 = 32;

impl Default for Pace {
    fn default() -> Self {
        // Unknown, so thought long.
        Self(2 * LONG_NS)
    }
}

impl Pace {
    /// A batch has taken that long.
    pub fn note(&mut self, took: Duration, messages: usize) {
        let each = took.as_nanos() as u64 / messages.max(1) as u64;
        self.0 = (self.0 * 7 + each) / 8;
    }

    /// Whether a message takes longer than others should wait to be looked at.
    pub fn is_long(&self) -> bool {
        // A test has any of two things happen that time decides between.
        let longest = if interruption::choose(2) == 2 { LONG_NS } else { 0 };
        self.0 > longest
    }

    /// How many messages a shard should handle in one place, of an actor with so many executors.
    pub fn of_shard(&self, width: usize) -> usize {
        self.fitting(width, (MOST_OF_SHARD, MOST_OF_SHARD_EACH))
    }

    /// How many messages the next batch should have, of an actor with so many executors.
    pub(crate) fn batch(&self, width: usize) -> usize {
        self.fitting(width, (MOST, MOST_EACH))
    }

    /// As many as take as long as they should together; at most so many, and for each executor.
    fn fitting(&self, width: usize, (most, most_each): (u64, u64)) -> usize {
        let (each, width) = (self.0.max(1), width as u64);
        let lasting = BATCH_NS.max(BATCH_NS_EACH.saturating_mul(width));
        let most = most.max(most_each.saturating_mul(width));
        interruption::choose((lasting / each).clamp(1, most) as usize)
    }
}
