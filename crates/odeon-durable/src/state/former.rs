//! A field as it was in the log of an older program.

use crate::state::node::{Durable, Node};
use odeon_stm::{Rollback, Tx};

/// What a field was before it had another type: filled from the log, then taken over into what it
/// is. The derive macro makes it of `was(..)`.
pub trait Former {
    /// What is filled.
    fn node(&self) -> Node<'_>;

    /// Takes over what was filled.
    ///
    /// # Errors
    /// [`Rollback`] if the transaction cannot go on.
    fn convert<'t>(&'t self, tx: &mut Tx<'t>) -> Result<(), Rollback>;
}

/// A former field that `convert` takes over from `old` into `new`.
///
/// # Examples
/// ```
/// use odeon_durable::state::former;
/// use odeon_stm::{TCounter, atomically};
///
/// let new = TCounter::new(0);
/// let field = former(TCounter::new(7), &new, |old, new, tx| {
///     let count = old.get(tx)?;
///     new.add(tx, 2 * count)
/// });
/// atomically(|tx| field.convert(tx));
/// drop(field);
/// assert_eq!(new.peek(), 14);
/// ```
pub fn former<'s, O, N, C>(old: O, new: &'s N, convert: C) -> Box<dyn Former + 's>
where
    O: Durable + 's,
    N: Durable,
    C: for<'t> Fn(&'t O, &'t N, &mut Tx<'t>) -> Result<(), Rollback> + 's,
{
    Box::new(Formerly { old, new, convert })
}

struct Formerly<'s, O, N, C> {
    old: O,
    new: &'s N,
    convert: C,
}

impl<O, N, C> Former for Formerly<'_, O, N, C>
where
    O: Durable,
    N: Durable,
    C: for<'t> Fn(&'t O, &'t N, &mut Tx<'t>) -> Result<(), Rollback>,
{
    fn node(&self) -> Node<'_> {
        self.old.node()
    }

    fn convert<'t>(&'t self, tx: &mut Tx<'t>) -> Result<(), Rollback> {
        (self.convert)(&self.old, self.new, tx)
    }
}
