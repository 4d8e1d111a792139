//! What is left in order if a handler panics that runs in the actor's own turn, without a catch of
//! its own: the core catches the panics of a turn.

use crate::contained::quietly;
use crate::report::tally::AttemptTally;
use odeon_core::Message;
use odeon_core::extend::Outbox;
use odeon_sync::interruption;
use std::marker::PhantomData;
use std::mem::{self, ManuallyDrop};

/// The message that is handled. Dropped, by a panic, it counts a failure.
pub(crate) struct HandledMessage<'a, M: Message> {
    message: ManuallyDrop<M>,
    tally: &'a AttemptTally,
}

impl<'a, M: Message> HandledMessage<'a, M> {
    #[inline(always)]
    pub(crate) fn new(message: M, tally: &'a AttemptTally) -> Self {
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
        let failure = CountFailure(this.tally, PhantomData::<M>);
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
struct CountFailure<'a, M>(&'a AttemptTally, PhantomData<M>);

impl<M> Drop for CountFailure<'_, M> {
    #[cold]
    fn drop(&mut self) {
        self.0.failed_when_dropped::<M>();
    }
}

impl<M: Message> Drop for HandledMessage<'_, M> {
    #[cold]
    fn drop(&mut self) {
        self.tally.failed(&*self.message);
        // Another panic must not leave a destructor, while this one is under way.
        quietly(|| {
            // SAFETY: taken once, here.
            drop(unsafe { ManuallyDrop::take(&mut self.message) });
        });
    }
}

/// The effects of an attempt, none of which must stay when it is over.
pub(crate) struct Effects<'a>(pub(crate) &'a mut Outbox);

impl Effects<'_> {
    /// The attempt is about to commit. Between what the effects tell and when they tell it others
    /// may run.
    #[inline(always)]
    pub(crate) fn are_to_happen(&self) {
        if !self.0.is_empty() {
            interruption::point();
        }
    }

    /// The attempt has committed. A panic of an effect is one of the handler.
    #[inline(always)]
    pub(crate) fn happen(&mut self) {
        if !self.0.is_empty() {
            self.0.release();
        }
    }
}

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
    quietly(|| outbox.discard());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};

    struct Bomb;

    impl Message for Bomb {
        fn message_name(&self) -> &'static str {
            "a bomb"
        }
    }

    struct Seven;

    impl Message for Seven {}

    impl Drop for Bomb {
        fn drop(&mut self) {
            panic_any("a destructor");
        }
    }

    #[test]
    fn a_panic_of_a_handler_is_the_one_that_counts_and_a_failure() {
        let (tally, mut outbox) = (AttemptTally::default(), Outbox::new());
        let panic = catch_unwind(AssertUnwindSafe(|| {
            let _handling = HandledMessage::new(Bomb, &tally);
            let effects = Effects(&mut outbox);
            let bomb = Bomb;
            effects.0.hold_during(|| odeon_core::extend::let_happen(|| drop(bomb)));
            assert_eq!(effects.0.len(), 1);
            panic_any("a handler");
        }));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"a handler"));
        assert!(outbox.is_empty());
        assert_eq!(tally.stats().failures_by_message, [("a bomb", 1)]);
    }

    #[test]
    fn a_message_that_has_committed_fails_if_its_destructor_panics() {
        let tally = AttemptTally::default();
        let handling = HandledMessage::new(Bomb, &tally);
        assert!(catch_unwind(AssertUnwindSafe(|| handling.committed())).is_err());
        assert_eq!(tally.stats().failures, 1);
        assert!(tally.stats().failures_by_message[0].0.ends_with("Bomb"));
        assert!(matches!(HandledMessage::new(Seven, &tally).over(), Seven));
        assert_eq!(tally.stats().failures, 1);
    }
}
