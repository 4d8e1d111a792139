//! Memory of cells and mailbox blocks, recycled between the threads of a theater.
//!
//! Actors are created on one worker and end on another; general allocators are slow when memory is
//! freed by another thread than the one that allocated it. So each stage thread keeps freed memory by
//! size in *magazines*, and exchanges full and empty ones with the theater's depot (Bonwick and Adams,
//! "Magazines and Vmem", USENIX 2001). What exceeds the bounds goes back to the system; other threads
//! use the system's allocator alone.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::UnsafeCell;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use odeon_sync::Mutex;

use crate::current;

/// All recycled memory is aligned to a cache line.
const LINE: usize = 64;

/// Sizes are whole lines less this: general allocators put a header of at most 16 bytes before each
/// piece, and with it an aligned piece of whole lines would take up a line more.
const HEADER: usize = 16;

/// Sizes up to this many lines are recycled: 4 KiB.
const CLASSES: usize = 64;

/// TUNE: pieces of memory in one magazine: the exchange with the depot (one lock) is paid once per
/// this many.
const MAGAZINE: usize = 32;

/// TUNE: full magazines of one size that the depot keeps: bounds what a theater holds on to at
/// 2,048 pieces per size and a magazine or two per thread.
const DEPOT_MAGAZINES: usize = 64;

/// A stack of free pieces, linked through themselves.
struct Magazine {
    top: *mut Piece,
    count: usize,
}

struct Piece {
    below: *mut Piece,
}

impl Magazine {
    const EMPTY: Self = Self { top: ptr::null_mut(), count: 0 };

    #[inline(always)]
    fn pop(&mut self) -> Option<NonNull<u8>> {
        let piece = NonNull::new(self.top)?;
        // SAFETY: pieces in a magazine are free memory that `push` has written a link into.
        self.top = unsafe { piece.as_ref().below };
        self.count -= 1;
        Some(piece.cast())
    }

    /// # Safety
    /// `memory` is unused and at least one line long; the magazine takes it over.
    #[inline(always)]
    unsafe fn push(&mut self, memory: NonNull<u8>) {
        let piece = memory.cast::<Piece>();
        // SAFETY: by contract.
        unsafe { piece.write(Piece { below: self.top }) };
        self.top = piece.as_ptr();
        self.count += 1;
    }

    /// Gives all pieces of size class `class` back to the system.
    fn empty_into_system(&mut self, class: usize) {
        while let Some(memory) = self.pop() {
            // SAFETY: it was allocated with this layout, by this thread or another.
            unsafe { dealloc(memory.as_ptr(), layout_of(class)) };
        }
    }
}

// SAFETY: a magazine owns free memory, which belongs to no thread.
unsafe impl Send for Magazine {}

/// Full magazines of one theater, by size.
pub(crate) struct Depot {
    full: Box<[Mutex<Vec<Magazine>>]>,
}

impl Depot {
    pub(crate) fn new() -> Self {
        Self { full: (0..CLASSES).map(|_| Mutex::default()).collect() }
    }

    fn lock(&self, class: usize) -> odeon_sync::MutexGuard<'_, Vec<Magazine>> {
        self.full[class].lock().expect("nothing panics under a depot's lock")
    }
}

impl Drop for Depot {
    fn drop(&mut self) {
        for class in 0..CLASSES {
            for magazine in &mut *self.lock(class) {
                magazine.empty_into_system(class);
            }
        }
    }
}

/// The free memory of one stage thread; belongs to that thread alone.
pub(crate) struct ThreadMemory {
    depot: Arc<Depot>,
    magazines: UnsafeCell<[Magazine; CLASSES]>,
}

impl ThreadMemory {
    pub(crate) fn new(depot: Arc<Depot>) -> Self {
        Self { depot, magazines: UnsafeCell::new([const { Magazine::EMPTY }; CLASSES]) }
    }

    #[inline(always)]
    fn take(&self, class: usize) -> Option<NonNull<u8>> {
        // SAFETY: only this thread gets here, and no reference outlives the function.
        let magazine = unsafe { &mut (*self.magazines.get())[class] };
        magazine.pop().or_else(|| {
            *magazine = self.depot.lock(class).pop()?;
            magazine.pop()
        })
    }

