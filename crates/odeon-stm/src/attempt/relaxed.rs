//! Reads of relaxed attempts, which are bounded: links that others change meanwhile could lead
//! round and round.

use super::Attempt;
use crate::attempt::peek;
use crate::attempt::snapshot;
use crate::attempt::snapshot::run::DEFAULT_LIMIT;
use crate::domain::cell::Cell;
use crate::words::abort::Rollback;

/// TUNE: reads of a relaxed attempt before it goes on as a snapshot. Guessed: so many take some
/// hundred microseconds, against which the begin of a snapshot is nothing; and few attempts get
/// there. `Mode::Relaxed` names it.
pub(super) const RELAXED_READS: u32 = if cfg!(odeon_loom) { 3 } else { 1 << 16 };

impl Attempt {
    /// Notes a read; `None` if there are none left.
    #[inline(always)]
    pub(super) fn count_relaxed_read(&mut self) -> Option<()> {
        self.relaxed_reads_left = self.relaxed_reads_left.checked_sub(1)?;
        Some(())
    }

    /// A read that finds a holder, or is one too many.
    #[cold]
    pub(super) fn read_latest(&mut self, cell: &Cell) -> Result<u64, Rollback> {
        if self.count_relaxed_read().is_none() {
            // I9: what was read so far stays held by the slot, and what is read from here on is
            // kept for the snapshot.
            snapshot::begin(self, DEFAULT_LIMIT);
            return snapshot::read(self, cell);
        }
        Ok(peek::bits(cell))
    }
}
