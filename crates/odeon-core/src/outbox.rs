//! The one exit for effects of a turn.
//!
//! Ordinary turns let effects pass: a send is delivered at once. While an *attempt* runs (a handler
//! whose effects must vanish if it is rolled back), the thread's effects are held back in an
//! [`Outbox`] instead, also when the handler calls [`ActorRef::send`](crate::ActorRef::send)
//! directly. Whoever runs the attempt then releases or drops them.

use std::ptr::NonNull;

use crate::current;

/// An effect that has been held back. Running it makes it happen; dropping it makes it not happen.
pub type Effect = Box<dyn FnOnce() + Send>;

/// Collects the effects of one attempt, in order.
#[derive(Default)]
pub struct Outbox {
    effects: Vec<Effect>,
}

/// The outbox that is in force on a thread.
#[derive(Clone, Copy)]
pub(crate) struct HeldOutbox(NonNull<Outbox>);

impl Outbox {
    /// An outbox that holds nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs `attempt` with all effects of this thread held back in this outbox.
    ///
    /// Outboxes nest: the innermost one in force collects.
    pub fn hold_during<R>(&mut self, attempt: impl FnOnce() -> R) -> R {
        let held = HeldOutbox(NonNull::from(&mut *self));
        with_in_force(Some(held), attempt)
    }

    /// Makes all held effects happen, in the order in which the attempt asked for them.
    pub fn release(&mut self) {
        for effect in self.effects.drain(..) {
            effect();
        }
    }

    /// How many effects are held.
    pub fn len(&self) -> usize {
        self.effects.len()
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.effects.is_empty()
    }
}

impl HeldOutbox {
    /// Holds an effect back.
    #[cold]
    pub(crate) fn hold(self, effect: Effect) {
        // SAFETY: the pointer was set by `hold_during` on this thread and is reset before that
        // returns; nobody else uses the outbox meanwhile, since `hold_during` borrows it whole.
        unsafe { (*self.0.as_ptr()).effects.push(effect) }
    }
}

/// Runs `work` with its effects let out, also in an attempt.
pub(crate) fn let_out<R>(work: impl FnOnce() -> R) -> R {
    with_in_force(None, work)
}

fn with_in_force<R>(outbox: Option<HeldOutbox>, work: impl FnOnce() -> R) -> R {
    /// Puts the outer outbox back, also when the work unwinds.
    struct Restore(Option<HeldOutbox>);
    impl Drop for Restore {
        fn drop(&mut self) {
            current::here().outbox.set(self.0);
        }
    }
    let restore = Restore(current::here().outbox.replace(outbox));
    let result = work();
    drop(restore);
    result
}

/// The outbox in force on this thread, if effects are held back.
#[inline(always)]
pub(crate) fn held() -> Option<HeldOutbox> {
    current::here().outbox.get()
}
