//! Old values that one snapshot may still need: a few at hand (`near.rs`), then a trie that only
//! grows, and dies as a whole.
//!
//! A commit that overwrites a value on which a running snapshot may look puts it here first; the
//! snapshot looks here when it meets a value that is too new. Nothing is ever removed, so neither
//! side waits for the other: a commit adds with one read-modify-write, and the snapshot only reads.
//! What commits write for each value is on no cache line that the snapshot looks at for others. A
//! variable may end or move, and another one come to its address: each value has the epoch of the
//! one that the variable has now beside it, which no other variable has (I10). What is kept ends
//! with the snapshot; there are no chains of versions in the variables.

use crate::domain::near::{NEAR, Near, Value};
use crate::domain::slot::Slot;
use crate::domain::stats::RunningSnapshot;
use odeon_sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::ptr;
use std::time::Instant;

/// The old values of one snapshot.
#[derive(Debug)]
pub(crate) struct KeptValues {
    /// Twice the epoch of the snapshot, or twice a lower bound of it plus one while it is not
    /// known.
    epoch: AtomicU64,
    /// Brought by the first commit that keeps something.
    near: AtomicPtr<Near>,
    limit: usize,
    expired: AtomicBool,
    /// What there is no room for in `near`.
    root: KeptNode,
    begun: Instant,
}

/// What a commit overwrites, and the epoch of the value that it puts there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Overwritten {
    pub(crate) value: Value,
    pub(crate) now: u64,
}

/// What is known of a snapshot's epoch: as in [`KeptValues::epoch`].
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

const FAN_OUT: usize = 16;
const BITS_PER_LEVEL: u32 = 4;
const UNSETTLED: u64 = 1;

/// Each place is null, a leaf, or, with the lowest bit set, a further node.
#[derive(Debug)]
struct KeptNode {
    places: [AtomicPtr<Leaf>; FAN_OUT],
}

/// One old value. Aligned so that the lowest bit of its address is free.
#[derive(Debug)]
#[repr(align(8))]
struct Leaf {
    address: usize,
    /// The value was there from this epoch on ...
    from: u64,
    /// ... and the one of this epoch is there now.
    now: AtomicU64,
    bits: u64,
    /// Another value of the same variable.
    next: *mut Leaf,
}

