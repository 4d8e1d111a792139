//! What it takes to make an actor anew, whatever way it is processed.

use std::ptr::NonNull;
use std::sync::Arc;

use super::failing::contained;
use super::guarding::GuardFailure;
use super::{ending, sequential};
use crate::mailbox::{Guards, SelectionOrder};
use crate::process::cell::Selector;
use crate::turn::actor_cell::{ActorCell, CellOwner};
use crate::turn::behavior::Behavior;
use crate::vocabulary::observe::EndReason;

/// A cell whose actor can be made anew. Used by the owner alone, with no reference into its part.
///
/// # Safety
/// `repr(C)`, and begins with a `Header`.
pub(crate) unsafe trait Renewable {
    /// What is made anew.
    type Actor: 'static;

    /// Whether there is a state.
    ///
    /// # Safety
    /// The caller owns the actor, which has not ended, and has abandoned the message that failed.
    unsafe fn has_state(cell: NonNull<Self>) -> bool;

    /// Drops what is left of the message that failed, and keeps the state. Contains panics.
    ///
    /// # Safety
    /// The caller owns the actor, which has not ended.
    unsafe fn abandon_message(cell: NonNull<Self>);

    /// Has the actor, which is resumed, look at its guards as after a step; `true` if it is to
    /// stop. May unwind.
    ///
    /// # Safety
    /// As [`has_state`](Self::has_state); there is a state.
    unsafe fn resume(cell: NonNull<Self>, after: GuardFailure) -> bool;

    /// Drops the state, if there is one, and how it has selected, and opens all mailboxes. Contains
    /// panics.
    ///
    /// # Safety
    /// As [`abandon_message`](Self::abandon_message).
    unsafe fn drop_state(cell: NonNull<Self>);

    /// Gives the actor its new state.
    ///
    /// # Safety
    /// As [`abandon_message`](Self::abandon_message); there is no state.
    unsafe fn set_state(cell: NonNull<Self>, actor: Self::Actor);

    /// Has the new state started; `true` if it wants to stop. May unwind.
    ///
    /// # Safety
    /// As [`abandon_message`](Self::abandon_message); there is a state.
    unsafe fn start(cell: NonNull<Self>) -> bool;

    /// Ends the actor.
    ///
    /// # Safety
    /// As [`ending::end_cell`].
    unsafe fn end(cell: NonNull<Self>, reason: EndReason, failure: Option<Arc<str>>);
}

/// # Safety
/// The caller owns the actor and has no other reference to its part.
unsafe fn owner<'a, A: Behavior>(cell: NonNull<ActorCell<A>>) -> &'a mut CellOwner<A> {
    // SAFETY: by contract.
    unsafe { &mut *(*cell.as_ptr()).owner.get() }
}

// SAFETY: a plain actor's cell is as demanded.
unsafe impl<A: Behavior> Renewable for ActorCell<A> {
    type Actor = A;

    unsafe fn has_state(cell: NonNull<Self>) -> bool {
        // SAFETY: by contract.
        unsafe { owner(cell) }.actor.as_ref().is_some_and(Behavior::is_made)
    }

    unsafe fn abandon_message(_: NonNull<Self>) {}

    unsafe fn resume(cell: NonNull<Self>, after: GuardFailure) -> bool {
        // SAFETY: by contract.
        let (message, owner) = unsafe { (&(*cell.as_ptr()).message, owner(cell)) };
        sequential::resume(message, owner, after)
    }

    unsafe fn drop_state(cell: NonNull<Self>) {
        // SAFETY: by contract.
        let (header, owner) = unsafe { (&(*cell.as_ptr()).message.header, owner(cell)) };
        if let Some(Selector { guards, set }) = owner.selector.as_deref_mut() {
            *guards = Guards::ALL_OPEN;
            contained(header, || set.set_order(SelectionOrder::Priority));
        }
        contained(header, || {
            if !owner.actor.as_mut().is_some_and(Behavior::shed) {
                drop(owner.actor.take());
            }
        });
    }

    unsafe fn set_state(cell: NonNull<Self>, actor: A) {
        // SAFETY: by contract.
        match &mut unsafe { owner(cell) }.actor {
            Some(kept) => kept.renew(actor),
            place => *place = Some(actor),
        }
    }

    unsafe fn start(cell: NonNull<Self>) -> bool {
        // SAFETY: by contract.
        let (message, owner) = unsafe { (&(*cell.as_ptr()).message, owner(cell)) };
        sequential::start(message, owner)
    }

    unsafe fn end(cell: NonNull<Self>, reason: EndReason, failure: Option<Arc<str>>) {
        // SAFETY: by contract.
        unsafe { ending::end(cell, reason, failure) }
    }
}
