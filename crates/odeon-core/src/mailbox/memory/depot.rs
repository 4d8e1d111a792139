//! Free memory that threads keep, and the depot through which the threads of a theater exchange it.

use std::cell::UnsafeCell;
use std::mem;
use std::ptr::NonNull;
use std::sync::Arc;

use odeon_sync::{Mutex, MutexGuard};

use super::magazine::Magazine;
use super::slab::Slabs;
use super::spare::Spare;
use super::{CLASSES, give_back, obtain, spare_of_this_thread};

/// TUNE: pieces of memory in one magazine: the exchange with the depot (one lock) is paid once per
/// this many.
pub(super) const MAGAZINE: usize = 32;

/// TUNE: full magazines of one size that the depot keeps: bounds what a theater holds on to at
/// 2,048 pieces per size and a magazine or two per thread.
const DEPOT_MAGAZINES: usize = 64;

/// Full magazines of one theater, by size, and its slabs.
pub(crate) struct Depot {
    full: Box<[Mutex<Vec<Magazine>>]>,
    slabs: Arc<Slabs>,
}

impl Depot {
    pub(crate) fn new() -> Self {
        let slabs = Slabs::new(spare_of_this_thread());
        Self { full: (0..CLASSES).map(|_| Mutex::default()).collect(), slabs }
    }

    fn take(&self, class: usize) -> Option<Magazine> {
        self.lock(class).pop()
    }

    /// Keeps a full magazine, or hands it back if there are enough.
    fn put(&self, class: usize, magazine: Magazine) -> Result<(), Magazine> {
        let mut full = self.lock(class);
        if full.len() == DEPOT_MAGAZINES {
            return Err(magazine);
        }
        full.push(magazine);
        Ok(())
    }

    fn lock(&self, class: usize) -> MutexGuard<'_, Vec<Magazine>> {
        self.full[class].lock().expect("nothing panics under a depot's lock")
    }
}

impl Drop for Depot {
    fn drop(&mut self) {
        for class in 0..CLASSES {
            while let Some(magazine) = self.take(class) {
                // SAFETY: only pieces of this class come here.
                unsafe { give_back(class, magazine) };
            }
        }
    }
}

/// The free memory of one thread; belongs to that thread alone.
pub(crate) struct ThreadMemory {
    /// Of the theater, on a stage thread.
    depot: Option<Arc<Depot>>,
    slabs: Arc<Slabs>,
    magazines: UnsafeCell<[Magazine; CLASSES]>,
}

impl ThreadMemory {
    /// For a stage thread of the depot's theater.
    pub(crate) fn new(depot: Arc<Depot>) -> Self {
        let slabs = depot.slabs.clone();
        Self::with(Some(depot), slabs)
    }

    /// For a thread that belongs to no theater: with slabs of its own.
    pub(super) fn outside() -> Self {
        Self::with(None, Slabs::new(Spare::new()))
    }

    pub(super) fn spare(&self) -> &Arc<Spare> {
        self.slabs.spare()
    }

    fn with(depot: Option<Arc<Depot>>, slabs: Arc<Slabs>) -> Self {
        Self { depot, slabs, magazines: UnsafeCell::new([const { Magazine::EMPTY }; CLASSES]) }
    }

    /// Memory of size class `class`, not initialised.
    #[inline(always)]
    pub(super) fn take(&self, class: usize) -> NonNull<u8> {
        // SAFETY: only this thread gets here, and no reference outlives the function.
        let magazine = unsafe { &mut (*self.magazines.get())[class] };
        magazine.pop().unwrap_or_else(|| self.refill(class, magazine))
    }

    #[cold]
    fn refill(&self, class: usize, magazine: &mut Magazine) -> NonNull<u8> {
        if let Some(full) = self.depot.as_ref().and_then(|depot| depot.take(class)) {
            *magazine = full;
        }
        magazine.pop().unwrap_or_else(|| obtain(class, &self.slabs, magazine))
    }

    /// # Safety
    /// `memory` is unused and came from a thread's `take` or from [`allocate`](super::allocate),
    /// for the same class.
    #[inline(always)]
    pub(super) unsafe fn put(&self, class: usize, memory: NonNull<u8>) {
        // SAFETY: as in `take`.
        let magazine = unsafe { &mut (*self.magazines.get())[class] };
        if magazine.count() == MAGAZINE {
            self.part_with(class, mem::replace(magazine, Magazine::EMPTY));
        }
        // SAFETY: by contract.
        unsafe { magazine.push(memory) };
    }

    #[cold]
    fn part_with(&self, class: usize, full: Magazine) {
        let excess = match &self.depot {
            Some(depot) => depot.put(class, full),
            None => Err(full),
        };
        if let Err(excess) = excess {
            // SAFETY: only pieces of this class come here.
            unsafe { give_back(class, excess) };
        }
    }
}

impl Drop for ThreadMemory {
    fn drop(&mut self) {
        for (class, magazine) in self.magazines.get_mut().iter_mut().enumerate() {
            // SAFETY: only pieces of this class come here.
            unsafe { give_back(class, mem::replace(magazine, Magazine::EMPTY)) };
        }
    }
}
