//! The first old values that are kept for one snapshot: a few, one behind the other, with an index;
//! and the way to the others.
//!
//! Most snapshots are short, and few variables are overwritten meanwhile. So the first commit that
//! overwrites one brings memory for a few of them along, its own thread's, and gets it back when
//! nobody uses it for the snapshot any more: it stays in the cache of who overwrites, and the
//! snapshot fetches what it needs of it and nothing else.
//!
//! PROTOCOL
//! 1. A commit claims numbers, and with each an entry of its own, if there are so many. It writes a
//!    value there, and *then* into the index.
//! 2. So who finds that written finds the value, which stays as it is until the memory is taken for
//!    another snapshot. What changes is the epoch of the value that the variable has now: by
//!    commits that hold its lock.
//! 3. The memory goes back when nobody can use it for its snapshot (I4), to the slot from which it
//!    was brought. Who takes it next has it alone, and empties it.

use crate::domain::far::{Far, Leaf};
use crate::domain::kept::Overwritten;
use crate::domain::slot::Slot;
use odeon_sync::UnsafeCell;
use odeon_sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::fmt;

/// TUNE: how many. Guessed: as many as are overwritten while a snapshot reads some thousand
/// variables, in 2.5 KiB. Few in models, so that some see more than there is room for.
pub(crate) const NEAR: usize = if cfg!(odeon_loom) { 1 } else { 64 };

/// Of the index: twice as many, so that a look goes through one or two of them. In models as many:
/// what they do must not depend on addresses.
const PLACES: usize = if cfg!(odeon_loom) { NEAR } else { 2 * NEAR };

/// Nothing is written yet, at this place and behind it.
const EMPTY: u32 = 0;

/// See the module.
#[derive(Debug)]
pub(crate) struct Near {
    /// How many numbers were claimed.
    claimed: AtomicUsize,
    home: &'static Slot,
    /// The entries' [marks](mark), each at the place of its variable's address or, where that is
    /// taken, at the next free one.
    index: [AtomicU32; PLACES],
    entries: [NearEntry; NEAR],
    /// What there is no room for in `entries`.
    far: Far,
}

struct NearEntry {
    /// The epoch of the value that the variable has now.
    now: AtomicU64,
    value: UnsafeCell<Value>,
}

