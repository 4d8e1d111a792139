//! The version word of a variable: when it was last written, by whom, and who holds it.
//!
//! ```text
//!   63    62                      15 14             3   2      1       0
//! +-------+-------------------------+----------------+------+-------+--------+
//! | write |          epoch          | slot or count  | label| wait  |prepared|
//! +-------+-------------------------+----------------+------+-------+--------+
//! ```
//!
//! | prepared, write | state | the middle field |
//! |---|---|---|
//! | 0 0 | free | slot of the attempt that wrote it; 0: nobody's; 4,095: newborn, never written |
//! | 0 1 | locked by a commit that will end within some instructions | slot of that attempt |
//! | 1 1 | locked by a prepared attempt | slot of that attempt |
//! | 1 0 | its value is protected by prepared attempts that read it | how many; the upper half: of a newborn |
//!
//! The epoch is that of the value in every state, so whoever meets a lock still knows how old the
//! value under it is. The write bit is the highest: one comparison with the first word of an epoch
//! tells that a value is older and that nobody is about to write it.

use std::fmt;

/// See the module.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct VersionWord(pub(crate) u64);

const WRITE: u64 = 1 << 63;
const PREPARED: u64 = 1;
const WAIT: u64 = 1 << 1;
const LABEL: u64 = 1 << 2;
const MIDDLE_SHIFT: u32 = 3;
const MIDDLE_BITS: u32 = 12;
const MIDDLE: u64 = ((1 << MIDDLE_BITS) - 1) << MIDDLE_SHIFT;
const EPOCH_SHIFT: u32 = MIDDLE_SHIFT + MIDDLE_BITS;

/// In the place of a slot's number: the value is the one with which the variable was made.
const NEWBORN: u64 = (1 << MIDDLE_BITS) - 1;
/// The greatest slot number.
pub(crate) const SLOT_MAX: u64 = NEWBORN - 1;
/// How many prepared attempts may protect one variable.
const PROTECTORS_MAX: u64 = (1 << (MIDDLE_BITS - 1)) - 1;
/// Beside the number of protectors: as `NEWBORN`.
const NEWBORN_PROTECTED: u64 = 1 << (MIDDLE_SHIFT + MIDDLE_BITS - 1);
/// The last epoch a word can hold.
pub(crate) const EPOCH_MAX: u64 = (1 << (63 - EPOCH_SHIFT)) - 1;

/// Who holds a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VariableHolder {
    /// Nobody.
    Free,
    /// A commit that is under way.
    Committing,
    /// A prepared attempt that will write it.
    PreparedWrite,
    /// Prepared attempts that have read it.
    PreparedRead,
}

impl VersionWord {
    /// No word, where none is known yet.
    pub(crate) const NONE: Self = Self(0);

    /// The word of a variable that is made in `epoch`.
    #[inline(always)]
    pub(crate) fn newborn(epoch: u64) -> Self {
        debug_assert!(epoch <= EPOCH_MAX);
        Self(epoch << EPOCH_SHIFT | NEWBORN << MIDDLE_SHIFT)
    }

    /// The least word of a variable that somebody is about to write; all other words are below.
    pub(crate) const FIRST_WRITE_HELD: u64 = WRITE;

    /// The word of a value written in `epoch` by the attempt of `slot`.
    #[inline(always)]
    pub(crate) fn written(epoch: u64, slot: u64) -> Self {
        debug_assert!(epoch <= EPOCH_MAX && slot <= SLOT_MAX);
        Self(epoch << EPOCH_SHIFT | slot << MIDDLE_SHIFT)
    }

    /// The least word of `epoch`: below it is exactly each word of an older value that nobody is
    /// about to write.
    #[inline(always)]
    pub(crate) fn first_of(epoch: u64) -> u64 {
        epoch << EPOCH_SHIFT
    }

    #[inline(always)]
    pub(crate) fn epoch(self) -> u64 {
        (self.0 & !WRITE) >> EPOCH_SHIFT
    }

    /// The slot of the writer or holder; meaningless while protected by readers.
    #[inline(always)]
    pub(crate) fn slot(self) -> u64 {
        (self.0 & MIDDLE) >> MIDDLE_SHIFT
    }

    #[inline(always)]
    pub(crate) fn held(self) -> VariableHolder {
        match (self.0 & PREPARED != 0, self.0 & WRITE != 0) {
            (false, false) => VariableHolder::Free,
            (false, true) => VariableHolder::Committing,
            (true, true) => VariableHolder::PreparedWrite,
            (true, false) => VariableHolder::PreparedRead,
        }
    }

