//! What an attempt has read: variables and the words they had.

use crate::domain::cell::Cell;
use crate::words::version_word::VersionWord;

/// One logged read. The cell lives while the attempt runs: the attempt's API borrows variables for
/// that long, and what is reached through links is held by the attempt's slot (I4).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Read {
    cell: *const Cell,
    pub(crate) word: VersionWord,
}

impl Read {
    #[inline(always)]
    pub(crate) fn cell(&self) -> &Cell {
        // SAFETY: see the type.
        unsafe { &*self.cell }
    }
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct ReadSet(Vec<Read>);

impl ReadSet {
    #[inline(always)]
    pub(crate) fn add(&mut self, cell: &Cell, word: VersionWord) {
        self.0.push(Read { cell, word });
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[Read] {
        &self.0
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// If the last read is of this variable: takes it out, and answers its word.
    #[inline(always)]
    pub(crate) fn take_last_of(&mut self, cell: &Cell) -> Option<VersionWord> {
        let word = self.0.last().filter(|read| std::ptr::eq(read.cell, cell))?.word;
        self.0.truncate(self.0.len() - 1);
        Some(word)
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Forgets what was read from place `from` on, but for the last `keep` reads: the caller has
    /// read these variables to find its way only, and argues that nothing hangs on them any more.
    #[inline(always)]
    pub(crate) fn forget(&mut self, from: usize, keep: usize) {
        let len = self.0.len();
        if len > from + keep {
            self.0.copy_within(len - keep.., from);
            self.0.truncate(from + keep);
        }
    }

    /// Each variable read from place `from` on once: of several reads of one variable one is
    /// enough, all have seen one word.
    pub(crate) fn deduplicate(&mut self, from: usize) {
        if from > 0 {
            let mut reads = self.0.split_off(from);
            sort(&mut reads);
            self.0.append(&mut reads);
        } else {
            sort(&mut self.0);
        }
    }

    /// Puts `read` at `place`, which is taken.
    pub(crate) fn put(&mut self, place: usize, read: Read) {
        self.0[place] = read;
    }

    /// Forgets what stands from place `len` on.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// From place `from` on there is what `reads` says.
    pub(crate) fn replace(&mut self, from: usize, reads: &[Read]) {
        self.0.truncate(from);
        self.0.extend_from_slice(reads);
    }
}

fn sort(reads: &mut Vec<Read>) {
    reads.sort_unstable_by_key(|read| read.cell.addr());
    reads.dedup_by_key(|read| read.cell.addr());
}
