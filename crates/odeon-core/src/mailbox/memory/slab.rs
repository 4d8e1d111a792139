//! Slabs: some pages from the system's allocator, cut into small pieces of one size.
//!
//! Each piece has the address of its slab in front of it, each slab a count on the [`Slabs`] it
//! belongs to; so any thread can give a piece back, even when the theater or thread that cut it is
//! gone. A slab with pieces left to hand out is in its size's list; one whose pieces are all back
//! is spare and may be cut into another size.
//!
//! ```text
//! |<------ one line ------>|<------- stride: whole lines ------->|
//! | Slab        | ^slab    | piece                     | ^slab   | piece ...
//! ```
//!
//! Pieces that nobody had yet are cut one after the other, so pages are touched as they are needed.
//!
//! PROTOCOL
//! 1. The `pieces` of a slab are touched only under the lock of its class in its `slabs`; `slabs`
//!    and the addresses in front of the pieces do not change.
//! 2. A slab is in the list of its class exactly if it has a piece to hand out.
//! 3. A slab lives while a piece of it is out; whoever holds a piece may therefore read `slabs`.

use std::cell::UnsafeCell;
use std::ptr::NonNull;
use std::sync::Arc;

use odeon_sync::{Mutex, MutexGuard};

use super::magazine::Magazine;
use super::spare::{SLAB, Spare};
use super::{HEADER, LINE};

/// Sizes up to this many lines are cut from slabs.
///
/// TUNE: 768 bytes: up to there glibc adds some 112 bytes to an aligned piece, and nothing to one
/// of 1 KiB (measured 2026-11).
pub(super) const CLASSES: usize = 12;

/// TUNE: bytes of the pieces that are handed out under one lock: a page, a guess between locking
/// and memory that a thread has taken and does not need.
const BATCH: usize = 4 * 1024;

/// The slabs of a theater, or of a thread that belongs to none.
pub(super) struct Slabs {
    available: [Mutex<Available>; CLASSES],
    spare: Arc<Spare>,
}

/// The slabs of one size that have pieces to hand out.
#[derive(Default)]
struct Available {
    first: Option<NonNull<Slab>>,
}

// SAFETY: slabs belong to no thread; `slabs` is `Sync`, and the rest is touched under a lock.
unsafe impl Send for Available {}

/// The start of a slab.
struct Slab {
    slabs: Arc<Slabs>,
    /// Guarded by the lock of the slab's class in `slabs`.
    pieces: UnsafeCell<Pieces>,
}

/// What a slab has to hand out, and its place in the list.
struct Pieces {
    /// Pieces that came back.
    free: Magazine,
    /// Where the next piece is cut, if `uncut` is not 0.
    cut: NonNull<u8>,
    /// Pieces that nobody had yet.
    uncut: u32,
    /// Pieces that somebody has.
    out: u32,
    previous: Option<NonNull<Slab>>,
    next: Option<NonNull<Slab>>,
}

/// A line: the slab's fields, and behind them the address that belongs to the first piece.
const IN_FRONT: usize = size_of::<Slab>() + size_of::<NonNull<Slab>>();

const _: () = assert!(IN_FRONT <= LINE, "at most one line");

/// The distance between two pieces.
const fn stride(class: usize) -> usize {
    (class + 1) * LINE
}

/// Pieces in one slab, wherever in it a line begins; the last one needs no gap behind it.
const fn capacity(class: usize) -> u32 {
    let most_in_front = IN_FRONT + LINE - HEADER;
    ((SLAB - most_in_front + HEADER) / stride(class)) as u32
}

impl Slabs {
    pub(super) fn new(spare: Arc<Spare>) -> Arc<Self> {
        Arc::new(Self { available: std::array::from_fn(|_| Mutex::default()), spare })
    }

    /// A piece of size class `class`, and what else fits into a batch into `magazine`.
    pub(super) fn take(self: &Arc<Self>, class: usize, magazine: &mut Magazine) -> NonNull<u8> {
        let mut available = self.lock(class);
        let slab = available.first.unwrap_or_else(|| {
            let fresh = Slab::make(self.clone(), class);
            available.link(fresh);
            fresh
        });
        // SAFETY: slabs in a list live, and this list's lock is held.
        let pieces = unsafe { Slab::pieces(slab) };
        let piece = pieces.hand_out(slab, class).expect("protocol 2");
        for _ in 1..BATCH / stride(class) {
            let Some(piece) = pieces.hand_out(slab, class) else { break };
            // SAFETY: a piece is unused, and one line long at least.
            unsafe { magazine.push(piece) };
        }
        if pieces.are_exhausted() {
            available.unlink(slab);
        }
        piece
    }

    fn lock(&self, class: usize) -> MutexGuard<'_, Available> {
        self.available[class].lock().expect("nothing panics under a lock of slabs")
    }

    pub(super) fn spare(&self) -> &Arc<Spare> {
        &self.spare
    }
}

