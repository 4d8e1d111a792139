//! A lock that threads get in the order in which they ask.

use super::costs::{Costs, LINES_OF_PASS};
use super::world::{Picoseconds, picoseconds};

/// TUNE: a wait longer than this is slept through, not spun. Guessed 2026-11: `std`'s locks spin a
/// hundred times.
const SPINS_FOR: Picoseconds = 2_000_000;

#[derive(Debug, Default)]
pub(super) struct SimulatedLock {
    free_at: Picoseconds,
    last: Option<usize>,
    /// For how long it was held, by all.
    pub(super) held: Picoseconds,
    pub(super) waited: Picoseconds,
    pub(super) passes: u64,
}

impl SimulatedLock {
    /// A core asks for it at `now`, to hold it for so long; answers when that core goes on, which
    /// is later than the lock is given back if the core has slept.
    pub(super) fn pass(
        &mut self,
        now: Picoseconds,
        core: usize,
        hold: f64,
        costs: &Costs,
    ) -> Picoseconds {
        let is_elsewhere = self.last.replace(core).is_some_and(|last| last != core);
        let lines = if is_elsewhere { LINES_OF_PASS * costs.line } else { 0.0 };
        let hold = picoseconds(hold + lines);
        let begun = now.max(self.free_at);
        let waits = begun - now;
        self.free_at = begun + hold;
        self.held += hold;
        self.waited += waits;
        self.passes += 1;
        // Who sleeps is late itself; the lock is not, which others take meanwhile.
        let late = if waits > SPINS_FOR { picoseconds(costs.wake) } else { 0 };
        self.free_at + late
    }
}
