//! The one exit for effects of a turn.
//!
//! Ordinary turns let effects pass: a send is delivered at once. While an *attempt* runs (a handler
//! whose effects must vanish if it is rolled back), the thread's effects are held back in an
//! [`Outbox`] instead, also when the handler calls [`ActorRef::send`](crate::ActorRef::send)
//! directly. Whoever runs the attempt then releases or drops them.

mod held_effects;

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;

use held_effects::HeldEffects;

use crate::process::current;

/// An effect that is kept for later. Calling it makes it happen; dropping it makes it not happen.
pub type Effect = Box<dyn FnOnce() + Send>;

/// Collects the effects of one attempt, in order.
#[derive(Default)]
pub struct Outbox {
    effects: HeldEffects,
}

/// Why the sends of a thread do not simply go out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exit(NonNull<Outbox>);

/// The outbox that is in force on a thread.
#[derive(Clone, Copy)]
pub(crate) struct HeldOutbox(NonNull<Outbox>);

impl Exit {
    /// The thread is followed (`telemetry/follow.rs`). No outbox: their addresses are even.
    const FOLLOWED: Self = Self(NonNull::<u8>::dangling().cast());

    /// Whether an outbox is in force.
    pub(crate) fn holds(self) -> bool {
        self != Self::FOLLOWED
    }

    /// The outbox that is in force; `None`: the thread is followed.
    pub(crate) fn outbox(self) -> Option<HeldOutbox> {
        (self != Self::FOLLOWED).then_some(HeldOutbox(self.0))
    }
}

impl Outbox {
    /// An outbox that holds nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs `attempt` with all effects of this thread held back in this outbox.
    ///
    /// Outboxes nest: the innermost one in force collects.
    #[inline(always)]
    pub fn hold_during<R>(&mut self, attempt: impl FnOnce() -> R) -> R {
        with_exit(Some(Exit(NonNull::from(&mut *self))), attempt)
    }

    /// Makes all held effects happen, in the order in which the attempt asked for them. One that
    /// panics does not keep the others from happening; the first panic goes on after the last of
    /// them.
    pub fn release(&mut self) {
        self.with_each(HeldEffects::call_first);
    }

    /// As [`release`](Self::release), of the first effects alone, so many.
    pub fn release_first(&mut self, effects: usize) {
        let left = self.effects.len().saturating_sub(effects);
        self.with_each(|held| held.len() > left && held.call_first());
    }

    /// Takes over all effects that `other` holds, behind those that are here.
    pub fn append(&mut self, other: &mut Self) {
        self.effects.append(&mut other.effects);
    }

    /// Makes none of the held effects happen. One whose destructor panics does not keep the others
    /// from being dropped; the first panic goes on after the last of them.
    pub fn discard(&mut self) {
        self.with_each(HeldEffects::drop_first);
    }

    /// `act` does something with the first effect, and takes it out; `false` if there is none.
    fn with_each(&mut self, act: impl Fn(&mut HeldEffects) -> bool) {
        let mut first = None;
        loop {
            match (catch_unwind(AssertUnwindSafe(|| while act(&mut self.effects) {})), &first) {
                (Ok(()), _) => break,
                (Err(panic), None) => first = Some(panic),
                // The payload's destructor could panic as well: leave it.
                (Err(panic), Some(_)) => mem::forget(panic),
            }
        }
        if let Some(panic) = first {
            resume_unwind(panic);
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
    #[inline]
    pub(crate) fn hold(self, effect: impl FnOnce() + Send + 'static) {
        // SAFETY: the pointer was set by `hold_during` on this thread and is reset before that
        // returns; nobody else uses the outbox meanwhile, since `hold_during` borrows it whole.
        unsafe { (*self.0.as_ptr()).effects.push(effect) }
    }
}

/// Makes none of the effects happen that are held back on this thread so far.
pub(crate) fn forget_held() {
    let Some(HeldOutbox(outbox)) = held() else { return };
    // SAFETY: as in `hold`. They are dropped, by a user's code, when nobody refers to the outbox
    // any more.
    let mut forgotten = unsafe { mem::take(&mut *outbox.as_ptr()) };
    forgotten.discard();
}

/// Runs `work` with its effects let out, also in an attempt.
pub(crate) fn let_out<R>(work: impl FnOnce() -> R) -> R {
    with_exit(None, work)
}

#[inline(always)]
fn with_exit<R>(exit: Option<Exit>, work: impl FnOnce() -> R) -> R {
    /// Puts the outer one back, also when the work unwinds.
    struct RestoreExit(Option<Exit>);
    impl Drop for RestoreExit {
        fn drop(&mut self) {
            current::here().exit.set(self.0);
        }
    }
    let restore = RestoreExit(current::here().exit.replace(exit));
    let result = work();
    drop(restore);
    result
}

/// Why the sends of this thread do not simply go out, if so.
#[inline(always)]
pub(crate) fn exit() -> Option<Exit> {
    current::here().exit.get()
}

/// The outbox in force on this thread, if effects are held back.
#[inline(always)]
pub(crate) fn held() -> Option<HeldOutbox> {
    exit()?.outbox()
}

/// Whether this thread is followed.
#[inline(always)]
pub(crate) fn is_followed() -> bool {
    exit() == Some(Exit::FOLLOWED)
}

/// Has this thread followed, or no more, unless an outbox is in force.
pub(crate) fn set_followed(on: bool) {
    if held().is_none() {
        current::here().exit.set(on.then_some(Exit::FOLLOWED));
    }
}
