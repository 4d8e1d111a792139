//! The clock of epochs.
//!
//! A commit stamps what it writes with the epoch that it reads *after* it has locked its variables;
//! it does not advance the clock. The clock advances only when somebody has to tell before from
//! after: an attempt that meets a value of the running epoch written by someone else, a snapshot
//! that begins, and the collection of old values. So threads that work on different variables share
//! a cache line that nobody writes. (Silo, Tu et al., SOSP 2013, stamps by epochs; advancing on a
//! reader's demand is GV5 of TL2, Dice, Shalev, Shavit, DISC 2006.) `README.md` has the argument.
//!
//! A commit beside a running snapshot *takes* epochs instead, one for each value that it writes:
//! they never run, so they are in the words of these values and in no others (I10).

use crate::words::version_word::EPOCH_MAX;
use crossbeam_utils::CachePadded;
use odeon_sync::atomic::{AtomicU64, Ordering};

/// See the module.
#[derive(Debug)]
pub(crate) struct VersionClock(CachePadded<AtomicU64>);

impl VersionClock {
    /// A clock at the first epoch.
    pub(crate) fn new() -> Self {
        Self(CachePadded::new(AtomicU64::new(1)))
    }

    /// The running epoch.
    #[inline(always)]
    pub(crate) fn now(&self) -> u64 {
        // ORDERING: Acquire, from the AcqRel of `advance` and `pass`: who sees an epoch sees what
        // was done before it began (that a snapshot is registered). Order towards the locks of
        // variables comes from the fences at the callers.
        self.0.load(Ordering::Acquire)
    }

    /// The epoch in which a variable is made that nobody else has seen.
    #[inline(always)]
    pub(crate) fn at_birth(&self) -> u64 {
        // ORDERING: Relaxed: a word that is too old only has more kept than must be. It is never
        // too young: the commit that links the variable, and a snapshot that is begun by who knows
        // it, come to the clock after this load, and loads and changes of one word do not go back
        // behind each other (I7).
        self.0.load(Ordering::Relaxed)
    }

    /// Ends the running epoch; answers which one that was.
    pub(crate) fn advance(&self) -> u64 {
        // ORDERING: AcqRel: see `now`. All changes are read-modify-writes, so that an epoch seen
        // later still carries what was published with an earlier one.
        let ended = self.0.fetch_add(1, Ordering::AcqRel);
        assert!(ended < EPOCH_MAX, "the version clock of this process is exhausted");
        ended
    }

    /// Takes `count` epochs for the caller alone: they are over at once, and nobody else's words
    /// have them. Answers the first.
    pub(crate) fn take(&self, count: u64) -> u64 {
        // ORDERING: AcqRel: see `advance`. One step over all of them: nobody reads one of them as
        // the running epoch.
        let ended = self.0.fetch_add(count + 1, Ordering::AcqRel);
        assert!(ended < EPOCH_MAX - count, "the version clock of this process is exhausted");
        ended + 1
    }

    /// Sees to it that `epoch` is over, and answers the running epoch.
    pub(crate) fn pass(&self, epoch: u64) -> u64 {
        let now = self.now();
        if now > epoch {
            return now;
        }
        // ORDERING: AcqRel: see `advance`. `epoch` is one that has run: who has seen one that was
        // taken in a word sees the clock past it, above.
        let before = self.0.fetch_max(epoch + 1, Ordering::AcqRel);
        assert!(epoch < EPOCH_MAX, "the version clock of this process is exhausted");
        before.max(epoch + 1)
    }
}
