//! The number of a link.

use std::num::NonZeroU32;

/// Which of the links that a theater makes in its life, one after the other: each has a greater
/// epoch than the one before.
///
/// Packets carry the epochs of both ends, so what belongs to an ended link never gets into the next
/// one.
///
/// ```
/// use odeon_theater::Epoch;
///
/// let first = Epoch::FIRST;
/// assert!(first.next() > first);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(NonZeroU32);

impl Epoch {
    /// Of the first link of a theater.
    pub const FIRST: Self = Self(NonZeroU32::MIN);

    /// Of the link after the one of this epoch.
    ///
    /// # Panics
    /// After 4,294,967,295 links: the theater has to be started again.
    #[must_use]
    #[track_caller]
    pub fn next(self) -> Self {
        Self(self.0.checked_add(1).expect("a theater makes fewer links than there are epochs"))
    }

    pub(crate) fn number(self) -> u32 {
        self.0.get()
    }

    pub(crate) fn from_number(number: u32) -> Option<Self> {
        NonZeroU32::new(number).map(Self)
    }
}
