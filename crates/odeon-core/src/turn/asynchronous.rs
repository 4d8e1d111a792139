//! The turn of actors whose handlers wait: begin a message's future, poll it when it is woken,
//! begin the next one when it is complete.
//!
//! | question | file |
//! |---|---|
//! | where do actor, context and future lie, and who may touch them? | `asynchronous/cell.rs` |
//! | what waits while a future is pending? | `asynchronous/deferred.rs` |
//! | how is a future begun, polled, dropped? | `asynchronous/future.rs` |
//! | how does a wake-up reach the actor? | `asynchronous/waking.rs` |
//! | what is done in a turn of the pool? | here |
//! | what is done with a delivery on a pinned stage? | `asynchronous/pinned.rs` |
//! | how is an actor that failed made anew? | `asynchronous/renewing.rs` |
//!
//! While a future is pending the inbox is emptied all the same: what arrives is deferred in order,
//! so that the actor can go idle and signals are seen.

mod cell;
mod deferred;
mod future;
mod pinned;
mod renewing;
mod waking;

use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::Arc;

use odeon_sync::atomic::Ordering;

use super::budget::Budget;
use super::ending;
use super::failing::{self, RequestOutcome};
use crate::mailbox::{InboxOwner, RELIEVED_AT, WentIdle, label};
use crate::messaging::pressure;
use crate::process::cell::{Header, MessageCell, signal};
use crate::process::task::{TurnOutcome, TurnReport};
use crate::process::turn_limits::TurnLimits;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::seen_turn;
use crate::turn::seen_turn::{SeenTurn, TurnProgress, Whereabouts};
use crate::vocabulary::message::Message;
use crate::vocabulary::observe::EndReason;
use cell::{AsyncCell, FuturePhase};
use deferred::{Arrived, NextDeferred};
use future::Handlers;

pub(crate) use cell::new_actor;

/// TUNE: messages deferred one after the other before pressure is looked at: a block of the inbox.
const WEIGHED_EVERY: usize = 64;

/// What one step of a turn came to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AsyncStep {
    /// A future was begun or polled, or a signal taken.
    Done,
    /// Nothing can be done until something arrives.
    Idle,
    /// The turn is over, though something may be waiting.
    More,
    /// The actor has asked for its end, or somebody else has.
    End,
    /// To be made anew.
    Restart,
}

/// One turn of a scheduled pool actor.
///
/// # Safety
/// `cell` is a live `AsyncCell<A, H>` and the caller has the right to run it.
unsafe fn run<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<Header>,
    limits: &TurnLimits<'_>,
) -> TurnReport {
    let cell = cell.cast::<AsyncCell<A, H>>();
    let mut budget = Budget::new(limits);
    let seen = limits.telemetry.map(|telemetry| {
        // SAFETY: the cell is alive until the turn ends.
        let (seen, now) = telemetry.turn_begins(unsafe { &(*cell.as_ptr()).message.header });
        budget.start_at(now);
        seen
    });
    // SAFETY: we own the actor for this turn; nothing below touches the cell after `Idle`.
    let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { turn(cell, &mut budget) }));
    if let Some(seen) = seen {
        if !matches!(outcome, Ok(AsyncStep::Idle)) {
            // SAFETY: only after `Idle` the cell is not ours any more.
            unsafe { note_end(cell, &seen) };
        }
        seen.ended(budget.spent());
    }
    let outcome = match outcome {
        Ok(AsyncStep::Idle) => TurnOutcome::Idle,
        // SAFETY: still ours, and not used after an outcome that says so.
        other => unsafe { conclude(cell, other) },
    };
    TurnReport { outcome, messages: budget.spent() }
}

/// Somebody looks at a turn that did not end by going idle.
///
/// # Safety
/// The caller owns the actor.
#[cold]
unsafe fn note_end<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    seen: &SeenTurn<'_>,
) {
    // SAFETY: by contract; the references end here.
    let (header, (begun, deferred), position) = unsafe {
        let inbox = cell::inbox_owner(cell).as_ref();
        (&(*cell.as_ptr()).message.header, deferred::numbers(cell), inbox.position())
    };
    seen.stays_owned(header, TurnProgress::Begun(begun), Whereabouts { position, deferred });
}

/// A turn that did not end by going idle: the budget ran out, or the actor is held back, ends, is
/// made anew, or has panicked.
///
/// # Safety
/// As [`run`]; after `Idle` and `Stopped` the cell is not the caller's any more.
#[cold]
#[inline(never)]
unsafe fn conclude<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    step: std::thread::Result<AsyncStep>,
) -> TurnOutcome {
    // SAFETY: by contract; the borrow ends before the cell may go.
    let message = unsafe { &(*cell.as_ptr()).message };
    let held = pressure::take_held(&message.header);
    match step {
        Ok(AsyncStep::End) => {
            // SAFETY: by contract.
            unsafe { end(cell, EndReason::Stopped, None) };
            TurnOutcome::Stopped
        }
        // SAFETY: by contract.
        Ok(AsyncStep::Restart) => unsafe { failing::restart_due(cell) },
        // SAFETY: by contract.
        Err(panic) => unsafe { failing::fail(cell, panic) },
        Ok(AsyncStep::More | AsyncStep::Idle | AsyncStep::Done) => {
            // SAFETY: by contract.
            pressure::weigh(message, unsafe { deferred::ready(cell) });
            let Some(by) = held else { return TurnOutcome::More };
            // SAFETY: by contract; nothing touches the cell afterwards.
            unsafe { pressure::park(NonNull::from(message), by) };
            TurnOutcome::Idle
        }
    }
}

