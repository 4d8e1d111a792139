//! What each step takes, in ns.

use serde::Serialize;

/// All steps. Those of a message, if nothing else is said.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Costs {
    /// The sender's.
    pub send: f64,
    /// Its shard's beside the handler, from the inbox to the end of its transaction.
    pub attempt: f64,
    /// The same of the actor's own turn, if one message at a time is handled.
    pub direct: f64,
    /// Each way through the board's lock, under it.
    pub pass: f64,
    /// A cache line that another core has written.
    pub line: f64,
    /// Until a worker that sleeps runs.
    pub wake: f64,
    /// What that takes who wakes it.
    pub waken: f64,
}

impl Costs {
    /// Those that are part of the way from these to others.
    pub(crate) fn towards(&self, other: &Self, part: f64) -> Self {
        let between = |of: fn(&Self) -> f64| of(self) + part * (of(other) - of(self));
        Self {
            send: between(|costs| costs.send),
            attempt: between(|costs| costs.attempt),
            direct: between(|costs| costs.direct),
            pass: between(|costs| costs.pass),
            line: between(|costs| costs.line),
            wake: between(|costs| costs.wake),
            waken: between(|costs| costs.waken),
        }
    }
}

/// TUNE: lines that the lock of the board hands from core to core with each way through it. Guessed
/// 2026-11, as two cores tell only the product with a line's price: the lock with the pace, the
/// counts of the board and of the shards, the shard's own state, and the copies of what the board
/// says.
pub(super) const LINES_OF_PASS: f64 = 8.0;
/// TUNE: lines of a message that its sender has written. Guessed 2026-11, from its size.
pub(super) const LINES_OF_MESSAGE: f64 = 1.0;
/// TUNE: lines that a shard has to fetch in the first turn on another core: its cell, its inbox,
/// what it works with, and half of the 64 accounts of its sender. Guessed 2026-11, as
/// [`LINES_OF_PASS`].
pub(super) const LINES_OF_SHARD: f64 = 40.0;
