//! The end of an actor: close the inbox, hand what is left to the dead letters, drop the state, give
//! the cell back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use crate::actor::Actor;
use crate::cell::{self, ActorCell, Header, Owner};
use crate::dead_letter::DeadLetterReason;
use crate::memory;
use crate::message::Message;
use crate::observe::EndReason;
use crate::send;

/// Ends the actor. Its user code (`stopped`, destructors of state and messages) may panic without
/// harm to the caller.
///
/// # Safety
/// The caller owns the actor, which has not ended yet, and does not touch the cell afterwards.
pub(crate) unsafe fn end<A: Actor>(cell: NonNull<ActorCell<A>>, reason: EndReason) {
    // SAFETY: by contract; the actor's alive count keeps the cell until `release_weak`.
    let (message, owner) =
        unsafe { (&(*cell.as_ptr()).message, &mut *(*cell.as_ptr()).owner.get()) };
    let header = &message.header;
    // SAFETY: we own the actor; it ends once.
    unsafe {
        owner.inbox.close(&message.inbox, |label, content| {
            if label <= A::Msg::MAILBOXES as u32 {
                // A mailbox label comes with a message.
                dead_letter(header, reason, content.assume_init());
            }
        });
    }
    drop_state(header, owner, reason);
    let theater = header.stage.theater();
    theater.actor_ended(header, reason);
    if let Some(stage) = header.pinned() {
        stage.actor_ended();
    }
    // SAFETY: the alive count is the owner's to give back, once.
    unsafe { cell::release_weak(cell.cast()) }
}

/// Drops what the actor put aside and then its state.
fn drop_state<A: Actor>(header: &Header, owner: &mut Owner<A>, reason: EndReason) {
    if let Some(mut selector) = owner.selector.take() {
        let every = crate::mailbox::Guards::ALL_OPEN;
        while let Some(content) = selector.set.take_next(every) {
            dead_letter(header, reason, content);
        }
    }
    let Some(mut actor) = owner.actor.take() else { return };
    let ended = catch_unwind(AssertUnwindSafe(move || {
        if reason != EndReason::Failed {
            actor.stopped();
        }
    }));
    if let Err(panic) = ended {
        header.stage.theater().actor_failed(header.id, panic);
    }
}

/// Counts and reports a message that will not be handled.
pub(crate) fn dead_letter<M: Message>(header: &Header, reason: EndReason, message: M) {
    let theater = header.stage.theater();
    let reason = match reason {
        EndReason::Failed => DeadLetterReason::Failed,
        EndReason::Stopped if theater.is_stopping() => DeadLetterReason::Shutdown,
        EndReason::Stopped => DeadLetterReason::Stopped,
        EndReason::Shutdown => DeadLetterReason::Shutdown,
    };
    theater.dead_letter(header.id, reason, message);
}

/// Leaves a signal for an actor whose type is only known here.
///
/// # Safety
/// `cell` is an `ActorCell<A>` that somebody's count keeps.
pub(crate) unsafe fn signal<A: Actor>(cell: NonNull<Header>, label: u32) {
    // SAFETY: by contract.
    send::signal(unsafe { &(*cell.cast::<ActorCell<A>>().as_ptr()).message }, label);
}

/// Ends an actor that no stage will run any more.
///
/// # Safety
/// As [`end`].
pub(crate) unsafe fn end_by_theater<A: Actor>(cell: NonNull<Header>) {
    // SAFETY: by contract.
    unsafe { end(cell.cast::<ActorCell<A>>(), EndReason::Shutdown) }
}

/// Frees the memory.
///
/// # Safety
/// `cell` was placed as an `ActorCell<A>` and nobody can reach it any more.
pub(crate) unsafe fn dealloc<A: Actor>(cell: NonNull<Header>) {
    // SAFETY: by contract.
    unsafe { memory::remove(cell.cast::<ActorCell<A>>()) }
}
