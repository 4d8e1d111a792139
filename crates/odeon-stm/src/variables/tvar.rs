//! The transactional variable for values of any type.

use crate::attempt::inline::{Form, Stored};
use crate::attempt::transaction::{Tx, View};
use crate::domain::cell::Cell;
use crate::words::abort::Rollback;
use std::fmt;
use std::marker::PhantomData;

/// A variable that transactions read and write.
///
/// Integers, floats, `bool` and `char` stand in the variable itself, beside its version (16 bytes
/// in all); a value of any other type stands behind a pointer. For small types of your own that
/// should stand in the variable there is [`TWord`](crate::TWord), for links to shared nodes
/// [`TLink`](crate::TLink).
///
/// ```
/// use odeon_stm::{TVar, atomically};
///
/// let (name, visits) = (TVar::new(String::from("door")), TVar::new(0_u64));
/// let length = atomically(|tx| {
///     visits.update(tx, |n| n + 1)?;
///     Ok(name.read(tx)?.len()) // a reference: nothing is cloned
/// });
/// assert_eq!((length, visits.peek()), (4, 1));
/// ```
///
/// A reference that was read cannot leave the attempt, and a variable made within a transaction
/// cannot be used by it before it is part of something that outlives it:
///
/// ```compile_fail
/// use odeon_stm::{TVar, atomically};
/// let name = TVar::new(String::new());
/// let escaped: &String = atomically(|tx| name.read(tx));
/// ```
#[repr(transparent)]
pub struct TVar<T: Send + Sync + 'static> {
    cell: Cell,
    /// Invariant: through a reference to a variable values are taken out *and* put in.
    value: PhantomData<fn(T) -> T>,
}

/// What [`TVar::get`] answers: any type that is `Copy`. There is nothing to implement.
// WHY all in the message: of a method's bound the compiler shows no label and no notes.
#[diagnostic::on_unimplemented(
    message = "`get` copies the value out, and `{Self}` is not `Copy`: `read` answers a reference that lives as long as \
               the attempt, and `read(tx)?.clone()` what may leave it"
)]
pub trait Copied: Copy {}

#[diagnostic::do_not_recommend]
impl<T: Copy> Copied for T {}

