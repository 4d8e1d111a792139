//! The first old values that are kept for one snapshot: a few, one behind the other.
//!
//! Most snapshots are short, and few variables are overwritten meanwhile. So the first commit that overwrites one brings
//! memory for a few of them along, its own thread's, and gets it back when nobody uses it for the snapshot any more: it
//! stays in the cache of who overwrites, and the snapshot fetches what it needs of it and nothing else.
//!
//! PROTOCOL
//! 1. A commit claims numbers, and with each an entry of its own, if there are so many. It writes a value there, and
//!    *then* until when that was there.
//! 2. So who finds that written finds the value, which stays as it is until the memory is taken for another snapshot.
//! 3. The memory goes back when nobody can use it for its snapshot (I4), to the slot from which it was brought. Who takes
//!    it next has it alone, and empties it.

use crate::slot::Slot;
use odeon_sync::UnsafeCell;
use odeon_sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::fmt;

/// TUNE: how many; a look at them goes through half of them. Guessed: as many as are overwritten while a snapshot reads some
/// thousand variables, in 2 KiB. Few in models, so that some see more than there is room for.
pub(crate) const NEAR: usize = if cfg!(odeon_loom) { 1 } else { 64 };

/// No epoch, so that nothing was there until it.
const NEVER: u64 = 0;

/// See the module.
#[derive(Debug)]
pub(crate) struct Near {
    /// How many numbers were claimed.
    claimed: AtomicUsize,
    home: &'static Slot,
    entries: [Entry; NEAR],
}

struct Entry {
    /// Until when the value was there; `NEVER` before it is written, and when it is forgotten.
    until: AtomicU64,
    value: UnsafeCell<Value>,
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
        let entry = |_| Entry {
            until: AtomicU64::new(NEVER),
            value: UnsafeCell::new(Value { address: 0, from: 0, bits: 0 }),
        };
        Self { claimed: AtomicUsize::new(0), home, entries: std::array::from_fn(entry) }
    }

    fn clear(&mut self) {
        // ORDERING: Relaxed, here and below: `&mut` is exclusive, and who hands it on orders that.
        let used = self.claimed.load(Ordering::Relaxed).min(NEAR);
        for entry in &self.entries[..used] {
            entry.until.store(NEVER, Ordering::Relaxed);
        }
        self.claimed.store(0, Ordering::Relaxed);
    }

    /// PROTOCOL 3: nobody uses it for its snapshot any more.
    pub(crate) fn give_back(self: Box<Self>) {
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
        // ORDERING: Relaxed: as in `claim`.
        self.claimed.load(Ordering::Relaxed)
    }

    /// PROTOCOL 1: keeps `value`, which was there until `until`, in the entry of the caller's `number`; `false` if there
    /// are not so many.
    #[inline]
    pub(crate) fn put(&self, number: usize, value: Value, until: u64) -> bool {
        let Some(entry) = self.entries.get(number) else { return false };
        // SAFETY: the entry is the caller's by its number, and nobody reads the value before the store below.
        entry.value.with_mut(|place| unsafe { place.write(value) });
        // ORDERING: Release, to the Acquire in `values`.
        entry.until.store(until, Ordering::Release);
        true
    }

    /// What is kept, in about the order in which it was overwritten.
    fn values(&self) -> impl Iterator<Item = (&AtomicU64, u64, Value)> {
        self.entries.iter().filter_map(|entry| {
            // ORDERING: Acquire, from `put`: the value is there. What a caller looks for was put before: a snapshot has
            // found the word that was published behind it.
            let until = entry.until.load(Ordering::Acquire);
            if until == NEVER {
                return None;
            }
            // SAFETY: PROTOCOL 2: nobody writes it meanwhile.
            let value = entry.value.with(|place| unsafe { *place });
            Some((&entry.until, until, value))
        })
    }

    /// The value of the variable at `address` in `epoch`.
    pub(crate) fn find(&self, address: usize, epoch: u64) -> Option<u64> {
        let is_of = |until: u64, value: &Value| {
            value.address == address && value.from <= epoch && epoch < until
        };
        self.values().find(|(_, until, value)| is_of(*until, value)).map(|(_, _, value)| value.bits)
    }

    /// Forgets what was kept of variables at `address` that were gone in `epoch`.
    pub(crate) fn forget(&self, address: usize, epoch: u64) {
        for (place, until, value) in self.values() {
            if value.address == address && until <= epoch {
                // ORDERING: Relaxed: as in `Kept::forget`.
                place.store(NEVER, Ordering::Relaxed);
            }
        }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("until", &self.until).finish_non_exhaustive()
    }
}

// SAFETY: values are plain bits; who may write one and who may read it, and when, is PROTOCOL 1 and 2.
unsafe impl Sync for Near {}
// SAFETY: as above.
unsafe impl Send for Near {}

#[cfg(all(test, not(odeon_loom)))]
mod tests {
    use super::*;
    use crate::domain::Domain;

    #[test]
    fn memory_that_has_come_back_is_taken_again_and_nothing_is_found_in_it() {
        let slot = Domain::new().slots.take().unwrap();
        let near = Near::of(slot);
        let number = near.claim(3);
        for (number, address) in (number..).zip([16, 32, 48]) {
            assert!(near.put(number, Value { address, from: 1, bits: 5 }, 9));
        }
        assert_eq!((near.find(32, 3), near.find(32, 9), near.claimed()), (Some(5), None, 3));
        let address = std::ptr::from_ref(&*near);
        near.give_back();
        let again = Near::of(slot);
        assert!(std::ptr::eq(address, &*again));
        assert_eq!((again.find(32, 3), again.claim(1)), (None, 0));
        assert!(!std::ptr::eq(address, &*Near::of(slot)), "the first one is taken");
    }

    #[test]
    fn there_is_room_for_as_many_as_it_has_entries() {
        let near = Near::of(Domain::new().slots.take().unwrap());
        let value = |number| Value { address: 16 * number, from: 1, bits: 0 };
        assert_eq!(near.claim(NEAR + 1), 0);
        assert!((0..NEAR).all(|number| near.put(number, value(number), 9)));
        assert!(!near.put(NEAR, value(NEAR), 9));
        assert_eq!((near.find(16 * NEAR, 3), near.find(16, 3)), (None, Some(0)));
    }
}
