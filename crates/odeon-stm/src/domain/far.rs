//! The old values that are kept for one snapshot beyond the first few: a trie that only grows, and
//! dies as a whole.
//!
//! A commit adds with one read-modify-write, and the snapshot only reads. What commits write for
//! each value is on no cache line that the snapshot looks at for others.

use crate::domain::kept::Overwritten;
use crate::domain::near::spread;
use odeon_sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::ptr;

const FAN_OUT: usize = 16;
const BITS_PER_LEVEL: u32 = 4;

/// See the module.
#[derive(Debug)]
pub(crate) struct Far(KeptNode);

/// Each place is null, a leaf, or, with the lowest bit set, a further node.
#[derive(Debug)]
struct KeptNode {
    places: [AtomicPtr<Leaf>; FAN_OUT],
}

/// One old value. Aligned so that the lowest bit of its address is free.
#[derive(Debug)]
#[repr(align(8))]
pub(crate) struct Leaf {
    address: usize,
    /// The value was there from this epoch on ...
    pub(crate) from: u64,
    /// ... and the one of this epoch is there now.
    pub(crate) now: AtomicU64,
    pub(crate) bits: u64,
    /// Another value of the same variable.
    next: *mut Leaf,
}

/// What a place holds.
enum NodePlace<'a> {
    Empty,
    Leaf(&'a Leaf),
    Node(&'a KeptNode),
}

impl Far {
    pub(crate) fn new() -> Self {
        Self(KeptNode::empty())
    }

    #[cold]
    pub(crate) fn insert(&self, Overwritten { value, now }: Overwritten) {
        let (address, from, bits) = (value.address, value.from, value.bits);
        let (now, next) = (AtomicU64::new(now), ptr::null_mut());
        self.0.insert(Box::into_raw(Box::new(Leaf { address, from, now, bits, next })));
    }

    /// What is kept of variables at `address`, the latest first.
    pub(crate) fn leaves(&self, address: usize) -> impl Iterator<Item = &Leaf> {
        self.0.leaves(address)
    }

    /// Nobody uses what is kept here any more: frees it.
    pub(crate) fn clear(&mut self) {
        free(&mut self.0);
        self.0 = KeptNode::empty();
    }
}

impl Drop for Far {
    fn drop(&mut self) {
        free(&mut self.0);
    }
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
unsafe impl Send for Far {}
// SAFETY: as above.
unsafe impl Sync for Far {}