    /// Whether somebody is about to write it, be it soon or when it is decided.
    #[inline(always)]
    pub(crate) fn is_write_held(self) -> bool {
        self.0 & WRITE != 0
    }

    /// Whether nobody holds it, or waits for it.
    #[inline(always)]
    pub(crate) fn is_free_without_waiters(self) -> bool {
        self.0 & (WRITE | PREPARED | WAIT) == 0
    }

    /// What tells whether a word [is free and of](Self::is_free_and_of) the attempts of `slot`.
    #[inline(always)]
    pub(crate) fn mark_of(slot: u64) -> u64 {
        slot << MIDDLE_SHIFT
    }

    /// Whether it is free and was written by the attempts of the slot with this
    /// [mark](Self::mark_of).
    #[inline(always)]
    pub(crate) fn is_free_and_of(self, mark: u64) -> bool {
        self.0 & (MIDDLE | PREPARED | WRITE) == mark
    }

    /// Whether it is free and its variable was never written.
    #[inline(always)]
    pub(crate) fn is_newborn(self) -> bool {
        self.is_free_and_of(Self::mark_of(NEWBORN))
    }

    /// Whether its variable was never written and nobody is about to.
    pub(crate) fn is_at_first_value(self) -> bool {
        match self.held() {
            VariableHolder::Free => self.is_newborn(),
            VariableHolder::PreparedRead => self.0 & NEWBORN_PROTECTED != 0,
            VariableHolder::Committing | VariableHolder::PreparedWrite => false,
        }
    }

    #[inline(always)]
    pub(crate) fn has_waiters(self) -> bool {
        self.0 & WAIT != 0
    }

    #[inline(always)]
    pub(crate) fn is_labelled(self) -> bool {
        self.0 & LABEL != 0
    }

    #[inline(always)]
    pub(crate) fn with_waiters(self) -> Self {
        Self(self.0 | WAIT)
    }

    /// A word that has waiters, or a label, if this one or `other` has; good for nothing else.
    #[inline(always)]
    pub(crate) fn with_flags_of(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline(always)]
    pub(crate) fn without_waiters(self) -> Self {
        Self(self.0 & !WAIT)
    }

    #[inline(always)]
    pub(crate) fn with_label(self) -> Self {
        Self(self.0 | LABEL)
    }

    /// This word with the label flag of `other`.
    #[inline(always)]
    pub(crate) fn labelled_as(self, other: Self) -> Self {
        Self(self.0 & !LABEL | other.0 & LABEL)
    }

    /// Whether a variable that was read under this word can be said to have the same value under
    /// `now`. Equal epochs say so if they were over before `limit`, up to which the reader has
    /// looked, or if none but the first value was ever there (I5).
    #[inline(always)]
    pub(crate) fn is_unchanged_as(self, now: Self, limit: u64) -> bool {
        let now = now.without_waiters();
        self.without_waiters() == now
            || self.epoch() == now.epoch() && (self.0 < limit || now.is_at_first_value())
    }

    /// A free word, taken by a commit.
    #[inline(always)]
    pub(crate) fn committing(self, slot: u64) -> Self {
        Self(self.0 & !(MIDDLE | PREPARED) | slot << MIDDLE_SHIFT | WRITE)
    }

    /// A free word, taken by an attempt that prepares.
    #[inline(always)]
    pub(crate) fn prepared_write(self, slot: u64) -> Self {
        Self(self.0 & !MIDDLE | slot << MIDDLE_SHIFT | WRITE | PREPARED)
    }

    /// A prepared write whose outcome is known: a commit is at it.
    #[inline(always)]
    pub(crate) fn decided(self) -> Self {
        Self(self.0 & !(PREPARED | WAIT))
    }

    /// A free or protected word with one more protector; `None` if there is no room for more.
    #[inline]
    pub(crate) fn protected(self) -> Option<Self> {
        debug_assert!(!self.is_write_held());
        let mark = if self.is_at_first_value() { NEWBORN_PROTECTED } else { 0 };
        let protectors = self.protectors();
        (protectors < PROTECTORS_MAX)
            .then(|| Self(self.0 & !MIDDLE | mark | (protectors + 1) << MIDDLE_SHIFT | PREPARED))
    }

