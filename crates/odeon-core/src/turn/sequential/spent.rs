//! A turn that has handled as many messages as it may.

use odeon_sync::atomic::Ordering;

use super::rare::deferred;
use super::{SequentialStep, go_idle, laned};
use crate::mailbox::WentIdle;
use crate::messaging::pressure;
use crate::process::cell::{MessageCell, signal};
use crate::turn::actor_cell::CellOwner;
use crate::turn::behavior::Behavior;
use crate::turn::budget::Budget;
use crate::turn::seen_turn;

/// While many senders wait for the actor, the turn goes on until its time is over: behind all
/// others it would hold back more of them before its turn comes again. Not of one that defers:
/// others handle what it takes. One that serves another says itself whether it goes on.
///
/// # Safety
/// As [`go_idle`].
#[cold]
#[inline(never)]
pub(super) unsafe fn goes_on_for_relief<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: *mut CellOwner<A>,
    budget: &mut Budget<'_>,
) -> bool {
    if A::SERVES {
        // SAFETY: by contract; the reference ends here.
        let extends = unsafe { &(*owner).actor }.as_ref().is_some_and(Behavior::extends_turn);
        return extends && budget.extend(usize::MAX);
    }
    // SAFETY: by contract; the reference ends here.
    let taken = taken_and_ready(unsafe { &*owner });
    !A::DEFERS && budget.extend(pressure::senders_waiting(message, taken))
}

/// Messages that were taken from the inbox and could be handled.
pub(super) fn taken_and_ready<A: Behavior>(owner: &CellOwner<A>) -> usize {
    let ready = owner.selector.as_ref().map_or(0, |s| s.set.ready(s.guards));
    ready + laned::pressing(owner)
}

/// The turn ends. One that was for a single message goes idle if nothing else waits, without
/// handling more.
///
/// # Safety
/// As [`go_idle`].
#[cold]
#[inline(never)]
pub(super) unsafe fn end_of_budget<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: *mut CellOwner<A>,
    budget: &Budget<'_>,
) -> SequentialStep {
    if A::SERVES && budget.is_for_one() {
        // What others have for it is not for whoever gives it this turn.
        // SAFETY: by contract; the reference ends here.
        let actor = unsafe { &mut (*owner).actor };
        actor.as_mut().into_iter().for_each(|actor| actor.turn_ends(true));
    }
    // ORDERING: Relaxed: what others ask for comes with a signal in the inbox, so that going idle
    // fails.
    let signals = message.header.signals.load(Ordering::Relaxed);
    if !budget.is_for_one() || signals & signal::BETWEEN_MESSAGES != 0 {
        return SequentialStep::More;
    }
    // SAFETY: by contract; the references end before `go_idle`.
    let waiting = unsafe {
        let owner = &mut *owner;
        let is_ready = owner.selector.as_ref().is_some_and(|s| s.set.ready(s.guards) > 0);
        if is_ready || A::DEFERS && laned::deferred(owner) > 0 {
            return SequentialStep::More;
        }
        if A::DEFERS && !A::SERVES && laned::has_deferred(owner) {
            // Nothing of it waits to be handled.
            match laned::go_on(message, owner) {
                SequentialStep::Idle => {}
                SequentialStep::Handled => return SequentialStep::More,
                end => return end,
            }
        }
        deferred(owner)
    };
    if message.header.has_duties_before_idle() {
        if message.header.is_unreachable() {
            return SequentialStep::EndBetween;
        }
        seen_turn::note_before_idle(
            &message.header,
            seen_turn::TurnProgress::Spent(budget.spent()),
            waiting,
        );
    }
    // SAFETY: by contract.
    match unsafe { go_idle(message, owner) } {
        WentIdle::Yes => SequentialStep::Idle,
        WentIdle::No | WentIdle::UnderPressure => SequentialStep::More,
    }
}