/// `AsyncStep::Done` is not returned.
///
/// # Safety
/// As [`run`].
#[inline(always)]
unsafe fn turn<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    budget: &mut Budget<'_>,
) -> AsyncStep {
    // SAFETY: we own the actor; this part is shared and lives until its end.
    let message = unsafe { &(*cell.as_ptr()).message };
    loop {
        // ORDERING: Acquire: pairs with the Release of whoever asked for the end.
        let signals = message.header.signals.load(Ordering::Acquire);
        if signals & (signal::STOP | signal::RESTARTING | signal::HELD) != 0 {
            return reason_to_pause(signals);
        }
        // SAFETY: we own the actor.
        match unsafe { step(cell) } {
            AsyncStep::Done => {
                if !budget.spend() {
                    continue;
                }
                // SAFETY: as above.
                let taken = unsafe { deferred::ready(cell) };
                if budget.extend(pressure::senders_waiting(message, taken)) {
                    continue;
                }
                // SAFETY: as above. A turn that was for one message goes idle if nothing waits.
                let rests = budget.is_for_one() && unsafe { deferred::can_handle_at_once(cell) };
                // ORDERING: Relaxed: that the actor is held back it has said itself; what others
                // ask for comes with a signal in the inbox, so that going idle fails.
                let is_held = message.header.signals.load(Ordering::Relaxed) & signal::HELD != 0;
                if !rests || is_held {
                    return AsyncStep::More;
                }
            }
            AsyncStep::Idle => {}
            other => return other,
        }
        // SAFETY: as above.
        if unsafe { cell::is_finished(cell) } {
            return AsyncStep::End;
        }
        if message.header.is_seen() {
            // SAFETY: as above.
            let (begun, deferred) = unsafe { deferred::numbers(cell) };
            seen_turn::note_before_idle(&message.header, TurnProgress::Begun(begun), deferred);
        }
        // SAFETY: as above; no reference into the owner's part is alive.
        match unsafe { go_idle(cell) } {
            WentIdle::Yes => return AsyncStep::Idle,
            WentIdle::UnderPressure => pressure::relieve(message),
            WentIdle::No => {}
        }
        // A sender is about to fill its slot, or has just done so.
        odeon_sync::spin_loop();
        if budget.is_for_one() || budget.spend() {
            return AsyncStep::More;
        }
    }
}

/// Why a turn is over although something may be waiting.
#[cold]
fn reason_to_pause(signals: u32) -> AsyncStep {
    if signals & signal::STOP != 0 {
        AsyncStep::End
    } else if signals & signal::RESTARTING != 0 {
        AsyncStep::Restart
    } else {
        AsyncStep::More
    }
}

/// Goes idle; under pressure while too many messages are deferred until a future is complete.
///
/// # Safety
/// As [`InboxOwner::go_idle`].
#[inline(always)]
unsafe fn go_idle<A: AsyncBehavior, H: Handlers<A>>(cell: NonNull<AsyncCell<A, H>>) -> WentIdle {
    // SAFETY: by contract.
    unsafe {
        let message = &(*cell.as_ptr()).message;
        let inbox = cell::inbox_owner(cell).as_ptr();
        let deferred = deferred::ready(cell);
        if deferred > RELIEVED_AT {
            pressure::weigh(message, deferred);
            if message.inbox.is_pressed() {
                return InboxOwner::go_idle_pressed(inbox, &message.inbox);
            }
        }
        InboxOwner::go_idle(inbox, &message.inbox)
    }
}

/// Whether somebody has asked for the actor's end.
#[inline(always)]
fn stops<M>(message: &MessageCell<M>) -> bool {
    message.header.is_told_to_end()
}

