//! What an asynchronous actor has taken from its inbox and not begun yet: while a future is pending
//! everything that arrives waits here.

use std::ptr::NonNull;

use super::cell::{AsyncCell, FuturePhase, owner, phase};
use super::future::Handlers;
use crate::mailbox::{Guards, MailboxSet, SelectionOrder};
use crate::turn::async_behavior::AsyncBehavior;
use crate::vocabulary::message::Message;

/// A message taken from the inbox.
pub(super) struct Arrived<M> {
    pub(super) content: M,
    /// 0 unless it is followed.
    pub(super) tag: u32,
}

/// What was put aside.
pub(super) struct Aside<M> {
    pub(super) messages: MailboxSet<Arrived<M>>,
    /// Whether outputs of pipes may be waiting in the relations. They go before messages.
    piped: bool,
}

impl<M> Aside<M> {
    fn has_ready(&self, guards: Guards) -> bool {
        self.piped || self.messages.has_ready(guards)
    }
}

/// What goes next of what was put aside.
pub(super) enum NextDeferred<M> {
    /// Outputs of pipes, if there are any.
    Piped,
    Message(Arrived<M>),
}

/// # Safety
/// For all functions here: the caller owns the actor. The result is used before anything else of
/// it.
unsafe fn aside<'a, A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> &'a mut Aside<A::Msg> {
    // SAFETY: by contract.
    let aside = unsafe { &mut (*owner(cell)).aside };
    let new = || Box::new(Aside { messages: MailboxSet::new(A::Msg::MAILBOXES), piped: false });
    aside.get_or_insert_with(new)
}

/// Whether a message can be handled as it arrives, with one mailbox: nothing goes before it.
///
/// # Safety
/// As [`aside`].
#[inline(always)]
pub(super) unsafe fn can_handle_at_once<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> bool {
    // SAFETY: by contract; the reference ends here.
    let aside = unsafe { &(*owner(cell)).aside };
    // SAFETY: by contract.
    (unsafe { phase(cell) }) == FuturePhase::Resting
        && aside.as_ref().is_none_or(|aside| !aside.has_ready(Guards::ALL_OPEN))
}

/// Keeps a message that arrived until its turn comes.
///
/// # Safety
/// As [`aside`].
#[inline(never)]
pub(super) unsafe fn put<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    mailbox: usize,
    message: Arrived<A::Msg>,
) {
    // SAFETY: by contract.
    unsafe { aside(cell) }.messages.put(mailbox, message);
}

/// The actor has started: how it selects.
///
/// # Safety
/// As [`aside`].
pub(super) unsafe fn set_order<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    order: SelectionOrder,
) {
    // SAFETY: by contract.
    unsafe {
        if !matches!(order, SelectionOrder::Priority) || (*owner(cell)).aside.is_some() {
            aside(cell).messages.set_order(order);
        }
    }
}

/// Remembers whether outputs of pipes may be waiting.
///
/// # Safety
/// As [`aside`].
pub(super) unsafe fn set_piped<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    piped: bool,
) {
    // SAFETY: by contract.
    unsafe { aside(cell) }.piped = piped;
}

/// What goes next of what was put aside, if anything is ready. A message is taken out.
///
/// # Safety
/// As [`aside`]; no future is pending, whose the guards would be.
#[inline(always)]
pub(super) unsafe fn take_next<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> Option<NextDeferred<A::Msg>> {
    // SAFETY: by contract; the reference ends here.
    let (aside, guards) =
        unsafe { (&mut (*owner(cell)).aside, &mut (*owner(cell)).context.guards) };
    let aside = aside.as_mut()?;
    if aside.piped {
        return Some(NextDeferred::Piped);
    }
    aside.messages.take_next(guards).map(NextDeferred::Message)
}

/// How many messages that were put aside could be begun one after the other. The guards of a
/// pending future are not known: then all count.
///
/// # Safety
/// As [`aside`].
pub(super) unsafe fn ready<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> usize {
    // SAFETY: by contract; the reference ends here.
    unsafe {
        let resting = phase(cell) == FuturePhase::Resting;
        let guards = if resting { (*owner(cell)).context.guards } else { Guards::ALL_OPEN };
        (*owner(cell)).aside.as_ref().map_or(0, |aside| aside.messages.ready(guards))
    }
}

/// How many messages have been begun, and how many put aside, for whoever looks at the actor.
///
/// # Safety
/// As [`aside`].
pub(super) unsafe fn numbers<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> (u64, usize) {
    // SAFETY: by contract; the reference ends here.
    unsafe {
        let aside = (*owner(cell)).aside.as_ref();
        ((*owner(cell)).begun, aside.map_or(0, |aside| aside.messages.ready(Guards::ALL_OPEN)))
    }
}

/// Whether something that was put aside could be begun.
///
/// # Safety
/// As [`aside`].
pub(super) unsafe fn has_ready<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> bool {
    // SAFETY: by contract; the reference ends here. The guards are read only without a future.
    unsafe {
        phase(cell) == FuturePhase::Resting
            && (*owner(cell))
                .aside
                .as_ref()
                .is_some_and(|aside| aside.has_ready((*owner(cell)).context.guards))
    }
}
