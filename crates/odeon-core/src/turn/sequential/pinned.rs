//! What an actor of a pinned or dedicated stage does with one delivery. The stage's thread owns all
//! its actors, and its queue is in order of arrival; what had to wait for a guard is gone on with
//! at a `RESUME`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use odeon_sync::atomic::Ordering;

use super::rare::{deferred, deliver_followed, handle_pinned, handle_signal, start_first};
use super::{SequentialStep, conclude, laned};
use crate::mailbox::label;
use crate::process::cell::{Header, MessageCell, Selector, signal};
use crate::process::payload::Payload;
use crate::process::task::TurnOutcome;
use crate::scheduler::envelope::RESUME;
use crate::turn::actor_cell::{ActorCell, CellOwner};
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::turn::ending;
use crate::turn::seen_turn;
use crate::vocabulary::message::Message;
use crate::vocabulary::observe::EndReason;

/// A pinned stage hands over one message or signal; `true` asks for a `RESUME`.
///
/// # Safety
/// `cell` is an `ActorCell<A>` of the stage whose thread this is; `payload` holds what `label`
/// says.
pub(super) unsafe fn deliver<A: Behavior>(
    cell: NonNull<Header>,
    label: u32,
    payload: *const Payload,
) -> bool {
    let cell = cell.cast::<ActorCell<A>>();
    // SAFETY: this thread owns all actors of its stage. Nothing the handler does can reach `owner`
    // again: messages to itself go into the ring.
    let (message, owner) =
        unsafe { (&(*cell.as_ptr()).message, &mut *(*cell.as_ptr()).owner.get()) };
    if A::Msg::MAILBOXES == 1 && label == label::FIRST_MAILBOX {
        // SAFETY: by contract; taken before any user code runs, as the ring demands.
        let content = unsafe { Payload::take::<A::Msg>(payload) };
        // ORDERING: Acquire: as in `turn`.
        let signals = message.header.signals.load(Ordering::Acquire);
        let rare = signals & (signal::STOP | signal::UNSTARTED | signal::SEEN) != 0;
        if let (Some(actor), false) = (owner.actor.as_mut(), rare) {
            let handled = catch_unwind(AssertUnwindSafe(|| {
                let mut ctx = Context::new(message, None);
                actor.handle(content, &mut ctx);
                ctx.wants_stop()
            }));
            let step = match handled {
                Ok(false) => return laned::resumes(owner),
                Ok(true) => Ok(SequentialStep::End),
                Err(panic) => Err(panic),
            };
            // SAFETY: ours, and not used after an outcome that says so. The reference is made anew:
            // `conclude` has used its own.
            return unsafe {
                conclude(cell, step) == TurnOutcome::More
                    && laned::resumes(&mut *(*cell.as_ptr()).owner.get())
            };
        }
        return deliver_rarely(cell, message, owner, label, Some(content));
    }
    let content = if label <= A::Msg::MAILBOXES as u32 {
        // SAFETY: by contract; taken before any user code runs, as the ring demands.
        Some(unsafe { Payload::take::<A::Msg>(payload) })
    } else if label::split(label).1 == 0 {
        None
    } else {
        // SAFETY: as above; only messages have a tag.
        let content = unsafe { Payload::take::<A::Msg>(payload) };
        return deliver_followed(cell, message, owner, label, content);
    };
    deliver_rarely(cell, message, owner, label, content)
}

/// What a pinned actor gets apart from messages to its only mailbox: several mailboxes, signals,
/// messages before its start and after its end, and everything if somebody looks at it.
#[inline(never)]
pub(super) fn deliver_rarely<A: Behavior>(
    cell: NonNull<ActorCell<A>>,
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
    label: u32,
    content: Option<A::Msg>,
) -> bool {
    if owner.actor.is_none() {
        if let Some(content) = content {
            // ORDERING: Relaxed: written by this thread.
            let failed = message.header.signals.load(Ordering::Relaxed) & signal::FAILED != 0;
            let reason = if failed { EndReason::Failed } else { EndReason::Stopped };
            ending::dead_letter(&message.header, reason, content);
        }
        return false;
    }
    if label != label::START {
        if message.header.is_unstarted() {
            start_first(cell, message, owner);
            return deliver_rarely(cell, message, owner, label, content);
        }
    } else if !message.header.take_unstarted() {
        return false;
    }
    let seen = message.header.is_seen().then(|| seen_turn::PinnedTurn::begin(&message.header));
    let step = catch_unwind(AssertUnwindSafe(|| step_pinned(message, owner, label, content)));
    if let Some(seen) = seen {
        seen.end(&message.header, deferred(owner));
    }
    match step {
        Ok(SequentialStep::Handled) => wants_resume(owner),
        Ok(SequentialStep::Idle | SequentialStep::More | SequentialStep::Hold) => false,
        // SAFETY: the stage's thread owns the actor, which is used afterwards only if it goes on,
        // by a reference that is made anew: `conclude` has used its own.
        other => unsafe {
            conclude(cell, other) == TurnOutcome::More
                && wants_resume(&mut *(*cell.as_ptr()).owner.get())
        },
    }
}

#[inline(always)]
fn wants_resume<A: Behavior>(owner: &mut CellOwner<A>) -> bool {
    has_ready(owner) || laned::resumes(owner)
}

/// Whether a message that has been deferred can be handled.
#[inline(always)]
fn has_ready<A: Behavior>(owner: &CellOwner<A>) -> bool {
    A::Msg::MAILBOXES > 1
        && owner.selector.as_ref().is_some_and(|selector| selector.set.has_ready(selector.guards))
}

#[inline(always)]
fn step_pinned<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
    label: u32,
    content: Option<A::Msg>,
) -> SequentialStep {
    // ORDERING: Acquire: as in `turn`.
    let signals = message.header.signals.load(Ordering::Acquire);
    if signals & signal::STOP != 0 {
        if let Some(content) = content {
            ending::dead_letter(&message.header, EndReason::Stopped, content);
        }
        return SequentialStep::End;
    }
    let step = match content {
        Some(content) if A::Msg::MAILBOXES == 1 => handle_pinned(message, owner, signals, content),
        Some(content) => {
            let Selector { guards, set } =
                &mut **owner.selector.as_mut().expect("several mailboxes");
            let mailbox = (label - label::FIRST_MAILBOX) as usize;
            // Among those of the stage's queue there is the order of arrival, and no other.
            if set.select_arrival(mailbox, guards, || true) {
                handle_pinned(message, owner, signals, content)
            } else {
                set.put(mailbox, content);
                match set.take_next(guards) {
                    Some(next) => handle_pinned(message, owner, signals, next),
                    None => SequentialStep::Handled,
                }
            }
        }
        None if A::DEFERS_ANYWHERE && label == RESUME => laned::go_on(message, owner),
        None if label == RESUME => {
            let Selector { guards, set } =
                &mut **owner.selector.as_mut().expect("several mailboxes");
            match set.take_next(guards) {
                Some(next) => handle_pinned(message, owner, signals, next),
                None => SequentialStep::Handled,
            }
        }
        None => handle_signal(message, owner, label),
    };
    // The last reference's signal comes after all messages, and a RESUME follows while any of them
    // is ready.
    if (step == SequentialStep::Handled || A::DEFERS_ANYWHERE && step == SequentialStep::Idle)
        && (label == label::UNREFERENCED || label == RESUME)
        && message.header.is_unreachable()
        && !has_ready(owner)
        && !(A::DEFERS_ANYWHERE && laned::deferred(owner) > 0)
    {
        return SequentialStep::End;
    }
    step
}
