//! What a closure receives: a [`Tx`] to read and write, or a [`Snapshot`] to read.

use crate::attempt::{Attempt, Mode, Nested};
use crate::domain::cell::Cell;
use crate::words::abort::{Abort, Cause, Rollback};
use std::marker::PhantomData;

/// A running attempt of a transaction: variables are read and written through it.
///
/// `'t` is the time of the attempt: references that reads give live as long, and cannot leave the
/// closure. A function of your own borrows what it reads and writes for as long:
///
/// ```
/// use odeon_stm::{Rollback, TVar, Tx, atomically};
///
/// struct Account { balance: TVar<u64> }
///
/// impl Account {
///     fn deposit<'t>(&'t self, tx: &mut Tx<'t>, amount: u64) -> Result<(), Rollback> {
///         self.balance.update(tx, |balance| balance + amount)
///     }
/// }
///
/// let account = Account { balance: TVar::new(2) };
/// atomically(|tx| account.deposit(tx, 3));
/// assert_eq!(account.balance.peek(), 5);
/// ```
///
/// A variable that is made in the transaction can be used by it as soon as it is part of something
/// that outlives it, for it is borrowed from there:
///
/// ```
/// use odeon_stm::{TCounter, TMap, atomically};
/// use std::sync::Arc;
///
/// let visits: TMap<&str, Arc<TCounter>> = TMap::new();
/// atomically(|tx| {
///     let of_door = visits.get_or_insert_with(tx, "door", Arc::default)?;
///     of_door.add(tx, 1)
/// });
/// let counted = atomically(|tx| visits.get(tx, "door")?.map(|of_door| of_door.get(tx)).transpose());
/// assert_eq!(counted, Some(1));
/// ```
#[repr(transparent)]
#[derive(Debug)]
pub struct Tx<'t>(Attempt, PhantomData<Invariant<'t>>);

/// A running snapshot: variables are read through it, all as of one moment.
///
/// The lifetime is that of [`Tx`].
#[repr(transparent)]
#[derive(Debug)]
pub struct Snapshot<'t>(Attempt, PhantomData<Invariant<'t>>);

/// Not bound to a thread, either.
type Invariant<'t> = fn(&'t ()) -> &'t ();

/// What variables can be read through: a [`Tx`] or a [`Snapshot`].
pub trait View<'t>: sealed::Sealed {
    #[doc(hidden)]
    fn attempt(&mut self) -> Reader<'_>;
}

/// The way from a [`View`] to the engine.
#[doc(hidden)]
#[derive(Debug)]
pub struct Reader<'a>(pub(crate) &'a mut Attempt, IsSnapshot);

/// Known where a [`View`] is compiled.
#[derive(Debug)]
struct IsSnapshot(bool);

impl Reader<'_> {
    /// The bits of a variable as this view sees them.
    #[inline(always)]
    pub(crate) fn read(&mut self, cell: &Cell) -> Result<u64, Rollback> {
        if self.1.0 { self.0.read_in_snapshot(cell) } else { self.0.read(cell) }
    }

    /// [`read`](Self::read) of bits that are a pointer; what it points to is there until the view
    /// ends (I4).
    #[inline(always)]
    pub(crate) fn read_pointer(&mut self, cell: &Cell) -> Result<u64, Rollback> {
        if self.1.0 { self.0.read_in_snapshot(cell) } else { self.0.read_pointer(cell) }
    }
}

pub(crate) mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Tx<'_> {}
    impl Sealed for super::Snapshot<'_> {}
}

impl<'t> View<'t> for Tx<'t> {
    #[inline(always)]
    fn attempt(&mut self) -> Reader<'_> {
        Reader(&mut self.0, IsSnapshot(false))
    }
}

impl<'t> View<'t> for Snapshot<'t> {
    #[inline(always)]
    fn attempt(&mut self) -> Reader<'_> {
        Reader(&mut self.0, IsSnapshot(true))
    }
}

impl<'t> Tx<'t> {
    #[inline(always)]
    pub(crate) fn of(attempt: &mut Attempt) -> &mut Self {
        // SAFETY: `Tx` is transparent over `Attempt`.
        unsafe { &mut *std::ptr::from_mut(attempt).cast() }
    }

    #[inline(always)]
    #[track_caller]
    pub(crate) fn writer(&mut self) -> &mut Attempt {
        if !self.0.mode.writes() {
            refuse_write(self.0.mode);
        }
        &mut self.0
    }

    /// Rolls back and runs the closure again as soon as something that it has read has changed.
    /// Until then nothing runs: the thread sleeps.
    ///
    /// ```
    /// use odeon_stm::{Rollback, TVar, Tx, atomically};
    ///
    /// fn take<'t>(stock: &'t TVar<u32>, tx: &mut Tx<'t>) -> Result<(), Rollback> {
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
    /// A [staged](crate::staged) attempt that is not logged does not know what it has read: whoever
    /// runs it is told so by [`Cause::CannotWait`]. Within [`or_else`](Tx::or_else) it can retry
    /// all the same.
    ///
    /// # Errors
    ///
    /// Always; the caller passes it on.
    pub fn retry<R>(&mut self) -> Result<R, Rollback> {
        Err(self.0.stop(Cause::Retry, None))
    }