/// Takes arrivals until there is something to do, and does it.
///
/// # Safety
/// The caller owns the actor, which has not ended.
#[inline(always)]
unsafe fn step<A: AsyncBehavior, H: Handlers<A>>(cell: NonNull<AsyncCell<A, H>>) -> AsyncStep {
    // SAFETY: by contract, for the whole function: this part is shared, the rest is the owner's and
    // borrowed field by field for single calls.
    unsafe {
        let message = &(*cell.as_ptr()).message;
        let inbox = cell::inbox_owner(cell).as_ptr();
        let mut deferred = 0;
        while let Some(arrival) = (*inbox).next(&message.inbox) {
            let label = arrival.label;
            let content = arrival.take();
            if label > A::Msg::MAILBOXES as u32 {
                return take_rare(cell, label, content);
            }
            // A mailbox label comes with a message.
            let content = content.assume_init();
            if A::Msg::MAILBOXES == 1 && deferred::can_handle_at_once(cell) {
                return future::begin(cell, content);
            }
            let arrived = Arrived { content, tag: 0 };
            deferred::put(cell, (label - label::FIRST_MAILBOX) as usize, arrived);
            deferred += 1;
            if deferred % WEIGHED_EVERY == 0 {
                // As many may arrive meanwhile as are deferred.
                pressure::weigh(message, deferred::ready(cell));
            }
        }
        go_on(cell)
    }
}

/// Begins what goes next of what was deferred, if no future is pending.
///
/// # Safety
/// As [`step`].
unsafe fn go_on<A: AsyncBehavior, H: Handlers<A>>(cell: NonNull<AsyncCell<A, H>>) -> AsyncStep {
    // SAFETY: by contract.
    unsafe {
        if cell::phase(cell) != FuturePhase::Resting {
            return AsyncStep::Idle;
        }
        match deferred::take_next(cell) {
            None => AsyncStep::Idle,
            Some(NextDeferred::Message(arrived)) => future::begin_arrived(cell, arrived),
            Some(NextDeferred::Piped) => {
                let step = go_on_with_piped(cell);
                if step == AsyncStep::Idle {
                    deferred::set_piped(cell, false);
                    return go_on(cell);
                }
                step
            }
        }
    }
}

/// Goes on with the oldest output of a pipe, if there is one and no future is pending.
///
/// # Safety
/// As [`step`].
#[cold]
unsafe fn go_on_with_piped<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> AsyncStep {
    // SAFETY: by contract.
    unsafe {
        match failing::next_continuation(&(*cell.as_ptr()).message.header) {
            Some(continuation) => future::go_on(cell, continuation),
            None => AsyncStep::Idle,
        }
    }
}

/// Takes what is no plain message: a signal, or a message that is followed.
///
/// # Safety
/// As [`step`]; `content` is what `label` says.
#[cold]
#[inline(never)]
unsafe fn take_rare<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    label: u32,
    content: MaybeUninit<A::Msg>,
) -> AsyncStep {
    let (label, tag) = label::split(label);
    // SAFETY: by contract; only messages have a tag.
    unsafe {
        if tag == 0 {
            return take_signal(cell, label);
        }
        let arrived = Arrived { content: content.assume_init(), tag };
        if A::Msg::MAILBOXES == 1 && deferred::can_handle_at_once(cell) {
            return future::begin_followed(cell, arrived);
        }
        deferred::put(cell, (label - label::FIRST_MAILBOX) as usize, arrived);
        AsyncStep::Done
    }
}

/// # Safety
/// As [`step`].
#[cold]
unsafe fn take_signal<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    label: u32,
) -> AsyncStep {
    // SAFETY: by contract.
    unsafe {
        match label {
            label::START => future::begin_starting(cell),
            label::REQUEST => match failing::apply_request(&(*cell.as_ptr()).message.header) {
                RequestOutcome::Nothing => AsyncStep::Done,
                RequestOutcome::Restart => AsyncStep::Restart,
                RequestOutcome::Piped if cell::phase(cell) == FuturePhase::Resting => {
                    // Nothing is left if it was cancelled, which opens no mailbox any more, or gone
                    // on with for another signal.
                    match go_on_with_piped(cell) {
                        AsyncStep::Idle => future::apply_guards(cell),
                        step => step,
                    }
                }
                RequestOutcome::Piped => {
                    deferred::set_piped(cell, true);
                    AsyncStep::Done
                }
            },
            label::UNREFERENCED => {
                (*cell.as_ptr()).message.header.unreferenced_taken();
                AsyncStep::Done
            }
            // For the future, or only to have the turn look at `signals`.
            _ if (*cell.as_ptr()).wake.take() => future::poll(cell),
            _ => AsyncStep::Done,
        }
    }
}

/// Ends the actor: the future is cancelled, then `stopped` runs, unless a panic is the reason.
///
/// # Safety
/// As [`ending::end`].
#[cold]
unsafe fn end<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    reason: EndReason,
    failure: Option<Arc<str>>,
) {
    // SAFETY: by contract; `drop_state` contains panics.
    unsafe {
        let inbox = cell::inbox_owner(cell);
        ending::end_cell(cell.cast::<MessageCell<A::Msg>>(), inbox, reason, failure, |_| {
            cell::drop_state(cell, reason);
        });
    }
}

/// Ends an actor that no stage will run any more.
///
/// # Safety
/// As [`ending::end`].
unsafe fn end_by_theater<A: AsyncBehavior, H: Handlers<A>>(cell: NonNull<Header>) {
    // SAFETY: by contract.
    unsafe { end(cell.cast::<AsyncCell<A, H>>(), EndReason::Shutdown, None) }
}
