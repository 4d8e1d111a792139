//! What a closure receives: a [`Tx`] to read and write, or a [`Snapshot`] to read.

use crate::abort::{Abort, Cause, Rollback};
use crate::attempt::{Attempt, Mode};
use crate::cell::Cell;
use std::marker::PhantomData;

/// A running attempt of a transaction: variables are read and written through it.
///
/// `'t` is the time of the attempt: references that reads give live as long, and cannot leave the
/// closure. Variables from outside the transaction live for `'env`, which is longer.
#[repr(transparent)]
#[derive(Debug)]
pub struct Tx<'t, 'env: 't>(Attempt, PhantomData<Lifetimes<'t, 'env>>);

/// A running snapshot: variables are read through it, all as of one moment.
///
/// The lifetimes are those of [`Tx`].
#[repr(transparent)]
#[derive(Debug)]
pub struct Snapshot<'t, 'env: 't>(Attempt, PhantomData<Lifetimes<'t, 'env>>);

/// Invariant in both, and not bound to a thread.
type Lifetimes<'t, 'env> = fn(&'t (), &'env ()) -> (&'t (), &'env ());

/// What variables can be read through: a [`Tx`] or a [`Snapshot`].
pub trait View<'t>: sealed::Sealed {
    #[doc(hidden)]
    fn attempt(&mut self) -> Reader<'_>;
}

/// The way from a [`View`] to the engine.
#[doc(hidden)]
#[derive(Debug)]
pub struct Reader<'a>(pub(crate) &'a mut Attempt);

mod sealed {
    pub trait Sealed {
        /// Whether it is known without a look at the attempt that it is a snapshot.
        const IS_SNAPSHOT: bool;
    }

    impl Sealed for super::Tx<'_, '_> {
        const IS_SNAPSHOT: bool = false;
    }

    impl Sealed for super::Snapshot<'_, '_> {
        const IS_SNAPSHOT: bool = true;
    }
}

/// The bits of a variable as `view` sees them.
#[inline(always)]
pub(crate) fn read<'t, V: View<'t>>(view: &mut V, cell: &Cell) -> Result<u64, Rollback> {
    let attempt = view.attempt().0;
    if V::IS_SNAPSHOT { attempt.read_as_of(cell) } else { attempt.read(cell) }
}

impl<'t> View<'t> for Tx<'t, '_> {
    #[inline(always)]
    fn attempt(&mut self) -> Reader<'_> {
        Reader(&mut self.0)
    }
}

impl<'t> View<'t> for Snapshot<'t, '_> {
    #[inline(always)]
    fn attempt(&mut self) -> Reader<'_> {
        Reader(&mut self.0)
    }
}

