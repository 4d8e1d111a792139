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

/// What was deferred.
pub(super) struct Deferred<M> {
    pub(super) messages: MailboxSet<Arrived<M>>,
    /// Whether outputs of pipes may be waiting in the relations. They go before messages.
    piped: bool,
}

impl<M> Deferred<M> {
    fn has_ready(&self, guards: Guards) -> bool {
        self.piped || self.messages.has_ready(guards)
    }
}

/// What goes next of what was deferred.
pub(super) enum NextDeferred<M> {
    /// Outputs of pipes, if there are any.
    Piped,
    Message(Arrived<M>),
}

/// # Safety
/// For all functions here: the caller owns the actor. The result is used before anything else of
/// it.
unsafe fn deferred<'a, A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> &'a mut Deferred<A::Msg> {
    // SAFETY: by contract.
    let deferred = unsafe { &mut (*owner(cell)).deferred };
    let new = || Box::new(Deferred { messages: MailboxSet::new(A::Msg::MAILBOXES), piped: false });
    deferred.get_or_insert_with(new)
}

/// Whether a message can be handled as it arrives, with one mailbox: nothing goes before it.
///
/// # Safety
/// As [`deferred`].
#[inline(always)]
pub(super) unsafe fn can_handle_at_once<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> bool {
    // SAFETY: by contract; the reference ends here.
    let deferred = unsafe { &(*owner(cell)).deferred };
    // SAFETY: by contract.
    (unsafe { phase(cell) }) == FuturePhase::Resting
        && deferred.as_ref().is_none_or(|deferred| !deferred.has_ready(Guards::ALL_OPEN))
}

/// Keeps a message that arrived until its turn comes.
///
/// # Safety
/// As [`deferred`].
#[inline(never)]
pub(super) unsafe fn put<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    mailbox: usize,
    message: Arrived<A::Msg>,
) {
    // SAFETY: by contract.
    unsafe { deferred(cell) }.messages.put(mailbox, message);
}

/// The actor has started: how it selects.
///
/// # Safety
/// As [`deferred`].
pub(super) unsafe fn set_order<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    order: SelectionOrder,
) {
    // SAFETY: by contract.
    unsafe {
        if !matches!(order, SelectionOrder::Priority) || (*owner(cell)).deferred.is_some() {
            deferred(cell).messages.set_order(order);
        }
    }
}

/// Remembers whether outputs of pipes may be waiting.
///
/// # Safety
/// As [`deferred`].
pub(super) unsafe fn set_piped<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    piped: bool,
) {
    // SAFETY: by contract.
    unsafe { deferred(cell) }.piped = piped;
}

/// What goes next of what was deferred, if anything is ready. A message is taken out.
///
/// # Safety
/// As [`deferred`]; no future is pending, whose the guards would be.
#[inline(always)]
pub(super) unsafe fn take_next<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> Option<NextDeferred<A::Msg>> {
    // SAFETY: by contract; the reference ends here.
    let (deferred, guards) =
        unsafe { (&mut (*owner(cell)).deferred, &mut (*owner(cell)).context.guards) };
    let deferred = deferred.as_mut()?;
    if deferred.piped {
        return Some(NextDeferred::Piped);
    }
    deferred.messages.take_next(guards).map(NextDeferred::Message)
}

/// How many messages that were deferred could be begun one after the other. The guards of a
/// pending future are not known: then all count.
///
/// # Safety
/// As [`deferred`].
pub(super) unsafe fn ready<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> usize {
    // SAFETY: by contract; the reference ends here.
    unsafe {
        let resting = phase(cell) == FuturePhase::Resting;
        let guards = if resting { (*owner(cell)).context.guards } else { Guards::ALL_OPEN };
        (*owner(cell)).deferred.as_ref().map_or(0, |deferred| deferred.messages.ready(guards))
    }
}

/// How many messages have been begun, and how many deferred, for whoever looks at the actor.
///
/// # Safety
/// As [`deferred`].
pub(super) unsafe fn numbers<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> (u64, usize) {
    // SAFETY: by contract; the reference ends here.
    unsafe {
        let deferred = (*owner(cell)).deferred.as_ref();
        (
            (*owner(cell)).begun,
            deferred.map_or(0, |deferred| deferred.messages.ready(Guards::ALL_OPEN)),
        )
    }
}

/// Whether something that was deferred could be begun.
///
/// # Safety
/// As [`deferred`].
pub(super) unsafe fn has_ready<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> bool {
    // SAFETY: by contract; the reference ends here. The guards are read only without a future.
    unsafe {
        phase(cell) == FuturePhase::Resting
            && (*owner(cell))
                .deferred
                .as_ref()
                .is_some_and(|deferred| deferred.has_ready((*owner(cell)).context.guards))
    }
}