    /// # Safety
    /// `memory` is unused and was allocated with the layout of `class`.
    #[inline(always)]
    unsafe fn put(&self, class: usize, memory: NonNull<u8>) {
        // SAFETY: as in `take`.
        let magazine = unsafe { &mut (*self.magazines.get())[class] };
        if magazine.count == MAGAZINE {
            let mut full = std::mem::replace(magazine, Magazine::EMPTY);
            let mut depot = self.depot.lock(class);
            if depot.len() < DEPOT_MAGAZINES {
                depot.push(full);
            } else {
                drop(depot);
                full.empty_into_system(class);
            }
        }
        // SAFETY: by contract.
        unsafe { magazine.push(memory) };
    }
}

impl Drop for ThreadMemory {
    fn drop(&mut self) {
        for (class, magazine) in self.magazines.get_mut().iter_mut().enumerate() {
            magazine.empty_into_system(class);
        }
    }
}

/// The size class of a type, if memory of its layout is recycled.
const fn class_of<T>() -> Option<usize> {
    let lines = (size_of::<T>() + HEADER).div_ceil(LINE);
    if align_of::<T>() <= LINE && lines >= 1 && lines <= CLASSES { Some(lines - 1) } else { None }
}

const fn layout_of(class: usize) -> Layout {
    match Layout::from_size_align((class + 1) * LINE - HEADER, LINE) {
        Ok(layout) => layout,
        Err(_) => panic!("lines are a power of two and sizes small"),
    }
}

fn this_thread() -> Option<&'static ThreadMemory> {
    // SAFETY: set by this thread for as long as the value lives, and used for one call only.
    unsafe { current::here().memory.get().as_ref() }
}

/// Memory for a `T`, not initialised.
#[inline]
pub(crate) fn reserve<T>() -> NonNull<T> {
    let Some(class) = (const { class_of::<T>() }) else {
        return NonNull::from(Box::leak(Box::<T>::new_uninit())).cast();
    };
    let memory = this_thread().and_then(|memory| memory.take(class));
    let memory = memory.unwrap_or_else(|| {
        // SAFETY: the layout is not empty.
        let fresh = unsafe { alloc(layout_of(class)) };
        NonNull::new(fresh).unwrap_or_else(|| handle_alloc_error(layout_of(class)))
    });
    memory.cast()
}

/// Drops a value in memory from [`reserve`], and frees or recycles the memory.
///
/// # Safety
/// `place` came from [`reserve`], has been initialised, and is not used afterwards.
#[inline]
pub(crate) unsafe fn remove<T>(place: NonNull<T>) {
    let Some(class) = (const { class_of::<T>() }) else {
        // SAFETY: by contract; `reserve` used a box.
        drop(unsafe { Box::from_raw(place.as_ptr()) });
        return;
    };
    // SAFETY: by contract.
    unsafe { place.drop_in_place() };
    match this_thread() {
        // SAFETY: the memory is unused by now and has this class's layout.
        Some(memory) => unsafe { memory.put(class, place.cast()) },
        // SAFETY: as above.
        None => unsafe { dealloc(place.as_ptr().cast(), layout_of(class)) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory that one thread frees beyond a magazine is what another thread gets next.
    #[test]
    fn full_magazines_travel_between_threads() {
        let depot = Arc::new(Depot::new());
        let (one, other) = (ThreadMemory::new(depot.clone()), ThreadMemory::new(depot));
        let mut freed = Vec::new();
        for _ in 0..=MAGAZINE {
            // SAFETY: the layout is not empty.
            let memory = NonNull::new(unsafe { alloc(layout_of(3)) }).unwrap();
            freed.push(memory);
            // SAFETY: unused, and of this class.
            unsafe { one.put(3, memory) };
        }
        let received: Vec<_> = std::iter::from_fn(|| other.take(3)).collect();
        assert_eq!(received.len(), MAGAZINE);
        assert!(received.iter().all(|memory| freed.contains(memory)));
        for memory in received {
            // SAFETY: as above.
            unsafe { other.put(3, memory) };
        }
    }

    #[test]
    fn small_types_are_recycled_and_large_ones_boxed() {
        assert_eq!(class_of::<u8>(), Some(0));
        assert_eq!(class_of::<[u8; 48]>(), Some(0));
        assert_eq!(class_of::<[u8; 49]>(), Some(1));
        assert_eq!(class_of::<[u8; 4080]>(), Some(63));
        assert_eq!(class_of::<[u8; 4081]>(), None);
        let large = reserve::<[u8; 5000]>();
        // SAFETY: ours; bytes need no more than to be written.
        unsafe {
            large.write([7u8; 5000]);
            remove(large);
        }
    }
}
