//! What an attempt will write: new bits per variable, and changes that commute.

use crate::domain::cell::Cell;
use crate::domain::garbage::{Owned, OwnedType};
use crate::words::version_word::VersionWord;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// What the bits of a write are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WriteKind {
    /// A value without anything to free.
    Plain,
    /// A value of this type, which owns something.
    Owning(&'static OwnedType),
    /// A change, applied at the commit to the value that is there then. The function is associative
    /// and commutative, so it also joins two changes.
    Change(fn(u64, u64) -> u64),
}

/// One variable to be written.
#[derive(Debug)]
pub(crate) struct Write {
    cell: *const Cell,
    pub(crate) bits: u64,
    pub(crate) kind: WriteKind,
    /// The word before the lock. While the variable is not locked: the word under which it was
    /// read, if it was, and meaningless otherwise.
    pub(crate) before: VersionWord,
    /// Whether the new value was made of the old one, so that the commit has to find that
    /// unchanged.
    pub(crate) is_update: bool,
}

impl Write {
    #[inline(always)]
    pub(crate) fn cell(&self) -> &Cell {
        // SAFETY: as for `Read`: the cell lives while the attempt runs.
        unsafe { &*self.cell }
    }
}

/// TUNE: writes that are searched one by one; beyond, by a table. Guessed: half a page of entries.
const SEARCHED_LINEARLY: usize = 16;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct WriteSet {
    writes: Vec<Write>,
    /// One bit per variable, several to a bit: no bit, no write.
    filter: u64,
    places: HashMap<usize, usize, BuildHasherDefault<AddressHasher>>,
    /// Values that were replaced since a nested closure began, and where they stood.
    replaced: Vec<(usize, u64, WriteKind)>,
    nested: usize,
    /// Whether there is, or was, a table or a nested closure, or the set is watched.
    has_more: bool,
    /// Whether the filter has all bits, so that each access takes the slow way
    /// (`attempt/watched.rs`).
    is_watched: bool,
    /// Values that will not be published. The closure may hold references to them, and the logs
    /// point to variables in them: they live until the attempt has ended.
    left: Vec<Owned>,
}

/// A place in the log to which a nested closure may have to return.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogMark {
    pub(crate) writes: usize,
    replaced: usize,
}

#[inline(always)]
fn filter_bit(address: usize) -> u64 {
    // Fibonacci hashing of the lower half: neighbours get different bits, and so do equal places in
    // pages.
    1 << ((address as u32).wrapping_mul(0x9E37_79B9) >> 26)
}

impl WriteSet {
    /// Whether `cell` may be in the set; `false` is sure.
    #[inline(always)]
    pub(crate) fn may_hold(&self, cell: &Cell) -> bool {
        self.filter != 0 && self.filter & filter_bit(cell.address()) != 0
    }

