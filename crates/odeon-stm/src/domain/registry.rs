//! Which snapshots run, and their begin and end.

use crate::domain::Domain;
use crate::domain::garbage::{Bag, OwnedType, Retired};
use crate::domain::near::Near;
use crate::domain::slot::Slot;
use crate::domain::stats::RunningSnapshot;
use crossbeam_utils::CachePadded;
use odeon_sync::atomic::{AtomicUsize, Ordering};
use odeon_sync::fence_after_rmw;
use std::any::TypeId;
use std::ptr::NonNull;

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
    slot.kept.begin(domain.clock.now(), limit, domain.age_ns());
    // ORDERING: AcqRel: the fence behind it orders the registration before the reads of the
    // snapshot, against the collector's (I3). Commits see it through the clock (PROTOCOL 1).
    domain.snapshots.0.fetch_add(1, Ordering::AcqRel);
    fence_after_rmw();
    let epoch = domain.clock.advance();
    // I6: a commit whose locks the reads below miss reads its epoch after this.
    fence_after_rmw();
    slot.kept.settle(epoch);
    epoch
}

/// Ends the snapshot of `slot`; the memory of what was kept for it goes to `bag`, and back when no
/// commit looks at it any more.
pub(crate) fn end(domain: &Domain, slot: &Slot, bag: &mut Bag) {
    let near = slot.kept.end();
    // ORDERING: AcqRel: not before the slot is empty.
    domain.snapshots.0.fetch_sub(1, Ordering::AcqRel);
    // I4: an attempt that has found the memory began in an epoch not after the one read below.
    fence_after_rmw();
    slot.counters.snapshot_ended();
    if let Some(near) = near {
        retire(domain, near, bag);
    }
}

fn retire(domain: &Domain, near: NonNull<Near>, bag: &mut Bag) {
    // SAFETY: it is retired below.
    bag.make_due(unsafe { near.as_ref() }.claimed());
    let (until, near) = (domain.clock.now(), near.as_ptr().expose_provenance() as u64);
    // SAFETY: taken from where commits that begin later would find it; earlier ones hold on to
    // their epoch (I4).
    bag.add(unsafe { Retired::new(until, until, near, &NEAR) });
}

static NEAR: OwnedType = OwnedType { free: give_back, id: TypeId::of::<Near> };

/// # Safety
///
/// `near` comes from [`retire`] and nobody uses it any more.
unsafe fn give_back(near: u64) {
    // SAFETY: the caller's; it was made from a box.
    unsafe { Box::from_raw(std::ptr::with_exposed_provenance_mut::<Near>(near as usize)) }
        .give_back();
}

/// The snapshots that run, the oldest first.
pub(crate) fn running(domain: &Domain) -> Vec<RunningSnapshot> {
    // A slot of our own, so that what we look at stays allocated.
    let Some(own) = domain.slots.take() else { return Vec::new() };
    own.begin(domain.clock.now());
    fence_after_rmw();
    let now_ns = domain.age_ns();
    let about = |slot: &'static Slot| {
        slot.kept.needs()?;
        // SAFETY: our slot was begun before (I4).
        Some(unsafe { slot.kept.in_reach() }.about(now_ns))
    };
    let mut running: Vec<_> = domain.slots.iter().filter_map(about).collect();
    own.end();
    domain.slots.give_back(own);
    running.sort_by_key(|snapshot| std::cmp::Reverse(snapshot.age));
    running
}