impl<'t, 'env: 't> Tx<'t, 'env> {
    #[inline(always)]
    pub(crate) fn of(attempt: &mut Attempt) -> &mut Self {
        // SAFETY: `Tx` is transparent over `Attempt`.
        unsafe { &mut *std::ptr::from_mut(attempt).cast() }
    }

    #[inline(always)]
    #[track_caller]
    pub(crate) fn writer(&mut self) -> &mut Attempt {
        assert!(self.0.mode != Mode::Snapshot, "a message with snapshot access writes nothing");
        &mut self.0
    }

    /// Rolls back and runs the closure again as soon as something that it has read has changed. Until
    /// then nothing runs: the thread sleeps.
    ///
    /// ```
    /// use odeon_stm::{Rollback, TVar, Tx, atomically};
    ///
    /// fn take<'t>(stock: &'t TVar<u32>, tx: &mut Tx<'t, '_>) -> Result<(), Rollback> {
    ///     if stock.get(tx)? == 0 {
    ///         return tx.retry();
    ///     }
    ///     stock.update(tx, |n| n - 1)
    /// }
    ///
    /// let stock = TVar::new(0);
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| atomically(|tx| take(&stock, tx)));
    ///     atomically(|tx| stock.set(tx, 1));
    /// });
    /// assert_eq!(stock.peek(), 0);
    /// ```
    ///
    /// # Errors
    ///
    /// Always; the caller passes it on.
    pub fn retry<R>(&mut self) -> Result<R, Rollback> {
        Err(self.0.stop(Cause::Retry, None))
    }

    /// Rolls back and hands `error` to the caller of the transaction.
    ///
    /// # Errors
    ///
    /// Always; the caller passes it on.
    pub fn fail<R, E>(&mut self, error: E) -> Result<R, Abort<E>> {
        Err(Abort::Failed(error))
    }

    /// Runs `first`; if that asks to [`retry`](Tx::retry), undoes its writes and runs `second`. If both
    /// ask to retry, the transaction waits for what either has read.
    ///
    /// ```
    /// # use odeon_stm::{TVar, atomically};
    /// let (left, right) = (TVar::new(0_u32), TVar::new(5));
    /// let taken = atomically(|tx| {
    ///     tx.or_else(
    ///         |tx| match left.get(tx)? {
    ///             0 => tx.retry(),
    ///             n => left.set(tx, n - 1).map(|()| "left"),
    ///         },
    ///         |tx| right.update(tx, |n| n - 1).map(|()| "right"),
    ///     )
    /// });
    /// assert_eq!((taken, right.peek()), ("right", 4));
    /// ```
    ///
    /// # Errors
    ///
    /// What `second`, or `first` other than by a retry, answers.
    pub fn or_else<R, E>(
        &mut self,
        first: impl FnOnce(&mut Self) -> Result<R, E>,
        second: impl FnOnce(&mut Self) -> Result<R, E>,
    ) -> Result<R, E> {
        let mark = self.0.nest();
        match first(self) {
            Err(_) if self.0.stopped.is_some_and(|stopped| stopped.cause == Cause::Retry) => {
                self.0.undo_nested(mark);
                self.0.stopped = None;
                second(self)
            }
            other => {
                self.0.writes.keep_nested();
                other
            }
        }
    }

    /// Runs `nested`; if it answers with an error of its own, undoes its writes, and the transaction
    /// goes on with that error as a value.
    ///
    /// # Errors
    ///
    /// A [`Rollback`] of the engine concerns the whole attempt.
    pub fn nested<R, E>(
        &mut self,
        nested: impl FnOnce(&mut Self) -> Result<R, Abort<E>>,
    ) -> Result<Result<R, E>, Rollback> {
        let mark = self.0.nest();
        let outcome = nested(self);
        if self.0.stopped.is_some() {
            self.0.writes.keep_nested();
            return Err(Rollback::NEW);
        }
        match outcome {
            Ok(value) => {
                self.0.writes.keep_nested();
                Ok(Ok(value))
            }
            Err(Abort::Failed(error)) => {
                self.0.undo_nested(mark);
                Ok(Err(error))
            }
            Err(Abort::Rollback(rollback)) => {
                // A rollback that is not of this attempt: the closure kept one from elsewhere.
                self.0.writes.keep_nested();
                let _ = self.0.stop(Cause::ReadOverwritten, None);
                Err(rollback)
            }
        }
    }

    /// Calls `act` once after this attempt has committed, outside of the transaction.
    pub fn on_commit(&mut self, act: impl FnOnce() + Send + 'static) {
        self.0.hooks.get_or_insert_default().on_commit.push(Box::new(act));
    }

    /// Calls `act` once if this attempt rolls back, outside of the transaction and before the next
    /// attempt.
    pub fn on_rollback(&mut self, act: impl FnOnce() + Send + 'static) {
        self.0.hooks.get_or_insert_default().on_rollback.push(Box::new(act));
    }
}

impl<'t, 'env: 't> Snapshot<'t, 'env> {
    #[inline(always)]
    pub(crate) fn of(attempt: &mut Attempt) -> &mut Self {
        // SAFETY: `Snapshot` is transparent over `Attempt`.
        unsafe { &mut *std::ptr::from_mut(attempt).cast() }
    }
}
