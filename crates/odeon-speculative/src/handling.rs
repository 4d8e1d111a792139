//! What is left in order if a handler panics that runs in the actor's own turn, without a catch of its own: the core
//! catches the panics of a turn.

use crate::tally::Tally;
use odeon_core::extend::Outbox;
use std::mem::{self, ManuallyDrop};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message that is handled. Dropped, by a panic, it counts a failure.
pub(crate) struct Handling<'a, M> {
    message: ManuallyDrop<M>,
    tally: &'a Tally,
}

impl<'a, M> Handling<'a, M> {
    #[inline(always)]
    pub(crate) fn new(message: M, tally: &'a Tally) -> Self {
        Self { message: ManuallyDrop::new(message), tally }
    }

    #[inline(always)]
    pub(crate) fn message(&self) -> &M {
        &self.message
    }

    /// The message has committed: drops it. A panic of its destructor is one of its handler.
    #[inline(always)]
    pub(crate) fn committed(self) {
        let mut this = ManuallyDrop::new(self);
        let failure = Failure(this.tally);
        // SAFETY: dropped once; `this` is neither used nor dropped afterwards.
        unsafe { ManuallyDrop::drop(&mut this.message) };
        mem::forget(failure);
    }

    /// The handler has ended without a panic.
    #[cold]
    pub(crate) fn over(self) -> M {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: taken once; `this` is neither used nor dropped afterwards.
        unsafe { ManuallyDrop::take(&mut this.message) }
    }
}

/// Dropped, by a panic, it counts a failure.
struct Failure<'a>(&'a Tally);

impl Drop for Failure<'_> {
    #[cold]
    fn drop(&mut self) {
        self.0.failed();
    }
}

impl<M> Drop for Handling<'_, M> {
    #[cold]
    fn drop(&mut self) {
        self.tally.failed();
        // Another panic must not leave a destructor, while this one is under way.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: taken once, here.
            drop(unsafe { ManuallyDrop::take(&mut self.message) });
        }));
    }
}

/// Effects of an attempt that must not stay when it is over.
pub(crate) struct Effects<'a>(pub(crate) &'a mut Outbox);

impl Drop for Effects<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        discard(self.0);
    }
}

/// Lets none of the effects happen that an attempt has left.
#[inline(always)]
pub(crate) fn discard(outbox: &mut Outbox) {
    if !outbox.is_empty() {
        discard_some(outbox);
    }
}

#[cold]
fn discard_some(outbox: &mut Outbox) {
    // A destructor of what was to be sent may panic; nothing of that concerns the actor.
    let _ = catch_unwind(AssertUnwindSafe(|| outbox.discard()));
}
