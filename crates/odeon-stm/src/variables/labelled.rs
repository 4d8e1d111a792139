//! Variables with a name, for reports of conflicts.

use crate::domain::Domain;
use crate::domain::cell::Cell;
use crate::variables::tcounter::TCounter;
use crate::variables::tlink::TLink;
use crate::variables::tvar::TVar;
use crate::variables::tword::{TWord, Word};
use crate::{TMax, TMin};
use std::fmt;
use std::ops::Deref;

/// A variable, or a [collection](crate::collections), with a name:
/// [`Stats::rollbacks_by_label`](crate::Stats::rollbacks_by_label) tells how often attempts were
/// rolled back because of it. It stands behind a pointer; otherwise it is used like the variable
/// itself.
///
/// A collection with a name enters each of its elements in a table when that comes and takes it out
/// when it goes; counters of elements (`len`) have none. Its operations take longer by that: a
/// means to find conflicts, not for each collection of a program.
///
/// ```
/// use odeon_stm::{Labelled, TMap, TVar, atomically};
///
/// let total = Labelled::new("total", TVar::new(0_u64));
/// atomically(|tx| total.update(tx, |n| n + 1));
/// assert_eq!(total.peek(), 1);
///
/// let stock: Labelled<TMap<_, _>> = Labelled::new("stock", [("nails", 500)].into_iter().collect());
/// assert_eq!(atomically(|tx| stock.get_copied(tx, "nails")), Some(500));
/// ```
pub struct Labelled<V: Variable> {
    variable: Box<V>,
    name: &'static str,
}

/// What can have a [name](Labelled): a variable, or a collection.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be called by a name in reports",
    note = "a `TVar`, a `TWord`, a `TLink`, a `TCounter`, a `TMax`, a `TMin` and all collections can"
)]
pub trait Variable: Nameable {}

pub(crate) mod sealed {
    use super::Name;

    pub trait Nameable {
        /// All its cells are called so, those to come too. It stays where it is from now on, and
        /// nobody else has it.
        #[doc(hidden)]
        fn be_called(&mut self, name: Name);

        /// It ends. What frees its cells itself says so there.
        #[doc(hidden)]
        fn is_called_no_more(&mut self) {}
    }
}

use sealed::Nameable;

/// The name of a collection, for the cells that it makes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Name(Option<&'static str>);

impl Name {
    /// Whether cells are to be called by it.
    #[inline(always)]
    pub(crate) fn is_given(self) -> bool {
        self.0.is_some()
    }

    /// Calls a cell so, which stays where it is and which nobody else has: its word is free, and
    /// stays as it is.
    #[cold]
    pub(crate) fn give(self, cell: &Cell) {
        let Some(name) = self.0 else { return };
        cell.set_word(cell.word().with_label());
        Domain::shared().labels.add(cell.address(), name);
    }
}

macro_rules! variable {
    ([$($parameter:tt)*] $variable:ty) => {
        impl<$($parameter)*> Nameable for $variable {
            fn be_called(&mut self, name: Name) {
                name.give(self.as_cell());
            }

            fn is_called_no_more(&mut self) {
                Domain::shared().labels.remove(self.as_cell().address());
            }
        }
        impl<$($parameter)*> Variable for $variable {}
    };
}

variable!([T: Send + Sync + 'static] TVar<T>);
variable!([N: Send + Sync + 'static] TLink<N>);
variable!([T: Word] TWord<T>);
variable!([] TMax);
variable!([] TMin);

/// Each of its parts.
impl Nameable for TCounter {
    fn be_called(&mut self, name: Name) {
        self.parts().for_each(|part| name.give(part));
    }

    fn is_called_no_more(&mut self) {
        self.parts().for_each(|part| Domain::shared().labels.remove(part.address()));
    }
}

impl Variable for TCounter {}

impl<V: Variable> Labelled<V> {
    /// Calls `variable` by that name.
    pub fn new(name: &'static str, variable: V) -> Self {
        let mut variable = Box::new(variable);
        variable.be_called(Name(Some(name)));
        Self { variable, name }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

impl<V: Variable> Deref for Labelled<V> {
    type Target = V;

    #[inline(always)]
    fn deref(&self) -> &V {
        &self.variable
    }
}

impl<V: Variable> Drop for Labelled<V> {
    fn drop(&mut self) {
        self.variable.is_called_no_more();
    }
}

impl<V: Variable + fmt::Debug> fmt::Debug for Labelled<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Labelled")
            .field("name", &self.name)
            .field("variable", &self.variable)
            .finish()
    }
}