    fn asks_to_retry(&self) -> bool {
        self.0.stopped.is_some_and(|stopped| stopped.cause == Cause::Retry)
    }

    /// Rolls back and hands `error` to the caller of the transaction.
    ///
    /// # Errors
    ///
    /// Always; the caller passes it on.
    pub fn fail<R, E>(&mut self, error: E) -> Result<R, Abort<E>> {
        Err(Abort::Failed(error))
    }

    /// Runs `first`; if that asks to [`retry`](Tx::retry), undoes its writes and runs `second`. If
    /// both ask to retry, the transaction waits for what either has read. The writes of `first` are
    /// undone too if it panics.
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
        let is_stopped = self.0.stopped.is_some();
        let part = NestedPart::begin(self);
        match first(part.tx) {
            Err(_) if !is_stopped && part.tx.asks_to_retry() => {
                drop(part);
                self.0.stopped = None;
                second(self)
            }
            other => {
                part.keep();
                other
            }
        }
    }

    /// Runs `nested`; if it answers with an error of its own, undoes its writes, and the
    /// transaction goes on with that error as a value. They are undone too if it panics.
    ///
    /// # Errors
    ///
    /// A [`Rollback`] of the engine concerns the whole attempt.
    pub fn nested<R, E>(
        &mut self,
        nested: impl FnOnce(&mut Self) -> Result<R, Abort<E>>,
    ) -> Result<Result<R, E>, Rollback> {
        let part = NestedPart::begin(self);
        let outcome = nested(part.tx);
        if part.tx.0.stopped.is_some() {
            part.keep();
            return Err(Rollback::NEW);
        }
        match outcome {
            Ok(value) => {
                part.keep();
                Ok(Ok(value))
            }
            Err(Abort::Failed(error)) => Ok(Err(error)),
            Err(Abort::Rollback(rollback)) => {
                // A rollback that is not of this attempt: the closure kept one from elsewhere.
                part.keep();
                let _ = self.0.stop(Cause::ReadOverwritten, None);
                Err(rollback)
            }
        }
    }

    /// Undoes all that this transaction has written so far. What it has read stays read: it commits
    /// only if that is still so.
    ///
    /// ```
    /// use odeon_stm::{Rollback, TVar, atomically};
    ///
    /// let (stock, sold) = (TVar::new(3_u64), TVar::new(0_u64));
    /// let is_sold = atomically(|tx| {
    ///     sold.update(tx, |n| n + 5)?;
    ///     match stock.get(tx)?.checked_sub(5) {
    ///         Some(left) => stock.set(tx, left)?,
    ///         None => {
    ///             tx.undo();
    ///             return Ok::<_, Rollback>(false);
    ///         }
    ///     }
    ///     Ok(true)
    /// });
    /// assert_eq!((is_sold, stock.peek(), sold.peek()), (false, 3, 0));
    /// ```
    ///
    /// # Panics
    ///
    /// Panics at the caller's line within [`nested`](Tx::nested) and [`or_else`](Tx::or_else): a
    /// part is undone by its error.
    #[track_caller]
    pub fn undo(&mut self) {
        assert!(
            !self.0.writes.is_nested(),
            "a part of a transaction is undone by answering with an error, not by `undo`"
        );
        self.0.undo_all();
    }

    /// Calls `act` once after this attempt has committed, outside of the transaction; not if it was
    /// asked for in a part that was undone.
    pub fn on_commit(&mut self, act: impl FnOnce() + Send + 'static) {
        self.0.hooks.get_or_insert_default().on_commit(Box::new(act));
    }

    /// Calls `act` once if this attempt rolls back, outside of the transaction and before the next
    /// attempt; and if it was asked for in a part that was undone ([`nested`](Tx::nested),
    /// [`or_else`](Tx::or_else)), after the end of the attempt, however that ends.
    pub fn on_rollback(&mut self, act: impl FnOnce() + Send + 'static) {
        self.0.hooks.get_or_insert_default().on_rollback(Box::new(act));
    }
}

#[cold]
#[track_caller]
fn refuse_write(mode: Mode) -> ! {
    match mode {
        Mode::Relaxed => panic!("a relaxed attempt writes nothing"),
        _ => panic!("an attempt on a snapshot writes nothing"),
    }
}

/// A part of a transaction that can be undone alone. Dropping it undoes it: also when its closure
/// panics, because the panic may be caught within the transaction.
struct NestedPart<'a, 't> {
    tx: &'a mut Tx<'t>,
    /// `None` once it is kept.
    mark: Option<Nested>,
}

impl<'a, 't> NestedPart<'a, 't> {
    fn begin(tx: &'a mut Tx<'t>) -> Self {
        let mark = Some(tx.0.nest());
        Self { tx, mark }
    }

    /// What the part has written is its surroundings'.
    fn keep(mut self) {
        self.mark = None;
        self.tx.0.writes.keep_nested();
    }
}

impl Drop for NestedPart<'_, '_> {
    fn drop(&mut self) {
        if let Some(mark) = self.mark.take() {
            self.tx.0.undo_nested(mark);
        }
    }
}
