//! Collections of transactional variables: they are read and written within transactions, together
//! with any other variables, and read within snapshots.
//!
//! | collection | what does not conflict |
//! |---|---|
//! | [`TList`] | changes at different places of one sorted list |
//! | [`TMap`], [`TSet`] | changes of different keys |
//! | [`TQueue`] | a push and a pop, unless at most one element is left |
//! | [`TVec`] | changes of different places; reads of a place and pushes behind it |
//! | [`TOrdMap`] | changes of different keys that are no neighbours |
//!
//! References that operations answer live as long as the attempt: also those to elements that this
//! or another transaction removes meanwhile. Elements are not moved out, because snapshots may be
//! at them.
//!
//! Whatever is removed writes `None` into its own links. So an attempt that stands on it is in
//! conflict, and what is removed never keeps its former neighbours alive.
//!
//! In a [relaxed](crate::Mode::Relaxed) attempt an operation reads each variable on its way at
//! another moment. Each ends, and none panics, but it may say what was true at no single moment:
//!
//! | collection | what a relaxed operation may say |
//! |---|---|
//! | [`TMap`], [`TSet`] | of each key what was so at some moment while it ran; a walk sees no key twice, and each key that stays |
//! | [`TList`], [`TOrdMap`] | the same of the keys that it meets, in their order; if a key where it stands is removed, that it has come to the end |
//! | [`TQueue`] | a walk sees elements in their order; if the one where it stands is taken off, it ends there |
//! | [`TVec`] | each place as it was at some moment |
//! | `len` of all but [`TVec`] | a number that differs by what comes and goes meanwhile, not below 0 |
//!
//! The feature `serde` writes and reads all of them in the formats of that crate, also within each
//! other.

mod counted;
mod hashing;
mod journaled;
mod list;
mod map;
mod ord_map;
mod queue;
mod serde;
mod set;
mod vec;

pub use hashing::{QuickHasher, QuickState};
pub use list::{ListIter, TList};
pub use map::TMap;
pub use ord_map::TOrdMap;
pub use queue::TQueue;
pub use set::TSet;
pub use vec::TVec;

/// How many there are, by a counter whose parts a relaxed attempt may have read at different
/// moments: removals without the insertions before them.
fn number(counted: i64) -> usize {
    counted.max(0) as usize
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_number_is_not_below_zero() {
        assert_eq!([-1, 0, 7].map(super::number), [0, 0, 7]);
    }
}
