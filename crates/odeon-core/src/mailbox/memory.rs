//! Memory of cells and mailbox blocks, recycled between the threads of a theater.
//!
//! Actors are created on one worker and end on another; general allocators are slow when memory is
//! freed by another thread than the one that allocated it, and waste much on pieces aligned to a
//! cache line. So memory goes through layers, by size (the upper two are those of Bonwick and
//! Adams, "Magazines and Vmem", USENIX 2001):
//!
//! | layer | belongs to | file |
//! |---|---|---|
//! | *magazine*: a few free pieces | one thread | `mailbox/memory/magazine.rs` |
//! | depot: full magazines | one theater | `mailbox/memory/depot.rs` |
//! | *slab*: two pages, cut into small pieces | a theater, or a thread outside | `mailbox/memory/slab.rs` |
//! | spare slabs: uncut | a thread outside, with the theaters made there | `mailbox/memory/spare.rs` |
//!
//! "Outside" are threads that belong to no theater.
//!
//! Large pieces come from the system's allocator instead of slabs, and under miri and the model
//! checkers small ones too, so that those see every single piece.

mod depot;
mod magazine;
mod slab;
mod spare;

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ptr::{self, NonNull};
use std::sync::Arc;

pub(crate) use self::depot::{Depot, ThreadMemory};
use self::magazine::Magazine;
use self::slab::Slabs;
use self::spare::Spare;

/// All recycled memory is aligned to a cache line.
const LINE: usize = 64;

/// Sizes are whole lines less this. In front of each piece general allocators keep a header of at
/// most 16 bytes, and slabs the address of the slab; with it, a piece of whole lines would take up
/// a line more.
const HEADER: usize = 16;

/// Sizes up to this many lines are recycled: 4 KiB.
const CLASSES: usize = 64;

thread_local! {
    /// What threads keep that belong to no theater.
    static OUTSIDE: ThreadMemory = ThreadMemory::outside();
}

odeon_sync::thread_local_const! {
    /// Free memory that this thread keeps; null on threads that belong to no theater.
    static HERE: Cell<*const ThreadMemory> = Cell::new(ptr::null())
}

/// Does `work` on a thread of a theater, which keeps free memory meanwhile.
pub(crate) fn keeping_here(depot: Arc<Depot>, work: impl FnOnce()) {
    let memory = ThreadMemory::new(depot);
    HERE.with(|here| here.set(&raw const memory));
    work();
    HERE.with(|here| here.set(ptr::null()));
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

/// Whether there are slabs.
const SLABS: bool = !cfg!(any(odeon_loom, odeon_shuttle, miri));

/// Whether pieces of this class are cut from slabs.
const fn is_cut(class: usize) -> bool {
    SLABS && class < slab::CLASSES
}

/// Memory for a `T`, not initialised.
#[inline]
pub(crate) fn reserve<T>() -> NonNull<T> {
    let Some(class) = (const { class_of::<T>() }) else {
        return NonNull::from(Box::leak(Box::<T>::new_uninit())).cast();
    };
    match this_thread() {
        Some(memory) => memory.take(class),
        None => take_outside(class),
    }
    .cast()
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
        // SAFETY: the memory is unused by now and of this class.
        Some(memory) => unsafe { memory.put(class, place.cast()) },
        // SAFETY: as above.
        None => unsafe { put_outside(class, place.cast()) },
    }
}

fn this_thread() -> Option<&'static ThreadMemory> {
    // SAFETY: set by this thread for as long as the value lives, and used for one call only.
    unsafe { HERE.with(Cell::get).as_ref() }
}

/// Free memory for a thread that belongs to no theater.
fn take_outside(class: usize) -> NonNull<u8> {
    if !is_cut(class) {
        return allocate(class);
    }
    // A thread about to exit may have lost its memory already.
    OUTSIDE
        .try_with(|memory| memory.take(class))
        .unwrap_or_else(|_| ThreadMemory::outside().take(class))
}

/// # Safety
/// `memory` came from [`reserve`] for a type of `class` and is unused.
unsafe fn put_outside(class: usize, memory: NonNull<u8>) {
    if is_cut(class) {
        // SAFETY: by contract.
        let kept = OUTSIDE.try_with(|own| unsafe { own.put(class, memory) });
        if kept.is_ok() {
            return;
        }
    }
    // SAFETY: by contract, and nobody has taken it over.
    unsafe { give_back(class, Magazine::of(memory)) }
}

/// Free memory from below the magazines; `magazine` is empty and may receive some more.
#[cold]
fn obtain(class: usize, slabs: &Arc<Slabs>, magazine: &mut Magazine) -> NonNull<u8> {
    if is_cut(class) { slabs.take(class, magazine) } else { allocate(class) }
}

/// Gives free memory back to where it came from.
///
/// # Safety
/// All pieces came from [`obtain`] or [`allocate`] for `class`.
#[cold]
unsafe fn give_back(class: usize, mut pieces: Magazine) {
    if is_cut(class) {
        // SAFETY: pieces of this class are from slabs and nowhere else.
        return unsafe { slab::give_back(class, pieces) };
    }
    while let Some(memory) = pieces.pop() {
        // SAFETY: `allocate` used this layout, on this thread or another.
        unsafe { dealloc(memory.as_ptr(), layout_of(class)) };
    }
}

/// Where theaters made on this thread find spare slabs and leave theirs.
fn spare_of_this_thread() -> Arc<Spare> {
    if !SLABS {
        return Spare::new();
    }
    OUTSIDE.try_with(|memory| memory.spare().clone()).unwrap_or_else(|_| Spare::new())
}

fn allocate(class: usize) -> NonNull<u8> {
    // SAFETY: the layout is not empty.
    let fresh = unsafe { alloc(layout_of(class)) };
    NonNull::new(fresh).unwrap_or_else(|| handle_alloc_error(layout_of(class)))
}

#[cfg(test)]
mod tests;
