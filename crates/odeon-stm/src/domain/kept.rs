//! Old values that one snapshot may still need: a few at hand (`near.rs`), the others behind them
//! (`far.rs`).
//!
//! A commit that overwrites a value on which a running snapshot may look puts it here first; the
//! snapshot looks here when it meets a value that is too new. Nothing is ever removed, so neither
//! side waits for the other. A variable may end or move, and another one come to its address: each
//! value has the epoch of the one that the variable has now beside it, which no other variable has
//! (I10). What is kept ends with the snapshot; there are no chains of versions in the variables.
//!
//! PROTOCOL
//! 1. Each slot has such a place, for the snapshots that run in it one after the other. What is
//!    kept stands in memory that a commit brings. The end of a snapshot takes that memory away; it
//!    is lent again when nobody uses it for that snapshot any more (I4).
//! 2. A commit that has found one snapshot may come to keep something when that is over. Then it is
//!    kept for the next one of the slot, and counts against its limit. That one finds what it has
//!    to and nothing else (I6): either this is a commit that has to keep something for it, or
//!    nobody looks for the epoch beside what is kept here.

use crate::domain::near::{Near, Value};
use crate::domain::slot::Slot;
use crate::domain::stats::RunningSnapshot;
use odeon_sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::ptr::{self, NonNull};
use std::time::Duration;

/// The old values of the snapshot that runs in a slot.
#[derive(Debug)]
pub(crate) struct KeptValues {
    /// Twice the epoch of the snapshot, or twice a lower bound of it plus one while it is not
    /// known; `NO_SNAPSHOT` while none runs.
    needs: AtomicU64,
    /// Brought by the first commit that keeps something.
    near: AtomicPtr<Near>,
    limit: AtomicUsize,
    /// When the snapshot began, for statistics.
    begun_ns: AtomicU64,
}

/// What a commit overwrites, and the epoch of the value that it puts there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Overwritten {
    pub(crate) value: Value,
    pub(crate) now: u64,
}

/// What is known of a snapshot's epoch: as in [`KeptValues::needs`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Needs(u64);

impl Needs {
    /// Whether the snapshot may look at a value that was there from epoch `from` until `until`.
    pub(crate) fn value(self, from: u64, until: u64) -> bool {
        let unsettled = self.0 & UNSETTLED != 0;
        until > self.0 >> 1 && (unsettled || from <= self.0 >> 1)
    }

    /// Whether something that is kept may be of a variable which has a value of epoch `now`.
    pub(crate) fn may_have_kept_before(self, now: u64) -> bool {
        now > self.0 >> 1
    }
}

const UNSETTLED: u64 = 1;

/// Epochs begin at 1.
const NO_SNAPSHOT: u64 = 0;

impl KeptValues {
    pub(crate) fn new() -> Self {
        Self {
            needs: AtomicU64::new(NO_SNAPSHOT),
            near: AtomicPtr::new(ptr::null_mut()),
            limit: AtomicUsize::new(0),
            begun_ns: AtomicU64::new(0),
        }
    }

    /// Holder of the slot: a snapshot begins that will get an epoch not below `lower_bound`; after
    /// `limit` values it expires.
    pub(crate) fn begin(&self, lower_bound: u64, limit: usize, begun_ns: u64) {
        // ORDERING: Relaxed: a commit that has seen `needs` below sees it. One that has found an
        // earlier snapshot may take the one for the other: PROTOCOL 2, it is needed by neither.
        self.limit.store(limit, Ordering::Relaxed);
        // ORDERING: Relaxed: for statistics.
        self.begun_ns.store(begun_ns, Ordering::Relaxed);
        // ORDERING: Release: who sees that a later snapshot is there frees what the ones before
        // have read. Commits see it through the clock.
        self.needs.store(lower_bound << 1 | UNSETTLED, Ordering::Release);
    }

    /// Holder: the snapshot has got its epoch.
    pub(crate) fn settle(&self, epoch: u64) {
        // ORDERING: Release, as in `begin`. A commit that reads the old content keeps more than it
        // must.
        self.needs.store(epoch << 1, Ordering::Release);
    }

    /// Holder: the snapshot is over. Answers the memory in which something is kept for it. The
    /// caller puts a full fence behind this, and gives the memory back when no commit that began
    /// before uses it (I4).
    pub(crate) fn end(&self) -> Option<NonNull<Near>> {
        // ORDERING: Release, to the Acquire in `needs`: what the snapshot has read may be freed.
        self.needs.store(NO_SNAPSHOT, Ordering::Release);
        // ORDERING: Acquire, from the AcqRel in `bring_near`.
        let near = NonNull::new(self.near.load(Ordering::Acquire))?;
        // ORDERING: Relaxed: it publishes nothing. Nobody else changes what is not null.
        self.near.store(ptr::null_mut(), Ordering::Relaxed);
        Some(near)
    }

