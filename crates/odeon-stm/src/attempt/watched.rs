//! Points at which a test may interrupt an attempt (`odeon_sync::interruption`).
//!
//! The filter of a watched attempt's write set says of every variable that it may be in there. So
//! each read takes the slow way, at whose end there is a point; attempts that are not watched pay
//! nothing for it. Writes need none: nobody sees them before the commit, and the point behind a
//! read is one before what is done with it.

use super::Attempt;
use odeon_sync::interruption;

/// Parts of counters, where what is done is to be the same on any machine.
pub(crate) const PARTS: usize = 4;

impl Attempt {
    /// Has points in all attempts with this memory. None is under way.
    pub(crate) fn watch(&mut self) {
        self.writes.watch();
        // Which slot it is depends on all others in this process.
        self.part = interruption::choose(PARTS) - 1;
        self.end_epoch_if_watched();
    }

    /// The attempt has read, or is about to begin anew.
    #[cold]
    pub(crate) fn point(&mut self) {
        if self.writes.is_watched() {
            interruption::point();
            self.end_epoch_if_watched();
        }
    }

    /// WHY: whether a value counts as younger than an attempt depends on when the running epoch has
    /// ended, and anybody in this process may end it. A watched attempt ends it itself wherever it
    /// takes its epoch for a measure, so that what it comes to follows from the order of its own
    /// steps and of other attempts' commits alone.
    pub(crate) fn end_epoch_if_watched(&self) {
        if self.writes.is_watched() {
            self.domain.clock.pass(self.domain.clock.now());
        }
    }
}