/// What a place holds.
enum NodePlace<'a> {
    Empty,
    Leaf(&'a Leaf),
    Node(&'a KeptNode),
}

impl KeptValues {
    /// For a snapshot that will get an epoch not below `lower_bound`; after `limit` values it
    /// expires.
    pub(crate) fn new(lower_bound: u64, limit: usize) -> Self {
        Self {
            epoch: AtomicU64::new(lower_bound << 1 | UNSETTLED),
            near: AtomicPtr::new(ptr::null_mut()),
            limit,
            expired: AtomicBool::new(false),
            root: KeptNode::empty(),
            begun: Instant::now(),
        }
    }

    /// The snapshot has got its epoch.
    pub(crate) fn settle(&self, epoch: u64) {
        // ORDERING: Relaxed: a commit that reads the old content keeps more than it must.
        self.epoch.store(epoch << 1, Ordering::Relaxed);
    }

    /// What is known of the snapshot's epoch.
    pub(crate) fn needs(&self) -> Needs {
        // ORDERING: Relaxed: see `settle`.
        Needs(self.epoch.load(Ordering::Relaxed))
    }

    /// Whether the limit was reached, so that values are missing here.
    pub(crate) fn is_expired(&self) -> bool {
        // ORDERING: Acquire, from `keep`.
        self.expired.load(Ordering::Acquire)
    }

    /// How many values were kept.
    pub(crate) fn len(&self) -> usize {
        // Refused values have counted too.
        self.near().map_or(0, Near::claimed).min(self.limit)
    }

    /// For statistics.
    pub(crate) fn about(&self) -> RunningSnapshot {
        RunningSnapshot {
            age: self.begun.elapsed(),
            kept_values: self.len(),
            is_expired: self.is_expired(),
        }
    }

    fn near(&self) -> Option<&Near> {
        // ORDERING: Acquire, from the AcqRel in `near_or_from`.
        // SAFETY: null, or memory that is given back when `self` is dropped.
        unsafe { self.near.load(Ordering::Acquire).as_ref() }
    }

    /// The memory for the first values: if nobody has brought any yet, that of `slot`, which the
    /// caller holds.
    fn near_or_from(&self, slot: &'static Slot) -> &Near {
        self.near().unwrap_or_else(|| self.bring_near(slot))
    }

    #[cold]
    fn bring_near(&self, slot: &'static Slot) -> &Near {
        let brought = Box::into_raw(Near::of(slot));
        // ORDERING: AcqRel: publishes the empty memory to the Acquire in `near`; Acquire: somebody
        // else's.
        let there = self.near.compare_exchange(
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

    /// A commit, before it overwrites: keeps values for the snapshot. `slot`: the commit's.
    #[inline]
    pub(crate) fn keep(
        &self,
        slot: &'static Slot,
        values: impl Iterator<Item = Overwritten> + Clone,
    ) {
        let count = values.clone().count();
        if count == 0 || self.is_expired() {
            return;
        }
        let near = self.near_or_from(slot);
        for (number, value) in (near.claim(count)..).zip(values) {
            if number >= self.limit {
                // ORDERING: Release, to `is_expired`. The overwriting word is published after this,
                // so a snapshot that misses the value sees why.
                self.expired.store(true, Ordering::Release);
                return;
            }
            if !near.put(number, value) {
                self.insert(value);
            }
        }
    }

    #[cold]
    fn insert(&self, Overwritten { value, now }: Overwritten) {
        let (address, from, bits) = (value.address, value.from, value.bits);
        let (now, next) = (AtomicU64::new(now), ptr::null_mut());
        self.root.insert(Box::into_raw(Box::new(Leaf { address, from, now, bits, next })));
    }

    /// A commit, before it overwrites: the variable at `address` whose value is of epoch `before`
    /// gets one of epoch `now`. Whatever is kept of it says so; what is kept of another one is not
    /// of epoch `before`.
    pub(crate) fn follow(&self, address: usize, before: u64, now: u64) {
        let Some(near) = self.near() else { return };
        near.follow(address, before, now);
        for leaf in self.far(near, address) {
            // ORDERING: as in `Near::follow`.
            if leaf.now.load(Ordering::Relaxed) == before {
                leaf.now.store(now, Ordering::Release);
            }
        }
    }

    /// The value in `epoch` of the variable at `address` whose present one's epoch `is_of` knows.
    /// Of several that are kept of one variable, because the snapshot's epoch was not known, the
    /// latest one that is not too young.
    pub(crate) fn find(
        &self,
        address: usize,
        epoch: u64,
        is_of: impl Fn(u64) -> bool,
    ) -> Option<u64> {
        let near = self.near()?;
        let far = self.far(near, address).find(|leaf| {
            // ORDERING: Acquire: as in `Near::find`.
            leaf.from <= epoch && is_of(leaf.now.load(Ordering::Acquire))
        });
        far.map(|leaf| leaf.bits).or_else(|| near.find(address, epoch, is_of))
    }

    /// What is kept of variables at `address` and has no room in `near`, the latest first.
    fn far(&self, near: &Near, address: usize) -> impl Iterator<Item = &Leaf> {
        (near.claimed() > NEAR).then(|| self.root.leaves(address)).into_iter().flatten()
    }
}

/// Spreads addresses; multiplication by an odd number keeps different ones different.
pub(crate) fn spread(address: usize) -> u64 {
    (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn place_of(spread: u64, level: u32) -> usize {
    (spread >> (64 - BITS_PER_LEVEL * (level + 1))) as usize % FAN_OUT
}

impl KeptNode {
    fn empty() -> Self {
        Self { places: std::array::from_fn(|_| AtomicPtr::new(ptr::null_mut())) }
    }

    fn read(place: *mut Leaf) -> NodePlace<'static> {
        if place.is_null() {
            NodePlace::Empty
        } else if place.addr() & 1 == 0 {
            // SAFETY: an even address is a leaf that `insert` has published; nothing is freed while
            // the trie lives, and the callers do not let the reference outlive the trie.
            NodePlace::Leaf(unsafe { &*place })
        } else {
            // SAFETY: an odd address is a node with the lowest bit set; otherwise as above.
            NodePlace::Node(unsafe { &*place.map_addr(|address| address & !1).cast::<KeptNode>() })
        }
    }

    /// The values of all variables that were at `address`, the latest first.
    fn leaves(&self, address: usize) -> impl Iterator<Item = &Leaf> {
        // SAFETY: `next` is null or a leaf of this trie, which frees none while it lives.
        std::iter::successors(self.leaf(address), |leaf| unsafe { leaf.next.as_ref() })
    }

    fn leaf(&self, address: usize) -> Option<&Leaf> {
        let spread = spread(address);
        let (mut node, mut level) = (self, 0);
        loop {
            // ORDERING: Acquire, from the AcqRel in `insert`.
            match Self::read(node.places[place_of(spread, level)].load(Ordering::Acquire)) {
                NodePlace::Empty => return None,
                NodePlace::Leaf(leaf) => return (leaf.address == address).then_some(leaf),
                NodePlace::Node(below) => (node, level) = (below, level + 1),
            }
        }
    }

    /// Takes `leaf` over.
    fn insert(&self, leaf: *mut Leaf) {
        // SAFETY: the leaf is the caller's until a compare-and-swap below publishes it.
        let address = unsafe { (*leaf).address };
        let spread_address = spread(address);
        let (mut node, mut level) = (self, 0);
        loop {
            let place = &node.places[place_of(spread_address, level)];
            // ORDERING: Acquire, from the AcqRel below.
            let found = place.load(Ordering::Acquire);
            match Self::read(found) {
                NodePlace::Node(below) => (node, level) = (below, level + 1),
                NodePlace::Leaf(other) if other.address != address => {
                    let between = Self::empty();
                    // ORDERING: Relaxed: published with the node, below.
                    between.places[place_of(spread(other.address), level + 1)]
                        .store(found, Ordering::Relaxed);
                    let between = Box::into_raw(Box::new(between));
                    let tagged = between.cast::<Leaf>().map_addr(|address| address | 1);
                    // ORDERING: AcqRel: publishes the node to the Acquire loads.
                    if place
                        .compare_exchange(found, tagged, Ordering::AcqRel, Ordering::Relaxed)
                        .is_err()
                    {
                        // SAFETY: nobody but us has seen the node; it owns nothing.
                        drop(unsafe { Box::from_raw(between) });
                    }
                }
                NodePlace::Empty | NodePlace::Leaf(_) => {
                    // SAFETY: as above, the leaf is still ours.
                    unsafe { (*leaf).next = found };
                    // ORDERING: AcqRel: publishes the leaf to the Acquire loads.
                    if place
                        .compare_exchange(found, leaf, Ordering::AcqRel, Ordering::Relaxed)
                        .is_ok()
                    {
                        return;
                    }
                }
            }
        }
    }
}

impl Drop for KeptValues {
    fn drop(&mut self) {
        // ORDERING: Relaxed: `&mut` is exclusive.
        let near = self.near.load(Ordering::Relaxed);
        if !near.is_null() {
            // SAFETY: from a box, in `bring_near`, and nobody looks at what is kept here any more.
            let near = unsafe { Box::from_raw(near) };
            if near.claimed() > NEAR {
                free(&mut self.root);
            }
            near.give_back();
        }
    }
}

/// Frees what hangs on `node`; the depth is at most 16.
fn free(node: &mut KeptNode) {
    for place in &mut node.places {
        // ORDERING: Relaxed: `&mut` is exclusive.
        let found = place.load(Ordering::Relaxed);
        if found.is_null() {
            continue;
        }
        if found.addr() & 1 == 1 {
            // SAFETY: an odd address is a node made by `insert` from a box, freed here only.
            let mut below =
                unsafe { Box::from_raw(found.map_addr(|address| address & !1).cast::<KeptNode>()) };
            free(&mut below);
            continue;
        }
        let mut leaf = found;
        while !leaf.is_null() {
            // SAFETY: leaves come from boxes and each is in one chain, freed here only.
            leaf = unsafe { Box::from_raw(leaf) }.next;
        }
    }
}

// SAFETY: leaves hold plain bits; what changes of them once they are published, and places, change
// atomically.
unsafe impl Send for KeptValues {}
// SAFETY: as above.
unsafe impl Sync for KeptValues {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Domain;
    use std::ops::Range;
    use std::sync::OnceLock;

    /// A commit of a slot of its own keeps a value that was there for so long.
    fn keep(kept: &KeptValues, address: usize, there: Range<u64>, bits: u64) {
        static SLOT: OnceLock<&Slot> = OnceLock::new();
        let slot = SLOT.get_or_init(|| Domain::new().slots.take().expect("none is taken"));
        let value = Value { address, from: there.start, bits };
        kept.keep(slot, std::iter::once(Overwritten { value, now: there.end }));
    }

    fn find(kept: &KeptValues, address: usize, epoch: u64, now: u64) -> Option<u64> {
        kept.find(address, epoch, |there| there == now)
    }

    #[test]
    fn every_kept_value_is_found_for_its_variable_and_no_other() {
        let kept = KeptValues::new(5, usize::MAX);
        for variable in 1..5_000_usize {
            keep(&kept, variable * 16, 1..9, variable as u64);
            kept.follow(variable * 16, 9, 12);
            keep(&kept, variable * 16, 9..12, variable as u64 + 1);
        }
        for variable in 1..5_000_usize {
            assert_eq!(find(&kept, variable * 16, 7, 12), Some(variable as u64));
            assert_eq!(find(&kept, variable * 16, 9, 12), Some(variable as u64 + 1));
            assert_eq!(find(&kept, variable * 16, 0, 12), None);
            assert_eq!(find(&kept, variable * 16, 7, 9), None);
            assert_eq!(find(&kept, variable * 16 + 8, 7, 12), None);
        }
        assert_eq!(kept.about().kept_values, 9_998);
    }

    #[test]
    fn a_variable_is_followed_however_often_it_is_written_and_another_one_at_its_address_is_not() {
        let kept = KeptValues::new(5, usize::MAX);
        kept.settle(7);
        for address in 1..=200 {
            keep(&kept, address * 16, 1..8, address as u64);
        }
        for address in [1, 150] {
            (8..20).for_each(|now| kept.follow(address * 16, now, now + 1));
            // Of one that was moved there.
            kept.follow(address * 16, 30, 31);
            assert_eq!(find(&kept, address * 16, 7, 20), Some(address as u64));
            assert_eq!(
                (find(&kept, address * 16, 7, 8), find(&kept, address * 16, 7, 31)),
                (None, None)
            );
            assert_eq!(find(&kept, address * 16 + 16, 7, 8), Some(address as u64 + 1));
        }
    }

    #[test]
    fn it_needs_what_was_there_in_its_epoch_and_anything_younger_until_that_is_known() {
        let kept = KeptValues::new(5, usize::MAX);
        assert!(kept.needs().value(6, 7) && kept.needs().value(1, 6) && !kept.needs().value(1, 5));
        kept.settle(7);
        assert!(kept.needs().value(7, 8) && kept.needs().value(1, 8));
        assert!(!kept.needs().value(8, 9) && !kept.needs().value(1, 7));
    }

    #[test]
    fn it_expires_at_its_limit_and_keeps_no_more() {
        let kept = KeptValues::new(1, 2);
        for variable in 1..=5 {
            keep(&kept, variable * 16, 1..9, 0);
        }
        assert!(kept.is_expired());
        assert_eq!(find(&kept, 16, 1, 9), Some(0));
        assert_eq!(find(&kept, 48, 1, 9), None);
    }

    #[test]
    fn two_threads_keep_at_once_and_nothing_is_missing() {
        let kept = KeptValues::new(1, usize::MAX);
        std::thread::scope(|scope| {
            for half in 0..2 {
                let kept = &kept;
                scope.spawn(move || {
                    for variable in 1..=10_000 {
                        keep(kept, (2 * variable + half) * 16, 1..9, half as u64);
                    }
                });
            }
        });
        for variable in 2..=20_001 {
            assert_eq!(find(&kept, variable * 16, 3, 9), Some(variable as u64 % 2));
        }
    }
}