    /// A protected word with one protector less; without any it is free, and a newborn's or
    /// nobody's, because who wrote it is not known any more.
    #[inline]
    pub(crate) fn unprotected(self) -> Self {
        debug_assert!(self.held() == VariableHolder::PreparedRead && self.protectors() > 0);
        match self.protectors() - 1 {
            0 if self.is_at_first_value() => Self((self.0 | MIDDLE) & !PREPARED),
            0 => Self(self.0 & !(MIDDLE | PREPARED)),
            _ => Self(self.0 - (1 << MIDDLE_SHIFT)),
        }
    }

    /// This word, taken or not, when its last protector has let go of it.
    pub(crate) fn freed(self) -> Self {
        if self.held() == VariableHolder::PreparedRead { self.unprotected() } else { self }
    }

    /// How many prepared attempts protect a free or protected word.
    pub(crate) fn protectors(self) -> u64 {
        if self.0 & PREPARED == 0 { 0 } else { self.slot() & PROTECTORS_MAX }
    }

    /// The free word that stood here before it was locked: `before` with the waiters that came
    /// since.
    #[inline(always)]
    pub(crate) fn restored(self, before: Self) -> Self {
        Self(before.0 | self.0 & WAIT)
    }
}

impl fmt::Debug for VersionWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VersionWord")
            .field("epoch", &self.epoch())
            .field("slot", &self.slot())
            .field("held", &self.held())
            .field("waiters", &self.has_waiters())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_keeps_the_epoch_and_the_flags() {
        let word = VersionWord::written(77, 5).with_label().with_waiters();
        for taken in [word.committing(9), word.prepared_write(9), word.protected().unwrap()] {
            assert_eq!(taken.epoch(), 77);
            assert!(taken.is_labelled() && taken.has_waiters());
        }
        assert_eq!(word.committing(9).held(), VariableHolder::Committing);
        assert_eq!(word.committing(9).slot(), 9);
        assert_eq!(word.prepared_write(9).held(), VariableHolder::PreparedWrite);
        assert_eq!(word.committing(9).restored(word.without_waiters()), word);
    }

    #[test]
    fn protectors_are_counted_and_the_last_one_leaves_a_word_of_nobody() {
        let word = VersionWord::written(3, 5);
        let once = word.protected().unwrap();
        let twice = once.protected().unwrap();
        assert_eq!((twice.held(), twice.slot()), (VariableHolder::PreparedRead, 2));
        assert_eq!(twice.unprotected(), once);
        assert_eq!(once.unprotected(), VersionWord::written(3, 0));
        for word in [word, VersionWord::newborn(3)] {
            let full = VersionWord(word.protected().unwrap().0 | PROTECTORS_MAX << MIDDLE_SHIFT);
            assert_eq!((full.protected(), full.is_at_first_value()), (None, word.is_newborn()));
        }
    }

    #[test]
    fn a_variable_is_newborn_until_it_is_written() {
        let word = VersionWord::newborn(3).with_label().with_waiters();
        let once = word.protected().unwrap();
        let twice = once.protected().unwrap();
        assert_eq!((twice.unprotected(), once.unprotected()), (once, word));
        assert_eq!(word.committing(9).restored(word), word);
        assert!([word, once, twice].into_iter().all(VersionWord::is_at_first_value));
        assert!(word.is_newborn() && !once.is_newborn() && once.epoch() == 3);
        assert!(!word.is_free_and_of(SLOT_MAX) && !word.is_free_and_of(0));
        for other in [
            word.committing(9),
            word.prepared_write(SLOT_MAX),
            VersionWord::written(3, SLOT_MAX),
            VersionWord::written(3, SLOT_MAX).protected().unwrap(),
            VersionWord::written(3, SLOT_MAX).protected().unwrap().unprotected(),
        ] {
            assert!(!other.is_newborn() && !other.is_at_first_value(), "{other:?}");
        }
    }

    #[test]
    fn a_word_is_below_the_first_of_an_epoch_exactly_if_it_is_older_and_not_write_held() {
        let word = VersionWord::newborn(7).with_label().with_waiters();
        assert!(word.0 < VersionWord::first_of(8));
        assert!(word.0 >= VersionWord::first_of(7));
        assert!(word.protected().unwrap().0 < VersionWord::first_of(8));
        for held in [word.committing(9), word.prepared_write(9)] {
            assert!(held.0 >= VersionWord::first_of(EPOCH_MAX));
        }
    }
}
