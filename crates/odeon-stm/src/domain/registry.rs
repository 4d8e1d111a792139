//! Which snapshots run, and their begin and end.

use crate::domain::Domain;
use crate::domain::garbage::{Bag, Retired};
use crate::domain::kept::KeptValues;
use crate::domain::slot::Slot;
use crate::domain::stats::RunningSnapshot;
use crossbeam_utils::CachePadded;
use odeon_sync::atomic::{AtomicUsize, Ordering};
use odeon_sync::fence_after_rmw;

/// How many snapshots run: commits look at this only.
#[derive(Debug)]
pub(crate) struct Snapshots(CachePadded<AtomicUsize>);

impl Snapshots {
    pub(crate) fn new() -> Self {
        Self(CachePadded::new(AtomicUsize::new(0)))
    }

    /// Whether any snapshot runs; exact for a caller whose epoch is later than the snapshot's.
    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        // ORDERING: Relaxed: who has read a later epoch (Acquire, from the AcqRel with which the
        // snapshot ended its own) sees the count that was raised before.
        self.0.load(Ordering::Relaxed) > 0
    }
}

/// Begins a snapshot in `slot`, for which at most `limit` values are kept. Answers the epoch that
/// it sees.
pub(crate) fn begin(domain: &Domain, slot: &Slot, limit: usize) -> u64 {
    let kept = Box::into_raw(Box::new(KeptValues::new(domain.clock.now(), limit)));
    slot.set_kept(kept);
    // ORDERING: AcqRel: the fence behind it orders the registration before the reads of the
    // snapshot, against the collector's (I3). Commits see it through the clock (PROTOCOL 1).
    domain.snapshots.0.fetch_add(1, Ordering::AcqRel);
    fence_after_rmw();
    let epoch = domain.clock.advance();
    // I6: a commit whose locks the reads below miss reads its epoch after this.
    fence_after_rmw();
    // SAFETY: this snapshot's own, freed after its end.
    unsafe { &*kept }.settle(epoch);
    epoch
}

/// Ends the snapshot of `slot`; what was kept for it goes to `bag`, and is freed when no commit
/// looks at it any more.
pub(crate) fn end(domain: &Domain, slot: &Slot, bag: &mut Bag) {
    let kept = slot.kept().expect("a running snapshot is registered");
    slot.set_kept(std::ptr::null_mut());
    // ORDERING: AcqRel: not before the slot is empty.
    domain.snapshots.0.fetch_sub(1, Ordering::AcqRel);
    // I4: an attempt that has found the slot filled began in an epoch not after the one read below.
    fence_after_rmw();
    slot.counters.snapshot_ended();
    // SAFETY: this snapshot's own until it is retired below.
    let values = unsafe { kept.as_ref() }.len();
    if values > 0 {
        bag.make_due(values);
    }
    let (until, kept) = (domain.clock.now(), kept.as_ptr().expose_provenance() as u64);
    // SAFETY: made from a box at the begin, and out of reach of commits that begin later; earlier
    // ones hold on to their epoch (I4).
    bag.add(unsafe { Retired::new(until, until, kept, free) });
}

/// # Safety
///
/// `kept` comes from [`begin`] and nobody uses it any more.
unsafe fn free(kept: u64) {
    // SAFETY: the caller's.
    drop(unsafe {
        Box::from_raw(std::ptr::with_exposed_provenance_mut::<KeptValues>(kept as usize))
    });
}

/// The snapshots that run, the oldest first.
pub(crate) fn running(domain: &Domain) -> Vec<RunningSnapshot> {
    // A slot of our own, so that what we look at stays allocated.
    let Some(own) = domain.slots.take() else { return Vec::new() };
    own.begin(domain.clock.now());
    fence_after_rmw();
    // SAFETY: our slot was begun before (I4).
    let about = |slot: &Slot| slot.kept().map(|kept| unsafe { kept.as_ref() }.about());
    let mut running: Vec<_> = domain.slots.iter().filter_map(about).collect();
    own.end();
    domain.slots.give_back(own);
    running.sort_by_key(|snapshot| std::cmp::Reverse(snapshot.age));
    running
}