impl<T: Send + Sync + 'static> TVar<T> {
    /// A variable with this value.
    pub fn new(value: T) -> Self {
        Self { cell: Cell::new(Stored::<T>::to_bits(value)), value: PhantomData }
    }

    /// The value; the reference lives as long as the attempt.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[inline(always)]
    pub fn read<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<&'t T, Rollback> {
        let mut attempt = view.attempt();
        let bits = Stored::<T>::read(&mut attempt, &self.cell)?;
        let place = match Stored::<T>::form() {
            Form::Inline => attempt.0.copy(bits).cast::<T>(),
            Form::Boxed => Stored::<T>::pointer(bits),
        };
        // SAFETY: a boxed value read by an attempt stays allocated while it runs (I4); a copy stays
        // in place that long. `'t` ends with the attempt.
        Ok(unsafe { &*place })
    }

    /// A copy of the value. For types that are not `Copy` there is [`read`](TVar::read), which
    /// answers a reference.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[inline(always)]
    pub fn get<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<T, Rollback>
    where
        T: Copied,
    {
        let bits = Stored::<T>::read(&mut view.attempt(), &self.cell)?;
        // SAFETY: the bits are a value of this variable, allocated while the attempt runs (I4).
        Ok(unsafe { Stored::<T>::copied(bits) })
    }

    /// What `look` makes of the value, which is neither cloned nor copied.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[inline]
    pub fn read_with<'t, V: View<'t>, R>(
        &'t self,
        view: &mut V,
        look: impl FnOnce(&T) -> R,
    ) -> Result<R, Rollback> {
        let bits = Stored::<T>::read(&mut view.attempt(), &self.cell)?;
        // SAFETY: as in `get`; the reference ends with the call.
        Ok(unsafe { Stored::<T>::with(bits, look) })
    }

    /// Another value, from the commit on.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[inline(always)]
    #[track_caller]
    pub fn set<'t>(&'t self, tx: &mut Tx<'t>, value: T) -> Result<(), Rollback> {
        tx.writer().write(&self.cell, Stored::<T>::to_bits(value), Stored::<T>::kind())
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
        change: impl FnOnce(&T) -> T,
    ) -> Result<(), Rollback> {
        let attempt = tx.writer();
        if Stored::<T>::form() == Form::Boxed {
            attempt.hold();
        }
        attempt.update(&self.cell, Stored::<T>::kind(), |bits| {
            // SAFETY: as in `get`; the reference ends with the call.
            Stored::<T>::to_bits(unsafe { Stored::<T>::with(bits, change) })
        })
    }

    /// The latest committed value, outside of any transaction: it conflicts with nothing, waits for
    /// nothing but a commit that is writing this variable, and says nothing about other variables.
    ///
    /// Within a transaction it is that too, for values of every type, and so seldom what is wanted:
    /// not what the transaction has written, perhaps younger than what it has read, and nothing
    /// that its commit checks. There one [reads](TVar::read).
    ///
    /// ```
    /// # use odeon_stm::{TVar, atomically};
    /// let name = TVar::new(String::from("before"));
    /// atomically(|tx| {
    ///     name.set(tx, "after".into())?;
    ///     assert_eq!((name.read(tx)?.as_str(), name.peek().as_str()), ("after", "before"));
    ///     Ok(())
    /// });
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if 4,094 attempts are under way or prepared, for values behind a pointer.
    #[track_caller]
    pub fn peek(&self) -> T
    where
        T: Clone,
    {
        self.peek_with(T::clone)
    }

    /// [`peek`](TVar::peek) without a clone: calls `look` with the value.
    ///
    /// # Panics
    ///
    /// As [`peek`](TVar::peek); and if `look` begins a transaction, for values behind a pointer.
    #[track_caller]
    pub fn peek_with<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        match Stored::<T>::form() {
            Form::Inline => {
                let bits = crate::attempt::peek::bits(&self.cell);
                // SAFETY: inline bits are a value by themselves.
                unsafe { Stored::<T>::with(bits, look) }
            }
            Form::Boxed => {
                crate::attempt::peek::protected(|| {
                    let bits = crate::attempt::peek::bits(&self.cell);
                    // SAFETY: the attempt began before the read and ends after the look (I4).
                    unsafe { Stored::<T>::with(bits, look) }
                })
            }
        }
    }

    /// What `look` makes of the value.
    ///
    /// # Safety
    ///
    /// Nobody changes the variable meanwhile.
    pub(crate) unsafe fn at_rest<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        // SAFETY: the bits are the variable's own, and stay so by the caller.
        unsafe { Stored::<T>::with(self.cell.bits(), look) }
    }

    pub(crate) fn as_cell(&self) -> &Cell {
        &self.cell
    }

    /// The value, for the only owner.
    pub fn into_inner(self) -> T {
        let mut this = std::mem::ManuallyDrop::new(self);
        this.cell.forget_label();
        // SAFETY: the bits are the variable's own, and it is not dropped.
        unsafe { Stored::<T>::from_bits(this.cell.take_bits()) }
    }
}

impl<T: Send + Sync + 'static> Drop for TVar<T> {
    fn drop(&mut self) {
        self.cell.forget_label();
        // SAFETY: the bits are the variable's own; no attempt borrows it.
        drop(unsafe { Stored::<T>::from_bits(self.cell.take_bits()) });
    }
}

impl<T: Send + Sync + 'static + Default> Default for TVar<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Send + Sync + 'static> fmt::Debug for TVar<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TVar").field("version", &self.cell.word()).finish_non_exhaustive()
    }
}
