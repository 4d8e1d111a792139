//! The greatest or least number that transactions have offered.

use crate::attempt::peek;
use crate::attempt::transaction::{Tx, View};
use crate::attempt::write_set::WriteKind;
use crate::domain::cell::Cell;
use crate::words::abort::Rollback;
use std::fmt;

fn greater(left: u64, right: u64) -> u64 {
    (left as i64).max(right as i64) as u64
}

fn less(left: u64, right: u64) -> u64 {
    (left as i64).min(right as i64) as u64
}

macro_rules! extreme {
    ($(#[$doc:meta])* $name:ident, $offer:ident, $choose:ident, $example:literal) => {
        $(#[$doc])*
        ///
        /// An offer is kept until the commit and compared there, so offers of different
        /// transactions do not conflict; one that changes nothing conflicts with nobody.
        ///
        /// ```
        #[doc = $example]
        /// ```
        #[repr(transparent)]
        pub struct $name(Cell);

        impl $name {
            /// A variable with this value.
            pub fn new(value: i64) -> Self {
                Self(Cell::new(value as u64))
            }

            /// Offers a value, from the commit on.
            ///
            /// # Errors
            ///
            /// [`Rollback`] if the attempt cannot go on.
            #[inline]
            #[track_caller]
            pub fn $offer<'t>(&'t self, tx: &mut Tx<'t>, value: i64) -> Result<(), Rollback> {
                tx.writer().write(&self.0, value as u64, WriteKind::Change($choose))
            }

            /// The value, with what this attempt has offered.
            ///
            /// # Errors
            ///
            /// [`Rollback`] if the attempt cannot go on.
            #[inline]
            pub fn get<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<i64, Rollback> {
                Ok(view.attempt().read(&self.0)? as i64)
            }

            pub(crate) fn as_cell(&self) -> &Cell {
                &self.0
            }

            /// The latest committed value; see [`TVar::peek`](crate::TVar::peek).
            pub fn peek(&self) -> i64 {
                peek::bits(&self.0) as i64
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("version", &self.0.word()).finish_non_exhaustive()
            }
        }
    };
}

extreme! {
    /// The greatest number offered so far.
    TMax, raise, greater,
    "use odeon_stm::{TMax, atomically};\nlet best = TMax::new(3);\natomically(|tx| best.raise(tx, 7));\natomically(|tx| best.raise(tx, 5));\nassert_eq!(best.peek(), 7);"
}

extreme! {
    /// The least number offered so far.
    TMin, lower, less,
    "use odeon_stm::{TMin, atomically};\nlet cheapest = TMin::new(9);\natomically(|tx| cheapest.lower(tx, -2));\natomically(|tx| cheapest.lower(tx, 5));\nassert_eq!(cheapest.peek(), -2);"
}
