//! What it takes to make an asynchronous actor anew.

use std::ptr::NonNull;
use std::sync::Arc;

use super::cell::{AsyncCell, FuturePhase, owner, phase, set_phase};
use super::future::{self, Handlers};
use super::{AsyncStep, deferred, end};
use crate::mailbox::{Guards, SelectionOrder};
use crate::process::cell::Header;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::failing::contained;
use crate::turn::guarding::{self, GuardFailure};
use crate::turn::renewing::Renewable;
use crate::vocabulary::message::Message;
use crate::vocabulary::observe::EndReason;

// SAFETY: the cell of an asynchronous actor is as demanded.
unsafe impl<A: AsyncBehavior, H: Handlers<A>> Renewable for AsyncCell<A, H> {
    type Actor = A;

    unsafe fn has_state(cell: NonNull<Self>) -> bool {
        // SAFETY: by contract; in every other phase there is an actor, and no future that borrows
        // it.
        unsafe {
            phase(cell) != FuturePhase::Absent && (*owner(cell)).actor.assume_init_ref().is_made()
        }
    }

    unsafe fn abandon_message(cell: NonNull<Self>) {
        // SAFETY: by contract.
        let header = unsafe { cell.cast::<Header>().as_ref() };
        // SAFETY: as above.
        contained(header, || unsafe { future::cancel(cell) });
        // A handler that has not returned has not stopped its actor.
        // SAFETY: by contract.
        unsafe { (*owner(cell)).context.stop = false };
    }

    unsafe fn resume(cell: NonNull<Self>, after: GuardFailure) -> bool {
        if A::Msg::MAILBOXES == 1 {
            return false;
        }
        let owner = owner(cell);
        // SAFETY: by contract; the future has been abandoned, and the references end here. What is
        // deferred lies beside the guards.
        unsafe {
            let actor = (*owner).actor.assume_init_ref();
            let header = cell.cast::<Header>().as_ref();
            let guards = &mut (*owner).context.guards;
            let select = |guards: &mut Guards| {
                let order = guarding::begin(header, guards, actor.selection(), A::Msg::MAILBOXES);
                deferred::set_order(cell, order);
            };
            guarding::resume(header, guards, after, select, |guards| actor.guards(guards))
        }
    }

    unsafe fn drop_state(cell: NonNull<Self>) {
        // SAFETY: by contract.
        unsafe { Self::abandon_message(cell) };
        let owner = owner(cell);
        // SAFETY: by contract.
        let (header, before) = unsafe {
            (*owner).context.guards = Guards::ALL_OPEN;
            let before = phase(cell);
            set_phase(cell, FuturePhase::Absent);
            (cell.cast::<Header>().as_ref(), before)
        };
        if A::Msg::MAILBOXES > 1 {
            // SAFETY: by contract.
            contained(header, || unsafe { deferred::set_order(cell, SelectionOrder::Priority) });
        }
        if before != FuturePhase::Absent {
            // SAFETY: the future that referred to it is gone; dropped once, since the phase says
            // so.
            contained(header, || unsafe { (*owner).actor.assume_init_drop() });
        }
    }

    unsafe fn set_state(cell: NonNull<Self>, actor: A) {
        let owner = owner(cell);
        // SAFETY: by contract.
        unsafe {
            (*owner).actor.write(actor);
            set_phase(cell, FuturePhase::Resting);
        }
    }

    unsafe fn start(cell: NonNull<Self>) -> bool {
        // SAFETY: by contract.
        unsafe { future::begin_starting(cell) == AsyncStep::End }
    }

    unsafe fn end(cell: NonNull<Self>, reason: EndReason, failure: Option<Arc<str>>) {
        // SAFETY: by contract.
        unsafe { end(cell, reason, failure) }
    }
}
