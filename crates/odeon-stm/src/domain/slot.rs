//! Slots: what the engine knows about the attempts and snapshots that are under way.
//!
//! Every attempt holds a slot from its begin to its end, also while it is prepared and nobody's
//! thread runs it. The number of the slot stands in the variables that the attempt writes, so a
//! later holder of the same slot recognises these values as older than its own begin: slots are
//! handed on under a lock.

use crate::domain::kept::KeptValues;
use crate::domain::near::Near;
use crate::domain::stats::Counters;
use crate::words::version_word::SLOT_MAX;
use crossbeam_utils::CachePadded;
use odeon_sync::Mutex;
use odeon_sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::collections::BTreeMap;
use std::ptr;

/// TUNE: the greatest number of a slot that threads keep: three quarters of them. Guessed; fewer
/// threads are the rule, and whoever gets a later slot goes through a lock with each attempt.
const KEPT_MAX: u64 = SLOT_MAX / 4 * 3;

/// No attempt runs, or it holds nothing: epochs begin at 1.
const IDLE: u64 = 0;

/// One slot; see the module.
#[derive(Debug)]
pub(crate) struct Slot {
    number: u64,
    /// The epoch in which the attempt entered the slot, or `IDLE`.
    since: AtomicU64,
    /// The old values kept for the snapshot that holds this slot.
    pub(crate) kept: KeptValues,
    /// Memory for what the holder's commits keep for a snapshot; null while one has it, and before
    /// there is any.
    near: AtomicPtr<Near>,
    pub(crate) counters: Counters,
}

impl Slot {
    fn new(number: u64) -> Self {
        Self {
            number,
            since: AtomicU64::new(IDLE),
            kept: KeptValues::new(),
            near: AtomicPtr::new(ptr::null_mut()),
            counters: Counters::default(),
        }
    }

    #[inline(always)]
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether a thread keeps it for its next attempt. The last ones are taken and given back by
    /// each attempt, so that threads which are idle, however many, leave some to others.
    pub(crate) fn is_kept(&self) -> bool {
        self.number <= KEPT_MAX
    }

    /// Holder: what its attempt reads from here on is held. The caller puts a full fence behind it
    /// (I3).
    #[inline(always)]
    pub(crate) fn begin(&self, epoch: u64) {
        // ORDERING: a swap, so that the fence behind it costs nothing where read-modify-writes are
        // full barriers; Release orders the last attempt's reads before, for the collector.
        self.since.swap(epoch, Ordering::AcqRel);
    }

    /// Holder: its attempt has ended; it does not touch what it has read any more.
    #[inline(always)]
    pub(crate) fn end(&self) {
        // ORDERING: Release, to the Acquire in `since`: whoever sees the slot idle may free what
        // the attempt has read.
        self.since.store(IDLE, Ordering::Release);
    }

    /// The epoch in which the running attempt entered the slot, if it has.
    pub(crate) fn since(&self) -> Option<u64> {
        // ORDERING: Acquire, from `end`.
        match self.since.load(Ordering::Acquire) {
            IDLE => None,
            epoch => Some(epoch),
        }
    }

    /// Holder: the memory that has come back, if any has.
    pub(crate) fn take_near(&self) -> Option<Box<Near>> {
        // ORDERING: AcqRel: with `give_near`: what was done with the memory is over.
        let near = self.near.swap(ptr::null_mut(), Ordering::AcqRel);
        // SAFETY: null or from a box, in `give_near`, and out of reach of others by the swap.
        (!near.is_null()).then(|| unsafe { Box::from_raw(near) })
    }

    /// Anybody: memory for `take_near`. One is enough: what is there goes.
    pub(crate) fn give_near(&self, near: Box<Near>) {
        // ORDERING: AcqRel: as in `take_near`.
        let before = self.near.swap(Box::into_raw(near), Ordering::AcqRel);
        if !before.is_null() {
            // SAFETY: as in `take_near`.
            drop(unsafe { Box::from_raw(before) });
        }
    }
}