/// Spreads addresses; multiplication by an odd number keeps different ones different.
pub(crate) fn spread(address: usize) -> u64 {
    (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// What stands in the index for the entry of a variable whose address is spread so: its number plus
/// one, and bits of the address, so that seldom another entry is looked at.
fn mark(spread: u64, number: usize) -> u32 {
    spread as u32 & !NUMBER | (number as u32 + 1)
}

/// The number's bits of a mark.
const NUMBER: u32 = 0xff;

fn place_of(spread: u64) -> usize {
    (spread >> 32) as usize % PLACES
}

/// The bits of the variable at an address, from an epoch on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value {
    pub(crate) address: usize,
    pub(crate) from: u64,
    pub(crate) bits: u64,
}

impl Near {
    /// Empty memory, alone the caller's, who holds `slot`.
    pub(crate) fn of(slot: &'static Slot) -> Box<Self> {
        let Some(mut near) = slot.take_near() else { return Box::new(Self::new(slot)) };
        near.clear();
        near
    }

    fn new(home: &'static Slot) -> Self {
        let entry = |_| NearEntry {
            now: AtomicU64::new(0),
            value: UnsafeCell::new(Value { address: 0, from: 0, bits: 0 }),
        };
        let entries = std::array::from_fn(entry);
        let (claimed, index) = (AtomicUsize::new(0), Self::empty_index());
        Self { claimed, home, index, entries, far: Far::new() }
    }

    fn empty_index() -> [AtomicU32; PLACES] {
        std::array::from_fn(|_| AtomicU32::new(EMPTY))
    }

    fn clear(&mut self) {
        self.claimed = AtomicUsize::new(0);
        self.index = Self::empty_index();
    }

    /// PROTOCOL 3: nobody uses it for its snapshot any more.
    pub(crate) fn give_back(mut self: Box<Self>) {
        if self.has_far() {
            self.far.clear();
        }
        let home = self.home;
        home.give_near(self);
    }

    /// PROTOCOL 1: `count` numbers that nobody else gets; answers the first.
    #[inline]
    pub(crate) fn claim(&self, count: usize) -> usize {
        // ORDERING: Relaxed: nothing hangs on it but who has which entry.
        self.claimed.fetch_add(count, Ordering::Relaxed)
    }

    /// How many numbers were claimed.
    pub(crate) fn claimed(&self) -> usize {
        // ORDERING: Relaxed: as in `claim`. Who has found a word that was published after a claim
        // sees that.
        self.claimed.load(Ordering::Relaxed)
    }

    /// Whether more was claimed than there are entries.
    fn has_far(&self) -> bool {
        self.claimed() > NEAR
    }

    /// PROTOCOL 1: keeps what is `overwritten` in the entry of the caller's `number`, or behind
    /// them if there are not so many.
    #[inline]
    pub(crate) fn put(&self, number: usize, overwritten: Overwritten) {
        let Some(entry) = self.entries.get(number) else { return self.far.insert(overwritten) };
        let Overwritten { value, now } = overwritten;
        // SAFETY: the entry is the caller's by its number, and nobody reads the value before it is
        // in the index.
        entry.value.with_mut(|place| unsafe { place.write(value) });
        // ORDERING: Relaxed: before it is in the index.
        entry.now.store(now, Ordering::Relaxed);
        let spread = spread(value.address);
        let (mark, mut place) = (mark(spread, number), place_of(spread));
        // ORDERING: Release, to the Acquire in `of_address`.
        while self.index[place]
            .compare_exchange(EMPTY, mark, Ordering::Release, Ordering::Relaxed)
            .is_err()
        {
            place = (place + 1) % PLACES;
        }
    }

    /// What is kept of variables at `address` and has no entry, the latest first.
    fn far(&self, address: usize) -> impl Iterator<Item = &Leaf> {
        self.has_far().then(|| self.far.leaves(address)).into_iter().flatten()
    }

    /// What has an entry of variables at `address`, in the order in which it was overwritten.
    #[inline]
    fn of_address(&self, address: usize) -> impl Iterator<Item = (&NearEntry, Value)> {
        let spread = spread(address);
        let first = place_of(spread);
        let marks = (first..first + PLACES).map(|place| {
            // ORDERING: Acquire, from `put`: the entry is written. What a caller looks for was put
            // before: it has found the word that was published behind it.
            self.index[place % PLACES].load(Ordering::Acquire)
        });
        marks.take_while(|mark| *mark != EMPTY).filter_map(move |there| {
            let number = (there & NUMBER) as usize - 1;
            if there != mark(spread, number) {
                return None;
            }
            let entry = &self.entries[number];
            // SAFETY: PROTOCOL 2: nobody writes it meanwhile.
            let value = entry.value.with(|place| unsafe { *place });
            (value.address == address).then_some((entry, value))
        })
    }

    /// The value in `epoch` of the variable at `address` whose present one's epoch `is_of` knows.
    /// Of several the latest one that is not too young.
    pub(crate) fn find(
        &self,
        address: usize,
        epoch: u64,
        is_of: impl Fn(u64) -> bool,
    ) -> Option<u64> {
        let far = self.far(address).find(|leaf| {
            // ORDERING: Acquire: as below.
            leaf.from <= epoch && is_of(leaf.now.load(Ordering::Acquire))
        });
        let found = self.of_address(address).filter(|(entry, value)| {
            // ORDERING: Acquire, from `follow`: who finds a commit's epoch here finds its lock in
            // the word.
            value.from <= epoch && is_of(entry.now.load(Ordering::Acquire))
        });
        far.map(|leaf| leaf.bits).or_else(|| found.last().map(|(_, value)| value.bits))
    }

    /// The variable at `address` whose value is of epoch `before` gets one of epoch `now`; the
    /// caller holds its lock.
    pub(crate) fn follow(&self, address: usize, before: u64, now: u64) {
        for (entry, _) in self.of_address(address) {
            // ORDERING: Relaxed: changed by holders of the variable's lock only, one after the
            // other. Release, to the Acquire in `find`.
            if entry.now.load(Ordering::Relaxed) == before {
                entry.now.store(now, Ordering::Release);
            }
        }
        for leaf in self.far(address) {
            // ORDERING: as above.
            if leaf.now.load(Ordering::Relaxed) == before {
                leaf.now.store(now, Ordering::Release);
            }
        }
    }
}

impl fmt::Debug for NearEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NearEntry").field("now", &self.now).finish_non_exhaustive()
    }
}

// SAFETY: values are plain bits; who may write one and who may read it, and when, is PROTOCOL 1
// and 2.
unsafe impl Sync for Near {}
// SAFETY: as above.
unsafe impl Send for Near {}

#[cfg(all(test, not(odeon_loom)))]
mod tests {
    use super::*;
    use crate::domain::Domain;

    fn put(near: &Near, number: usize, address: usize, bits: u64) {
        near.put(number, Overwritten { value: Value { address, from: 1, bits }, now: 9 });
    }

    fn find(near: &Near, address: usize, epoch: u64, now: u64) -> Option<u64> {
        near.find(address, epoch, |there| there == now)
    }

    #[test]
    fn memory_that_has_come_back_is_taken_again_and_nothing_is_found_in_it() {
        let slot = Domain::new().slots.take().unwrap();
        let near = Near::of(slot);
        let number = near.claim(3);
        for (number, address) in (number..).zip([16, 32, 48]) {
            put(&near, number, address, 5);
        }
        assert_eq!(
            (find(&near, 32, 3, 9), find(&near, 32, 3, 8), near.claimed()),
            (Some(5), None, 3)
        );
        let address = std::ptr::from_ref(&*near);
        near.give_back();
        let again = Near::of(slot);
        assert!(std::ptr::eq(address, &*again));
        assert_eq!((find(&again, 32, 3, 9), again.claim(1)), (None, 0));
        assert!(!std::ptr::eq(address, &*Near::of(slot)), "the first one is taken");
    }

    #[test]
    fn what_has_no_entry_is_found_too_until_the_memory_comes_back() {
        let slot = Domain::new().slots.take().unwrap();
        let near = Near::of(slot);
        let last = NEAR + 9;
        assert_eq!(near.claim(last + 1), 0);
        (0..=last).for_each(|number| put(&near, number, 16 * (number + 1), number as u64));
        let found = |near: &Near, number| find(near, 16 * (number + 1), 3, 9);
        assert!((0..=last).all(|number| found(&near, number) == Some(number as u64)));
        near.give_back();
        let again = Near::of(slot);
        again.claim(last + 1);
        assert!((0..=last).all(|number| found(&again, number).is_none()));
    }
}