/// Gives pieces back to their slabs.
///
/// # Safety
/// All pieces came from [`Slabs::take`] for `class`, of any slabs.
pub(super) unsafe fn give_back(class: usize, mut pieces: Magazine) {
    let mut next = pieces.pop();
    while let Some(first) = next {
        // SAFETY: by contract. WHY a clone: the slab, which keeps the lock, may be freed under it.
        let slabs = unsafe { Slab::of(first).as_ref() }.slabs.clone();
        let mut available = slabs.lock(class);
        // As many as have the same lock.
        while let Some(piece) = next {
            // SAFETY: by contract.
            let slab = unsafe { Slab::of(piece) };
            // SAFETY: the piece keeps the slab (protocol 3).
            if !Arc::ptr_eq(unsafe { &slab.as_ref().slabs }, &slabs) {
                break;
            }
            // SAFETY: by contract, and the lock is held.
            if let Some(emptied) = unsafe { available.receive(slab, piece) } {
                // SAFETY: a slab with no piece out, which the list has forgotten.
                unsafe { slabs.spare.put(Slab::clear(emptied)) };
            }
            next = pieces.pop();
        }
    }
}

impl Available {
    /// The slab, now unknown to anybody else, if it was the last piece that was out.
    ///
    /// # Safety
    /// `piece` is of `slab`, out and unused; this is the list of that slab.
    unsafe fn receive(&mut self, slab: NonNull<Slab>, piece: NonNull<u8>) -> Option<NonNull<Slab>> {
        // SAFETY: the piece keeps the slab (protocol 3), and the list's lock is held.
        if unsafe { Slab::pieces(slab) }.are_exhausted() {
            self.link(slab);
        }
        // SAFETY: as above.
        let pieces = unsafe { Slab::pieces(slab) };
        // SAFETY: by contract.
        unsafe { pieces.free.push(piece) };
        pieces.out -= 1;
        (pieces.out == 0).then(|| {
            self.unlink(slab);
            slab
        })
    }

    /// Enters a live slab that is not in the list.
    fn link(&mut self, slab: NonNull<Slab>) {
        let next = self.first.replace(slab);
        // SAFETY: slabs in a list live, as does this one, and the list's lock is held.
        unsafe {
            Slab::pieces(slab).previous = None;
            Slab::pieces(slab).next = next;
            if let Some(next) = next {
                Slab::pieces(next).previous = Some(slab);
            }
        }
    }

    /// Takes out a slab that is in the list.
    fn unlink(&mut self, slab: NonNull<Slab>) {
        // SAFETY: slabs in a list live, and the list's lock is held.
        unsafe {
            let (previous, next) = (Slab::pieces(slab).previous, Slab::pieces(slab).next);
            match previous {
                Some(previous) => Slab::pieces(previous).next = next,
                None => self.first = next,
            }
            if let Some(next) = next {
                Slab::pieces(next).previous = previous;
            }
        }
    }
}

impl Slab {
    /// A slab with all its pieces still to be cut.
    fn make(slabs: Arc<Slabs>, class: usize) -> NonNull<Self> {
        let memory = slabs.spare.take();
        let start = memory.addr().get();
        let in_front = (start + IN_FRONT).next_multiple_of(LINE) - start;
        let pieces = Pieces {
            free: Magazine::EMPTY,
            // SAFETY: `capacity` leaves at least this much in front of the first piece.
            cut: unsafe { memory.add(in_front) },
            uncut: capacity(class),
            out: 0,
            previous: None,
            next: None,
        };
        let slab = memory.cast::<Self>();
        // SAFETY: unused memory, long enough and aligned for it.
        unsafe { slab.write(Self { slabs, pieces: UnsafeCell::new(pieces) }) };
        slab
    }

    /// The memory of a slab.
    ///
    /// # Safety
    /// No piece is out, and nobody will use the slab any more.
    unsafe fn clear(slab: NonNull<Self>) -> NonNull<u8> {
        // SAFETY: by contract.
        unsafe { slab.drop_in_place() };
        slab.cast()
    }

    /// The slab of a piece.
    ///
    /// # Safety
    /// `piece` came from a slab and is out.
    unsafe fn of(piece: NonNull<u8>) -> NonNull<Self> {
        // SAFETY: by contract; the address was written before the piece was first handed out, and
        // lies outside of every piece.
        unsafe { piece.cast::<NonNull<Self>>().sub(1).read() }
    }

    /// What the lock guards.
    ///
    /// # Safety
    /// The slab lives, the lock of its class is held for as long as the result is used, and no
    /// other result for the same slab is.
    unsafe fn pieces<'a>(slab: NonNull<Self>) -> &'a mut Pieces {
        // SAFETY: by contract (protocol 1).
        unsafe { &mut *slab.as_ref().pieces.get() }
    }
}

impl Pieces {
    fn are_exhausted(&self) -> bool {
        self.free.count() == 0 && self.uncut == 0
    }

    /// A piece of `slab`, whose pieces these are, if it has one.
    fn hand_out(&mut self, slab: NonNull<Slab>, class: usize) -> Option<NonNull<u8>> {
        let piece = self.free.pop().or_else(|| self.cut_one(slab, class))?;
        self.out += 1;
        Some(piece)
    }

    fn cut_one(&mut self, slab: NonNull<Slab>, class: usize) -> Option<NonNull<u8>> {
        self.uncut = self.uncut.checked_sub(1)?;
        let piece = self.cut;
        // SAFETY: `capacity` pieces fit into the slab, and this is one of them; the word in front
        // of it lies in the slab's first line or in the gap between two pieces.
        unsafe { piece.cast::<NonNull<Slab>>().sub(1).write(slab) };
        if self.uncut > 0 {
            // SAFETY: as above: there is a next piece.
            self.cut = unsafe { piece.add(stride(class)) };
        }
        Some(piece)
    }
}

#[cfg(test)]
mod tests;