    /// What is known of the epoch of the snapshot, if one runs.
    pub(crate) fn needs(&self) -> Option<Needs> {
        // ORDERING: Acquire, from `begin`, `settle` and `end`.
        match self.needs.load(Ordering::Acquire) {
            NO_SNAPSHOT => None,
            needs => Some(Needs(needs)),
        }
    }

    /// What is kept here.
    ///
    /// # Safety
    ///
    /// While it is used the caller's attempt runs, which has entered its slot before (I4); or the
    /// snapshot for which it is kept, which is the caller's.
    pub(crate) unsafe fn in_reach(&self) -> KeptInReach<'_> {
        KeptInReach(self)
    }
}

/// What is kept in a slot, for who may use it: that stays allocated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeptInReach<'a>(&'a KeptValues);

impl<'a> KeptInReach<'a> {
    fn near(self) -> Option<&'a Near> {
        // ORDERING: Acquire, from the AcqRel in `bring_near`.
        // SAFETY: null, or memory that stays allocated while `self` is used.
        unsafe { self.0.near.load(Ordering::Acquire).as_ref() }
    }

    fn limit(self) -> usize {
        // ORDERING: Relaxed: see `KeptValues::begin`.
        self.0.limit.load(Ordering::Relaxed)
    }

    /// The memory for the first values: if nobody has brought any yet, that of `slot`, which the
    /// caller holds.
    fn near_or_from(self, slot: &'static Slot) -> &'a Near {
        self.near().unwrap_or_else(|| self.bring_near(slot))
    }

    #[cold]
    fn bring_near(self, slot: &'static Slot) -> &'a Near {
        let brought = Box::into_raw(Near::of(slot));
        // ORDERING: AcqRel: publishes the empty memory to the Acquire loads; Acquire: somebody
        // else's.
        let there = self.0.near.compare_exchange(
            ptr::null_mut(),
            brought,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        let there = there.map_or_else(
            |there| {
                // SAFETY: made from a box above, and nobody has seen it.
                unsafe { Box::from_raw(brought) }.give_back();
                there
            },
            |_| brought,
        );
        // SAFETY: as in `near`.
        unsafe { &*there }
    }

    /// Whether the limit was passed, so that values are missing here. Who has found a word that was
    /// published behind one that is missing sees that: refused values have counted too.
    pub(crate) fn is_expired(self) -> bool {
        self.near().is_some_and(|near| near.claimed() > self.limit())
    }

    /// A commit, before it overwrites: keeps values for the snapshot. `slot`: the commit's.
    #[inline]
    pub(crate) fn keep(
        self,
        slot: &'static Slot,
        values: impl Iterator<Item = Overwritten> + Clone,
    ) {
        let count = values.clone().count();
        if count == 0 || self.is_expired() {
            return;
        }
        let near = self.near_or_from(slot);
        let limit = self.limit();
        for (number, value) in (near.claim(count)..limit).zip(values) {
            near.put(number, value);
        }
    }

    /// A commit, before it overwrites: the variable at `address` whose value is of epoch `before`
    /// gets one of epoch `now`. Whatever is kept of it says so; what is kept of another one is not
    /// of epoch `before`.
    pub(crate) fn follow(self, address: usize, before: u64, now: u64) {
        if let Some(near) = self.near() {
            near.follow(address, before, now);
        }
    }

    /// The value in `epoch` of the variable at `address` whose present one's epoch `is_of` knows.
    /// Of several that are kept of one variable, because the snapshot's epoch was not known, the
    /// latest one that is not too young.
    pub(crate) fn find(
        self,
        address: usize,
        epoch: u64,
        is_of: impl Fn(u64) -> bool,
    ) -> Option<u64> {
        self.near()?.find(address, epoch, is_of)
    }

    /// Whether memory was brought.
    #[cfg(all(test, odeon_loom))]
    pub(crate) fn has_memory(self) -> bool {
        self.near().is_some()
    }

    /// For statistics, `now_ns` after the domain was made.
    pub(crate) fn about(self, now_ns: u64) -> RunningSnapshot {
        let claimed = self.near().map_or(0, Near::claimed);
        // ORDERING: Relaxed: for statistics.
        let begun_ns = self.0.begun_ns.load(Ordering::Relaxed);
        RunningSnapshot {
            age: Duration::from_nanos(now_ns.saturating_sub(begun_ns)),
            kept_values: claimed.min(self.limit()),
            is_expired: self.is_expired(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Domain;
    use std::ops::Range;
    use std::sync::OnceLock;

    /// For a snapshot with this lower bound of its epoch, and this limit; for ever.
    fn begun(lower_bound: u64, limit: usize) -> KeptInReach<'static> {
        let slot = Domain::new().slots.take().expect("none is taken");
        slot.kept.begin(lower_bound, limit, 0);
        // SAFETY: this snapshot never ends.
        unsafe { slot.kept.in_reach() }
    }

    fn needs(kept: KeptInReach<'_>) -> Needs {
        kept.0.needs().expect("it never ends")
    }

    /// A commit of a slot of its own keeps a value that was there for so long.
    fn keep(kept: KeptInReach<'_>, address: usize, there: Range<u64>, bits: u64) {
        static SLOT: OnceLock<&Slot> = OnceLock::new();
        let slot = SLOT.get_or_init(|| Domain::new().slots.take().expect("none is taken"));
        let value = Value { address, from: there.start, bits };
        kept.keep(slot, std::iter::once(Overwritten { value, now: there.end }));
    }

    fn find(kept: KeptInReach<'_>, address: usize, epoch: u64, now: u64) -> Option<u64> {
        kept.find(address, epoch, |there| there == now)
    }

    #[test]
    fn every_kept_value_is_found_for_its_variable_and_no_other() {
        let kept = begun(5, usize::MAX);
        for variable in 1..5_000_usize {
            keep(kept, variable * 16, 1..9, variable as u64);
            kept.follow(variable * 16, 9, 12);
            keep(kept, variable * 16, 9..12, variable as u64 + 1);
        }
        for variable in 1..5_000_usize {
            assert_eq!(find(kept, variable * 16, 7, 12), Some(variable as u64));
            assert_eq!(find(kept, variable * 16, 9, 12), Some(variable as u64 + 1));
            assert_eq!(find(kept, variable * 16, 0, 12), None);
            assert_eq!(find(kept, variable * 16, 7, 9), None);
            assert_eq!(find(kept, variable * 16 + 8, 7, 12), None);
        }
        assert_eq!(kept.about(0).kept_values, 9_998);
    }

    #[test]
    fn a_variable_is_followed_however_often_it_is_written_and_another_one_at_its_address_is_not() {
        let kept = begun(5, usize::MAX);
        kept.0.settle(7);
        for address in 1..=200 {
            keep(kept, address * 16, 1..8, address as u64);
        }
        for address in [1, 150] {
            (8..20).for_each(|now| kept.follow(address * 16, now, now + 1));
            // Of one that was moved there.
            kept.follow(address * 16, 30, 31);
            assert_eq!(find(kept, address * 16, 7, 20), Some(address as u64));
            assert_eq!(
                (find(kept, address * 16, 7, 8), find(kept, address * 16, 7, 31)),
                (None, None)
            );
            assert_eq!(find(kept, address * 16 + 16, 7, 8), Some(address as u64 + 1));
        }
    }

    #[test]
    fn it_needs_what_was_there_in_its_epoch_and_anything_younger_until_that_is_known() {
        let kept = begun(5, usize::MAX);
        assert!(needs(kept).value(6, 7) && needs(kept).value(1, 6) && !needs(kept).value(1, 5));
        kept.0.settle(7);
        assert!(needs(kept).value(7, 8) && needs(kept).value(1, 8));
        assert!(!needs(kept).value(8, 9) && !needs(kept).value(1, 7));
    }

    #[test]
    fn it_expires_at_its_limit_and_keeps_no_more() {
        let kept = begun(1, 2);
        for variable in 1..=5 {
            keep(kept, variable * 16, 1..9, 0);
        }
        assert!(kept.is_expired());
        assert_eq!(find(kept, 16, 1, 9), Some(0));
        assert_eq!(find(kept, 48, 1, 9), None);
    }

    #[test]
    fn two_threads_keep_at_once_and_nothing_is_missing() {
        let kept = begun(1, usize::MAX);
        std::thread::scope(|scope| {
            for half in 0..2 {
                scope.spawn(move || {
                    for variable in 1..=10_000 {
                        keep(kept, (2 * variable + half) * 16, 1..9, half as u64);
                    }
                });
            }
        });
        for variable in 2..=20_001 {
            assert_eq!(find(kept, variable * 16, 3, 9), Some(variable as u64 % 2));
        }
    }
}
