//! What ties a closure's references to the transaction that calls it.

use crate::attempt::Attempt;
use crate::attempt::transaction::{Reader, Snapshot, Tx, View, sealed};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// The [`Tx`] that a closure receives; it is used as one, and coerces to `&mut Tx<'t>`.
///
/// `'env` is the time of what the closure has borrowed from outside. It is longer than `'t`, the
/// time of an attempt, which is why the closure may read and write variables that it has borrowed.
/// Functions of your own take a `&mut Tx<'t>`.
#[repr(transparent)]
#[derive(Debug)]
pub struct ScopedTx<'t, 'env: 't>(Tx<'t>, Env<'env>);

/// The [`Snapshot`] that a closure receives; see [`ScopedTx`].
#[repr(transparent)]
#[derive(Debug)]
pub struct ScopedSnapshot<'t, 'env: 't>(Snapshot<'t>, Env<'env>);

/// Invariant, and not bound to a thread.
type Env<'env> = PhantomData<fn(&'env ()) -> &'env ()>;

macro_rules! scoped {
    ($scoped:ident of $inner:ident) => {
        impl<'t, 'env: 't> $scoped<'t, 'env> {
            #[inline(always)]
            pub(crate) fn of(attempt: &mut Attempt) -> &mut Self {
                // SAFETY: it is transparent over what is transparent over `Attempt`.
                unsafe { &mut *std::ptr::from_mut(attempt).cast() }
            }
        }

        impl<'t> Deref for $scoped<'t, '_> {
            type Target = $inner<'t>;

            #[inline(always)]
            fn deref(&self) -> &$inner<'t> {
                &self.0
            }
        }

        impl<'t> DerefMut for $scoped<'t, '_> {
            #[inline(always)]
            fn deref_mut(&mut self) -> &mut $inner<'t> {
                &mut self.0
            }
        }

        impl sealed::Sealed for $scoped<'_, '_> {}

        impl<'t> View<'t> for $scoped<'t, '_> {
            #[inline(always)]
            fn attempt(&mut self) -> Reader<'_> {
                self.0.attempt()
            }
        }
    };
}

scoped!(ScopedTx of Tx);
scoped!(ScopedSnapshot of Snapshot);