    /// Says of every variable from here on that it may be in the set.
    pub(crate) fn watch(&mut self) {
        (self.is_watched, self.has_more, self.filter) = (true, true, !0);
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// The place of `cell`.
    pub(crate) fn find(&self, cell: &Cell) -> Option<usize> {
        if !self.may_hold(cell) {
            return None;
        }
        if self.writes.len() <= SEARCHED_LINEARLY {
            return self.writes.iter().position(|write| std::ptr::eq(write.cell, cell));
        }
        self.places.get(&cell.address()).copied()
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[Write] {
        &self.writes
    }

    #[inline(always)]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [Write] {
        &mut self.writes
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Adds a variable that is not in the set; if its value was made of the old one, with the word
    /// under which that was read.
    #[inline(always)]
    pub(crate) fn add(
        &mut self,
        cell: &Cell,
        bits: u64,
        kind: WriteKind,
        read: Option<VersionWord>,
    ) {
        let (before, is_update) = (read.unwrap_or(VersionWord::NONE), read.is_some());
        self.push(Write { cell, bits, kind, before, is_update });
    }

    #[inline(always)]
    fn push(&mut self, write: Write) {
        self.filter |= filter_bit(write.cell.addr());
        self.writes.push(write);
        if self.writes.len() > SEARCHED_LINEARLY {
            self.index();
        }
    }

    #[cold]
    fn index(&mut self) {
        self.has_more = true;
        if self.writes.len() == SEARCHED_LINEARLY + 1 {
            self.places.clear();
            let places = self.writes.iter().enumerate();
            self.places.extend(places.map(|(place, write)| (write.cell.addr(), place)));
        } else {
            let place = self.writes.len() - 1;
            self.places.insert(self.writes[place].cell.addr(), place);
        }
    }

    /// Another value for the variable at `place`.
    pub(crate) fn replace(&mut self, place: usize, bits: u64, kind: WriteKind) {
        let write = &mut self.writes[place];
        let old =
            (std::mem::replace(&mut write.bits, bits), std::mem::replace(&mut write.kind, kind));
        if self.nested > 0 {
            self.replaced.push((place, old.0, old.1));
        } else {
            self.leave(old.0, old.1);
        }
    }

    /// A value that will not be published.
    pub(crate) fn leave(&mut self, bits: u64, kind: WriteKind) {
        if let WriteKind::Owning(of) = kind {
            // SAFETY: the value is the log's alone, and leaves it here.
            self.left.push(unsafe { Owned::new(bits, of) });
        }
    }

    /// What was not published, to be dropped after the end of the attempt, where user code may run.
    #[inline(always)]
    pub(crate) fn take_left(&mut self) -> Vec<Owned> {
        std::mem::take(&mut self.left)
    }

    #[inline(always)]
    pub(crate) fn has_left(&self) -> bool {
        !self.left.is_empty()
    }

    /// Whether a nested closure has begun.
    #[inline(always)]
    pub(crate) fn is_nested(&self) -> bool {
        self.nested > 0
    }

    /// A nested closure begins.
    pub(crate) fn nest(&mut self) -> LogMark {
        self.nested += 1;
        self.has_more = true;
        LogMark { writes: self.writes.len(), replaced: self.replaced.len() }
    }

    /// As if a nested closure had begun before the first write; there is none.
    pub(crate) fn nest_from_the_start(&mut self) -> LogMark {
        debug_assert!(self.nested == 0 && self.replaced.is_empty());
        self.nest();
        LogMark { writes: 0, replaced: 0 }
    }

    /// The nested closure has succeeded: its writes are its surroundings'.
    pub(crate) fn keep_nested(&mut self) {
        self.nested -= 1;
        if self.nested == 0 {
            self.leave_replaced();
        }
    }

    fn leave_replaced(&mut self) {
        for (_, bits, kind) in std::mem::take(&mut self.replaced) {
            self.leave(bits, kind);
        }
    }

    /// The nested closure has failed: everything is as at `mark`. `gone` is told of each write that
    /// goes.
    pub(crate) fn undo_nested(&mut self, mark: LogMark, mut gone: impl FnMut(&Write)) {
        self.nested -= 1;
        for (place, bits, kind) in self.replaced.split_off(mark.replaced).into_iter().rev() {
            let write = &mut self.writes[place];
            let (bits, kind) = (
                std::mem::replace(&mut write.bits, bits),
                std::mem::replace(&mut write.kind, kind),
            );
            self.leave(bits, kind);
        }
        for write in self.writes.split_off(mark.writes).into_iter().rev() {
            gone(&write);
            self.places.remove(&write.cell.addr());
            self.leave(write.bits, write.kind);
        }
        // The filter keeps bits of writes that are gone, which costs searches and nothing else.
    }

    /// Empties the set; the bits are somebody else's already.
    #[inline(always)]
    pub(crate) fn forget(&mut self) {
        self.writes.clear();
        self.reset();
    }

    /// Empties the set and leaves the values.
    pub(crate) fn discard(&mut self) {
        while let Some(write) = self.writes.pop() {
            self.leave(write.bits, write.kind);
        }
        self.reset();
    }

    #[inline(always)]
    fn reset(&mut self) {
        self.filter = 0;
        if self.has_more {
            self.reset_more();
        }
    }

    #[cold]
    fn reset_more(&mut self) {
        self.has_more = false;
        if self.is_watched {
            self.watch();
        }
        self.nested = 0;
        self.leave_replaced();
        self.places.clear();
    }
}

/// Addresses need only be spread.
#[derive(Debug, Default)]
pub(crate) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("the keys are addresses");
    }

    fn write_usize(&mut self, address: usize) {
        let spread = (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = spread ^ spread >> 32;
    }
}
