//! Actors whose messages come with lanes, and all that defer messages: they go on with those
//! when the inbox is empty.

use crate::mailbox::{RELIEVED_AT, label};
use crate::messaging::lane::{Lane, companion};
use crate::messaging::pressure;
use crate::process::cell::MessageCell;
use crate::process::current;
use crate::turn::actor_cell::CellOwner;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::turn::seen_turn;
use crate::vocabulary::message::Message;

use super::SequentialStep;
use crate::turn::budget::Budget;

/// Hands a message over, with its sender's lane. `label`: with the tag.
#[inline(always)]
pub(super) fn take<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
    label: u32,
    content: A::Msg,
) -> SequentialStep {
    let (label, tag) = label::split(label);
    let in_mailbox = |lane: Lane| {
        if A::Msg::MAILBOXES == 1 {
            return lane;
        }
        lane.in_mailbox((label - label::FIRST_MAILBOX) as usize)
    };
    let mut ctx = Context::new(message, None);
    let actor = owner.actor.as_mut().expect("an actor that has ended gets no turn");
    if companion::is_told_by(tag) {
        let (lane, companion) = companion::take(tag);
        actor.take_accompanied(content, in_mailbox(lane), companion, &mut ctx);
    } else {
        actor.take_laned(content, in_mailbox(Lane::of_tag(tag)), &mut ctx);
    }
    if ctx.wants_stop() { SequentialStep::End } else { SequentialStep::Handled }
}

/// Has the actor go on with what it has deferred. `SequentialStep::Idle`: there is nothing to do.
pub(super) fn go_on<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
) -> SequentialStep {
    let step = |owner: &mut CellOwner<A>| {
        let mut ctx = Context::new(message, None);
        let actor = owner.actor.as_mut().expect("an actor that has ended gets no turn");
        let went_on = actor.handle_deferred(&mut ctx);
        match went_on {
            _ if ctx.wants_stop() => SequentialStep::End,
            true => SequentialStep::Handled,
            false => SequentialStep::Idle,
        }
    };
    if !message.header.is_seen() {
        return step(owner);
    }
    // What is gone on with was counted when it was taken.
    seen_turn::noting_signal(
        &message.header,
        || step(owner),
        |step| *step == SequentialStep::Handled,
    )
}

/// Whether the actor, which is to end, can do so: not while messages of it are being handled
/// elsewhere, unless the theater waits for them no longer.
#[cold]
pub(super) fn may_end<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
) -> bool {
    let Some(actor) = &mut owner.actor else { return true };
    if actor.may_end() {
        return true;
    }
    message.header.stage.theater().waits_no_longer() && actor.may_be_left_behind()
}

/// Whether the actor has its state to itself, to see to what others request.
#[cold]
pub(super) fn may_pause<A: Behavior>(owner: &mut CellOwner<A>) -> bool {
    owner.actor.as_mut().is_none_or(Behavior::may_pause)
}

/// On a stage that owns its actors: whether the actor wants to go on behind what has come already.
#[inline(always)]
pub(super) fn resumes<A: Behavior>(owner: &mut CellOwner<A>) -> bool {
    A::DEFERS_ANYWHERE && owner.actor.as_mut().is_some_and(Behavior::resumes)
}

/// How many messages the actor has deferred.
#[inline(always)]
pub(super) fn deferred<A: Behavior>(owner: &CellOwner<A>) -> usize {
    if !A::DEFERS {
        return 0;
    }
    owner.actor.as_ref().map_or(0, Behavior::deferred)
}

/// How many of these count as pressure.
pub(super) fn pressing<A: Behavior>(owner: &CellOwner<A>) -> usize {
    if !A::DEFERS {
        return 0;
    }
    owner.actor.as_ref().map_or(0, Behavior::pressing)
}

/// Whether an actor that is about to go idle has so much deferred that senders are to hold back
/// meanwhile.
pub(super) fn stays_pressed<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: &CellOwner<A>,
) -> bool {
    let pressing = pressing(owner);
    if pressing <= RELIEVED_AT {
        return false;
    }
    pressure::weigh(message, pressing);
    message.inbox.is_pressed()
}

/// Whether the actor may have deferred messages.
#[inline(always)]
pub(super) fn has_deferred<A: Behavior>(owner: &CellOwner<A>) -> bool {
    owner.actor.as_ref().is_some_and(Behavior::has_deferred)
}

/// Whether the actor counts what it handles, or corrects what is counted. One that may move, and
/// has no lanes, does neither.
pub(super) const fn counts<A: Behavior>() -> bool {
    A::LANED || A::DEFERS && !A::MAY_MOVE
}

/// How many messages were handled in the turn that ends, whenever they were taken: all that an
/// actor with lanes has counted; of another one, what the turn's budget has counted and the actor
/// has corrected.
#[inline(always)]
pub(super) fn handled<A: Behavior>(budget: &Budget<'_>) -> u32 {
    let noted = current::here().handled.take();
    if A::LANED { noted } else { budget.spent().saturating_add_signed(noted as i32) }
}

/// Corrects how many messages the present turn has handled, for an actor without lanes.
pub(crate) fn correct_handled(by: i32) {
    let handled = &current::here().handled;
    handled.set(handled.get().wrapping_add_signed(by));
}
