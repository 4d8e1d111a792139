//! Variables for small types of the user's own that fit into a word.

use crate::attempt::transaction::{Tx, View};
use crate::variables::tvar::TVar;
use crate::words::abort::Rollback;
use std::fmt;
use std::marker::PhantomData;

/// A type whose values can be told by 64 bits, like an enum of states or a pair of small numbers.
///
/// ```
/// use odeon_stm::{TWord, Word, atomically};
///
/// #[derive(Debug, Clone, Copy, PartialEq)]
/// enum Light { Red, Green }
///
/// impl Word for Light {
///     fn to_bits(self) -> u64 { self as u64 }
///     fn from_bits(bits: u64) -> Self { if bits == 0 { Light::Red } else { Light::Green } }
/// }
///
/// let light = TWord::new(Light::Red);
/// atomically(|tx| light.set(tx, Light::Green));
/// assert_eq!(light.peek(), Light::Green);
/// ```
pub trait Word: Copy + Send + Sync + 'static {
    /// The bits that tell this value.
    fn to_bits(self) -> u64;

    /// The value that [`to_bits`](Word::to_bits) gave these bits.
    fn from_bits(bits: u64) -> Self;
}

/// A [`TVar`] for a [`Word`]: the value stands in the variable, 16 bytes in all.
#[repr(transparent)]
pub struct TWord<T: Word> {
    bits: TVar<u64>,
    /// Invariant: through a reference to a variable values are taken out *and* put in.
    value: PhantomData<fn(T) -> T>,
}

impl<T: Word> TWord<T> {
    /// A variable with this value.
    pub fn new(value: T) -> Self {
        Self { bits: TVar::new(value.to_bits()), value: PhantomData }
    }

    /// The value.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[inline(always)]
    pub fn get<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<T, Rollback> {
        Ok(T::from_bits(self.bits.get(view)?))
    }

    /// Another value, from the commit on.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[inline(always)]
    #[track_caller]
    pub fn set<'t>(&'t self, tx: &mut Tx<'t>, value: T) -> Result<(), Rollback> {
        self.bits.set(tx, value.to_bits())
    }

    /// The value that `change` makes of the present one.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[inline(always)]
    #[track_caller]
    pub fn update<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        change: impl FnOnce(T) -> T,
    ) -> Result<(), Rollback> {
        let value = change(self.get(tx)?);
        self.set(tx, value)
    }

    pub(crate) fn as_cell(&self) -> &crate::domain::cell::Cell {
        self.bits.as_cell()
    }

    /// The latest committed value; see [`TVar::peek`].
    pub fn peek(&self) -> T {
        T::from_bits(self.bits.peek())
    }
}

impl<T: Word + Default> Default for TWord<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Word> fmt::Debug for TWord<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bits.fmt(f)
    }
}
