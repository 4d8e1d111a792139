//! What a turn meets rarely: signals, messages that are followed, and somebody who looks at it
//! (`telemetry.rs`).

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use super::pinned::deliver_rarely;
use super::{SequentialStep, apply_guards, guards_of, handle, handle_guarded, laned, take_signal};
use crate::mailbox::{Guards, label};
use crate::messaging::tag;
use crate::process::cell::{MessageCell, Selector, signal};
use crate::telemetry::follow;
use crate::turn::actor_cell::{ActorCell, CellOwner};
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::turn::failing::{self, RequestOutcome};
use crate::turn::interior::Interior;
use crate::turn::seen_turn;
use crate::turn::seen_turn::{SeenTurn, TurnProgress, Whereabouts};

/// How many messages the actor has deferred.
pub(super) fn deferred<A: Behavior>(owner: &CellOwner<A>) -> usize {
    let sorted = owner.selector.as_ref().map_or(0, |selector| selector.set.ready(Guards::ALL_OPEN));
    sorted + laned::deferred(owner)
}

/// Somebody looks at a turn that did not end by going idle.
///
/// # Safety
/// The caller owns the actor.
#[cold]
pub(super) unsafe fn note_end<A: Behavior>(
    cell: NonNull<ActorCell<A>>,
    seen: &SeenTurn<'_>,
    step: &std::thread::Result<SequentialStep>,
    spent: u32,
) {
    let progress = match step {
        Ok(SequentialStep::End | SequentialStep::Restart) | Err(_) => {
            TurnProgress::SpentAndEndedWithin(spent)
        }
        Ok(_) => TurnProgress::Spent(spent),
    };
    // SAFETY: by contract; the references end here.
    let (header, owner) =
        unsafe { (&(*cell.as_ptr()).message.header, &*(*cell.as_ptr()).owner.get()) };
    let at = Whereabouts { position: owner.inbox.position(), deferred: deferred(owner) };
    seen.stays_owned(header, progress, at);
}

/// What is no plain message: a signal, or a message that is followed.
///
/// # Safety
/// `content` is what `label` says.
#[cold]
pub(super) unsafe fn handle_rarely<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
    label: u32,
    content: MaybeUninit<A::Msg>,
) -> SequentialStep {
    let tagged = label;
    let (label, tag) = label::split(tagged);
    if tag == 0 {
        return handle_signal(message, owner, label);
    }
    // SAFETY: by contract; only messages have a tag.
    let content = unsafe { content.assume_init() };
    if A::LANED {
        return laned::take(message, owner, tagged, content);
    }
    let header = &message.header;
    let CellOwner { inbox, selector, actor } = &mut *owner;
    if let Some(Selector { guards, set }) = selector.as_deref_mut() {
        let mailbox = (label - label::FIRST_MAILBOX) as usize;
        // SAFETY: `message` and `owner` belong together.
        let is_last = || !unsafe { inbox.has_next(&message.inbox) };
        if !set.goes_next(mailbox, *guards, is_last) {
            // Deferred it is a message like all others.
            tag::forget(header, tag);
            set.put(mailbox, content);
            return seen_turn::noting_signal(header, || SequentialStep::Handled, |_| true);
        }
        let actor = actor.as_mut().expect("an actor that has ended gets no turn");
        let mut scope = tag::begin::<A::Msg>(header, tag);
        return follow::within(scope.as_mut(), || {
            let content = set.select_next(mailbox, content, guards);
            handle_guarded(message, guards, actor, content)
        });
    }
    let mut scope = tag::begin::<A::Msg>(header, tag);
    follow::within(scope.as_mut(), || handle(message, owner, content))
}

pub(super) fn handle_signal<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
    label: u32,
) -> SequentialStep {
    if !message.header.is_seen() {
        return take_signal(message, owner, label);
    }
    let take = || take_signal(message, owner, label);
    seen_turn::noting_signal(&message.header, take, |step| *step == SequentialStep::Handled)
}

/// What another actor of a pinned stage sends may overtake the signal to start, if that came from
/// elsewhere. The actor starts before it is given anything, and may have ended then.
#[cold]
pub(super) fn start_first<A: Behavior>(
    cell: NonNull<ActorCell<A>>,
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
) {
    let resumes = deliver_rarely(cell, message, owner, label::START, None);
    debug_assert!(!resumes, "nothing has been deferred before the start");
}

/// As [`deliver`], for a message that is followed.
#[cold]
pub(super) fn deliver_followed<A: Behavior>(
    cell: NonNull<ActorCell<A>>,
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
    label: u32,
    content: A::Msg,
) -> bool {
    let (label, tag) = label::split(label);
    let mailbox = (label - label::FIRST_MAILBOX) as usize;
    if owner.actor.is_some() && message.header.is_unstarted() {
        start_first(cell, message, owner);
    }
    let goes_before =
        |s: &Selector<A::Msg>| s.set.has_ready(s.guards) || !s.guards.is_open(mailbox);
    if owner.actor.is_none() || owner.selector.as_deref().is_some_and(goes_before) {
        tag::forget(&message.header, tag);
        return deliver_rarely(cell, message, owner, label, Some(content));
    }
    let mut scope = tag::begin::<A::Msg>(&message.header, tag);
    follow::within(scope.as_mut(), || deliver_rarely(cell, message, owner, label, Some(content)))
}

/// `signals`: the actor's, read a moment ago.
#[inline(always)]
pub(super) fn handle_pinned<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
    signals: u32,
    content: A::Msg,
) -> SequentialStep {
    if signals & signal::SEEN != 0 {
        seen_turn::pinned_handles(&message.header);
    }
    handle(message, owner, content)
}

/// Has the actor look at a mark among its messages.
#[cold]
pub(super) fn come_to_mark<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
) -> SequentialStep {
    let CellOwner { selector, actor, .. } = owner;
    let actor = actor.as_mut().expect("an actor that has ended gets no turn");
    if actor.marked(&mut Interior::new(message, selector.as_deref_mut())) {
        return SequentialStep::End;
    }
    apply_guards(message, owner)
}

/// Does what others ask of the actor, or goes on with the output of a pipe.
#[cold]
pub(super) fn apply_request<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
) -> SequentialStep {
    if A::DEFERS && !laned::may_pause(owner) {
        return SequentialStep::Handled;
    }
    match failing::apply_request(&message.header) {
        RequestOutcome::Nothing => return SequentialStep::Handled,
        RequestOutcome::Restart => return SequentialStep::Restart,
        RequestOutcome::Piped => {}
    }
    let Some(continuation) = failing::next_continuation(&message.header) else {
        // A pipe that was cancelled opens no mailbox any more.
        return apply_guards(message, owner);
    };
    let guards = guards_of(&mut owner.selector);
    let mut ctx = Context::new(message, guards);
    let actor = owner.actor.as_mut().expect("an actor that has ended gets no turn");
    actor.go_on(continuation, &mut ctx);
    if ctx.wants_stop() { SequentialStep::End } else { apply_guards(message, owner) }
}
