//! Numbers that are changed without being read: changes of different transactions do not conflict.

use crate::attempt::REPEATED_PARTS;
use crate::attempt::peek;
use crate::attempt::transaction::{Tx, View};
use crate::attempt::write_set::WriteKind;
use crate::domain::cell::Cell;
use crate::words::abort::Rollback;
use crossbeam_utils::CachePadded;
use odeon_sync::interruption;
use std::fmt;
use std::sync::OnceLock;
use std::thread::available_parallelism;

/// A sum to which transactions add, each for itself: an addition is kept as a difference and
/// applied at the commit, so two of them never roll each other back. Only who reads the sum
/// conflicts with who adds.
///
/// The sum stands in parts, two or more per processor, each in cache lines of its own (128 bytes):
/// a counter is for few hot numbers, not for one per account.
///
/// ```
/// use odeon_stm::{TCounter, atomically};
///
/// let visits = TCounter::new(10);
/// std::thread::scope(|scope| {
///     for _ in 0..2 {
///         scope.spawn(|| (0..1_000).for_each(|_| atomically(|tx| visits.add(tx, 1))));
///     }
/// });
/// assert_eq!(visits.peek(), 2_010);
/// ```
pub struct TCounter {
    parts: Box<[CachePadded<Cell>]>,
}

/// A power of two not below twice the number of processors. A thread adds to the part that its
/// slot's number, which is as low as it can be, says: threads have parts of their own unless more
/// of them than that hold a slot. Not one for each processor: a thread that has run a transaction
/// before, and runs none now, keeps its slot.
fn parts() -> usize {
    static PARTS: OnceLock<usize> = OnceLock::new();
    if interruption::test().is_some() {
        return REPEATED_PARTS;
    }
    *PARTS.get_or_init(|| {
        let processors = available_parallelism().map_or(1, usize::from);
        (2 * processors).next_power_of_two().min(64)
    })
}

fn add(left: u64, right: u64) -> u64 {
    left.wrapping_add(right)
}

impl TCounter {
    /// A counter at `value`.
    pub fn new(value: i64) -> Self {
        let part = |place| CachePadded::new(Cell::new(if place == 0 { value as u64 } else { 0 }));
        Self { parts: (0..parts()).map(part).collect() }
    }

    /// Adds `difference`, from the commit on; the sum wraps around at its ends.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[inline]
    #[track_caller]
    pub fn add<'t>(&'t self, tx: &mut Tx<'t>, difference: i64) -> Result<(), Rollback> {
        let attempt = tx.writer();
        let part = attempt.part & (self.parts.len() - 1);
        attempt.write(&self.parts[part], difference as u64, WriteKind::Change(add))
    }

    /// The sum, with what this attempt has added. A [relaxed](crate::Mode::Relaxed) attempt reads
    /// its parts one after the other: what is added meanwhile may be in it, and what was added
    /// before is.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn get<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<i64, Rollback> {
        let mut attempt = view.attempt();
        self.parts
            .iter()
            .try_fold(0_i64, |sum, part| Ok(sum.wrapping_add(attempt.read(part)? as i64)))
    }

    /// Its cells, which stay where they are.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Cell> {
        self.parts.iter().map(|part| &**part)
    }

    /// About the latest sum: the parts are read one after the other, outside of any transaction.
    pub fn peek(&self) -> i64 {
        self.parts.iter().fold(0_i64, |sum, part| sum.wrapping_add(peek::bits(part) as i64))
    }
}

impl Default for TCounter {
    fn default() -> Self {
        Self::new(0)
    }
}

impl fmt::Debug for TCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TCounter").finish_non_exhaustive()
    }
}