/// Slots in one piece of the table; few in models, where each is dear.
const CHUNK: usize = if cfg!(odeon_loom) { 4 } else { 64 };
const CHUNKS: usize = if cfg!(odeon_loom) { 1 } else { (SLOT_MAX as usize).div_ceil(CHUNK) };

type Chunk = [CachePadded<Slot>; CHUNK];

/// All slots; they are never freed, so a reference to one is good for ever.
#[derive(Debug)]
pub(crate) struct SlotTable {
    chunks: [AtomicPtr<Chunk>; CHUNKS],
    /// How many slots were ever handed out.
    handed_out: AtomicUsize,
    /// By number: the lowest is taken first, so that threads which run at once have numbers close
    /// to each other.
    idle: Mutex<BTreeMap<u64, &'static Slot>>,
}

impl SlotTable {
    pub(crate) fn new() -> Self {
        Self {
            chunks: std::array::from_fn(|_| AtomicPtr::new(ptr::null_mut())),
            handed_out: AtomicUsize::new(0),
            idle: Mutex::new(BTreeMap::new()),
        }
    }

    /// A slot for the caller alone; `None` if all of them are taken.
    pub(crate) fn take(&self) -> Option<&'static Slot> {
        let mut idle = self.idle.lock().expect("no panic happens under this lock");
        if let Some((_, slot)) = idle.pop_first() {
            return Some(slot);
        }
        // ORDERING: Relaxed: changed under the lock only.
        let next = self.handed_out.load(Ordering::Relaxed);
        // Number 0 is nobody's.
        if next == (SLOT_MAX as usize).min(CHUNKS * CHUNK) {
            return None;
        }
        let (piece, place) = (next / CHUNK, next % CHUNK);
        if place == 0 {
            let first = (piece * CHUNK) as u64 + 1;
            let chunk: Box<Chunk> = Box::new(std::array::from_fn(|offset| {
                CachePadded::new(Slot::new(first + offset as u64))
            }));
            // ORDERING: Release, to the Acquire in `chunk`.
            self.chunks[piece].store(Box::into_raw(chunk), Ordering::Release);
        }
        // ORDERING: Release, to the Acquire in `iter`: who sees the number finds the chunk.
        self.handed_out.store(next + 1, Ordering::Release);
        Some(&self.chunk(piece).expect("stored above or by an earlier call")[place])
    }

    /// Gives a slot back, so that another attempt may take it.
    pub(crate) fn give_back(&self, slot: &'static Slot) {
        debug_assert_eq!(slot.since(), None);
        self.idle.lock().expect("no panic happens under this lock").insert(slot.number, slot);
    }

    /// Every slot that was ever handed out.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static Slot> + '_ {
        // ORDERING: Acquire, from `take`.
        let handed_out = self.handed_out.load(Ordering::Acquire);
        (0..handed_out).map(|number| {
            let chunk = self.chunk(number / CHUNK).expect("handed out means stored");
            &*chunk[number % CHUNK]
        })
    }

    fn chunk(&self, piece: usize) -> Option<&'static Chunk> {
        // ORDERING: Acquire, from the Release in `take`.
        let chunk = self.chunks[piece].load(Ordering::Acquire);
        // SAFETY: either null or a chunk that `take` has stored and nobody frees.
        unsafe { chunk.as_ref() }
    }
}

#[cfg(all(test, not(odeon_loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_slot_that_was_given_back_is_taken_first() {
        let slots = SlotTable::new();
        let taken: Vec<_> = (0..5).map(|_| slots.take().unwrap()).collect();
        for place in [1, 3, 2] {
            slots.give_back(taken[place]);
        }
        let numbers: Vec<_> = (0..4).map(|_| slots.take().unwrap().number()).collect();
        assert_eq!(numbers, [2, 3, 4, 6]);
    }
}
