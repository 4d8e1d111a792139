//! The core of every variable: a version word and 64 bits beside it, without a type.
//!
//! PROTOCOL
//! 1. `bits` is written only by the holder of the write lock, after the lock and before the new
//!    word.
//! 2. A word that is held by a commit (0 1) is changed by nobody but its holder.
//! 3. Whoever takes or changes a word in another state does so by compare-and-swap.

use crate::domain::Domain;
use crate::words::flaw::Flaw;
use crate::words::version_word::VersionWord;
use odeon_sync::atomic::{AtomicU64, Ordering};

/// See the module.
#[derive(Debug)]
pub(crate) struct Cell {
    word: AtomicU64,
    bits: AtomicU64,
}

impl Cell {
    /// A cell of this process's domain.
    #[inline]
    pub(crate) fn new(bits: u64) -> Self {
        Self::new_in(Domain::shared(), bits)
    }

    /// A cell for attempts of `domain`.
    #[inline]
    pub(crate) fn new_in(domain: &Domain, bits: u64) -> Self {
        let late = u64::from(domain.has(Flaw::BornTooLate));
        let word = VersionWord::newborn(domain.clock.at_birth() + late);
        Self { word: AtomicU64::new(word.0), bits: AtomicU64::new(bits) }
    }

    /// The address, by which logs and tables know the cell.
    #[inline(always)]
    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    #[inline(always)]
    pub(crate) fn word(&self) -> VersionWord {
        // ORDERING: Acquire, from the Release of `publish`: the bits read after it are at least as
        // new as the word.
        VersionWord(self.word.load(Ordering::Acquire))
    }

    /// The bits under `word`, or `None` if a writer was there since `word` was read.
    #[inline(always)]
    pub(crate) fn bits_under(&self, word: VersionWord) -> Option<u64> {
        // ORDERING: Acquire, from the Release store of the bits in `publish`: bits newer than
        // `word` make the lock that came before them visible to the load below.
        let bits = self.bits.load(Ordering::Acquire);
        (self.word.load(Ordering::Relaxed) == word.0).then_some(bits)
    }

    /// The bits, for who knows that nobody writes them at the moment.
    #[inline(always)]
    pub(crate) fn bits(&self) -> u64 {
        // ORDERING: Acquire, from the Release of `publish`: what the bits point to is visible.
        self.bits.load(Ordering::Acquire)
    }

    /// Takes or changes the word if it still is `from`.
    #[inline(always)]
    pub(crate) fn exchange(&self, from: VersionWord, to: VersionWord) -> Result<(), VersionWord> {
        // ORDERING: AcqRel: the taker sees what the last holder wrote, and what a protector gives
        // back is ordered before the next one. A caller that then looks at other words puts a full
        // fence between.
        self.word
            .compare_exchange(from.0, to.0, Ordering::AcqRel, Ordering::Acquire)
            .map(|_| ())
            .map_err(VersionWord)
    }

    /// Holder of a commit's lock: new bits and, with them, the free word.
    #[inline(always)]
    pub(crate) fn publish(&self, bits: u64, word: VersionWord) {
        // ORDERING: Release twice: the bits after the lock (see `bits_under`), the word after the
        // bits (see `word`).
        self.bits.store(bits, Ordering::Release);
        self.word.store(word.0, Ordering::Release);
    }

    /// Holder of a commit's lock, or the only owner: another word over the same bits.
    #[inline(always)]
    pub(crate) fn set_word(&self, word: VersionWord) {
        // ORDERING: Release: as in `publish`.
        self.word.store(word.0, Ordering::Release);
    }

    /// The cell's life ends, or that of its place: nothing is called by its name there any more.
    #[inline(always)]
    pub(crate) fn forget_label(&mut self) {
        // ORDERING: Relaxed: `&mut` is exclusive.
        if VersionWord(self.word.load(Ordering::Relaxed)).is_labelled() {
            Domain::shared().labels.remove(self.address());
        }
    }

    /// The bits at the end of the cell's life.
    pub(crate) fn take_bits(&mut self) -> u64 {
        // ORDERING: Relaxed: `&mut` is exclusive.
        self.bits.load(Ordering::Relaxed)
    }
}
