//! Variables with a name, for reports of conflicts.

use crate::domain::Domain;
use crate::tlink::TLink;
use crate::tvar::TVar;
use crate::tword::{TWord, Word};
use crate::{TMax, TMin};
use std::fmt;
use std::ops::Deref;

/// A variable with a name: [`Stats::rollbacks_by_label`](crate::Stats::rollbacks_by_label) tells how often
/// attempts were rolled back because of it. It stands behind a pointer; otherwise it is used like the
/// variable itself.
///
/// ```
/// use odeon_stm::{Labelled, TVar, atomically};
///
/// let total = Labelled::new("total", TVar::new(0_u64));
/// atomically(|tx| total.update(tx, |n| n + 1));
/// assert_eq!(total.peek(), 1);
/// ```
pub struct Labelled<V: Variable> {
    variable: Box<V>,
    name: &'static str,
}

/// A variable of one cell, which can have a [name](Labelled).
pub trait Variable: OneCell {}

pub(crate) mod sealed {
    use crate::cell::Cell;

    pub trait OneCell {
        #[doc(hidden)]
        fn cell(&self) -> OfCell<'_>;
    }

    /// The way from a variable to its cell.
    #[derive(Debug)]
    pub struct OfCell<'a>(pub(crate) &'a Cell);
}

use sealed::{OfCell, OneCell};

macro_rules! variable {
    ([$($parameter:tt)*] $variable:ty) => {
        impl<$($parameter)*> OneCell for $variable {
            fn cell(&self) -> OfCell<'_> {
                OfCell(self.as_cell())
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

impl<V: Variable> Labelled<V> {
    /// Calls `variable` by that name.
    pub fn new(name: &'static str, variable: V) -> Self {
        let variable = Box::new(variable);
        let cell = variable.cell().0;
        // Nobody else has the variable, so its word is free and stays as it is.
        cell.set_word(cell.word().with_label());
        Domain::shared().labels.add(cell.address(), name);
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
        Domain::shared().labels.remove(self.variable.cell().0.address());
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
