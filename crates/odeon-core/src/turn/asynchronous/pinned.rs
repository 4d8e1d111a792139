//! What is done with a delivery to an asynchronous actor of a pinned or dedicated stage.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};

use odeon_sync::atomic::Ordering;

use super::cell::{self, AsyncCell, FuturePhase, owner};
use super::deferred::{self, Arrived};
use super::future::{self, Handlers};
use super::{AsyncStep, end, go_on, stops, take_signal};
use crate::mailbox::label;
use crate::messaging::tag;
use crate::process::cell::{Header, signal};
use crate::process::current;
use crate::process::payload::Payload;
use crate::process::task::TurnOutcome;
use crate::scheduler::envelope::RESUME;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::seen_turn;
use crate::turn::seen_turn::PinnedTurn;
use crate::turn::{ending, failing};
use crate::vocabulary::message::Message;
use crate::vocabulary::observe::EndReason;

/// A pinned stage hands over one message or signal; `true` asks for a `RESUME`.
///
/// # Safety
/// `cell` is an `AsyncCell<A, H>` of the stage whose thread this is; `payload` holds what `label`
/// says.
pub(super) unsafe fn deliver<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<Header>,
    label: u32,
    payload: *const Payload,
) -> bool {
    let cell = cell.cast::<AsyncCell<A, H>>();
    let (label, tag) = label::split(label);
    let is_message = label <= A::Msg::MAILBOXES as u32;
    // SAFETY: by contract; taken before any user code runs, as the ring demands.
    let content = is_message.then(|| unsafe { Payload::take::<A::Msg>(payload) });
    let content = content.map(|content| Arrived { content, tag });
    // SAFETY: what is under way to an actor keeps its cell, also behind its end.
    let unstarted = unsafe { (*cell.as_ptr()).message.header.is_unstarted() };
    if unstarted && label != label::START {
        // What another actor of the stage sends may overtake the signal to start, if that came from
        // elsewhere. The actor starts before it is given anything, and may have ended then.
        // SAFETY: by contract; the signal has no payload.
        let resumes = unsafe { deliver::<A, H>(cell.cast(), label::START, payload) };
        debug_assert!(!resumes, "nothing has been deferred before the start");
    }
    // SAFETY: this thread owns all actors of its stage.
    if unsafe { cell::phase(cell) } == FuturePhase::Ended {
        // SAFETY: by contract.
        unsafe { deliver_too_late(cell, content) };
        return false;
    }
    // SAFETY: as above; the reference is not used after the actor's end.
    let header = unsafe { &(*cell.as_ptr()).message.header };
    if label == label::START && !header.take_unstarted() {
        return false;
    }
    let seen = header.is_seen().then(|| PinnedTurn::begin(header));
    let handler = &current::here().pinned_handler;
    handler.set(header);
    // SAFETY: as above.
    let step = catch_unwind(AssertUnwindSafe(|| unsafe { step(cell, label, content) }));
    handler.set(ptr::null());
    if let Some(seen) = seen {
        // SAFETY: as above.
        let (begun, deferred) = unsafe { deferred::numbers(cell) };
        seen_turn::pinned_has_begun(header, begun);
        seen.end(header, deferred);
    }
    let outcome = match step {
        Ok(AsyncStep::Done | AsyncStep::Idle | AsyncStep::More) => TurnOutcome::More,
        // SAFETY: ours, and not used afterwards.
        Ok(AsyncStep::End) => unsafe {
            end(cell, EndReason::Stopped, None);
            TurnOutcome::Stopped
        },
        // SAFETY: ours, and used afterwards only if the actor goes on.
        Ok(AsyncStep::Restart) => unsafe { failing::restart_due(cell) },
        // SAFETY: as above.
        Err(panic) => unsafe { failing::fail(cell, panic) },
    };
    if outcome != TurnOutcome::More {
        return false;
    }
    // SAFETY: the actor goes on.
    unsafe {
        let resumes = deferred::has_ready(cell) && !(*owner(cell)).resume_due;
        (*owner(cell)).resume_due |= resumes;
        resumes
    }
}

/// # Safety
/// As [`deliver`].
#[cold]
unsafe fn deliver_too_late<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    content: Option<Arrived<A::Msg>>,
) {
    // SAFETY: by contract.
    let header = unsafe { &(*cell.as_ptr()).message.header };
    if let Some(message) = content {
        // ORDERING: Relaxed: written by this thread.
        let failed = header.signals.load(Ordering::Relaxed) & signal::FAILED != 0;
        let reason = if failed { EndReason::Failed } else { EndReason::Stopped };
        dead_letter(header, reason, message);
    }
}

fn dead_letter<M: Message>(header: &Header, reason: EndReason, message: Arrived<M>) {
    if message.tag != 0 {
        tag::forget(header, message.tag);
    }
    ending::dead_letter(header, reason, message.content);
}

/// # Safety
/// As [`deliver`], for an actor that has not ended.
#[inline(always)]
unsafe fn step<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    label: u32,
    content: Option<Arrived<A::Msg>>,
) -> AsyncStep {
    // SAFETY: by contract, for the whole function.
    unsafe {
        let message = &(*cell.as_ptr()).message;
        if stops(message) {
            if let Some(content) = content {
                dead_letter(&message.header, EndReason::Stopped, content);
            }
            return AsyncStep::End;
        }
        let step = match content {
            Some(content) if A::Msg::MAILBOXES == 1 && deferred::can_handle_at_once(cell) => {
                future::begin_arrived(cell, content)
            }
            Some(content) => {
                deferred::put(cell, (label - label::FIRST_MAILBOX) as usize, content);
                go_on(cell)
            }
            None if label == RESUME => {
                (*owner(cell)).resume_due = false;
                go_on(cell)
            }
            None => take_signal(cell, label),
        };
        // The last reference's signal comes after all messages, and a RESUME follows while any of
        // them is ready.
        if step != AsyncStep::End && !deferred::has_ready(cell) && cell::is_finished(cell) {
            return AsyncStep::End;
        }
        step
    }
}
