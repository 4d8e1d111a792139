//! The ordinary turn: take a message, handle it, repeat; then go idle, ask for another turn, or
//! end.
//!
//! One message in five files: `messaging/send.rs` → `mailbox/inbox.rs` → `scheduler/submit.rs` →
//! `scheduler/worker.rs` → **`turn/sequential.rs`**.
//!
//! What is done for whoever looks at a turn, and for messages that are followed, is in
//! `sequential/rare.rs`.

pub(crate) mod laned;
mod pinned;
mod rare;
mod sorting;
mod spent;

use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use odeon_sync::atomic::Ordering;

use super::budget::Budget;
use super::{NewActor, ending};
use super::{failing, guarding};
use crate::mailbox::declared_guards::DeclaredGuards;
use crate::mailbox::{Guards, InboxOwner, MailboxSet, WentIdle, label};
use crate::messaging::bounded::Bound;
use crate::messaging::pressure;
use crate::messaging::shards;
use crate::process::cell::{Header, MessageCell, Selector, signal};
use crate::process::task::{TurnOutcome, TurnReport};
use crate::process::turn_limits::TurnLimits;
use crate::process::vtable::TurnVTable;
use crate::turn::actor_cell::{ActorCell, CellOwner};
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::turn::seen_turn;
use crate::vocabulary::message::Message;
use crate::vocabulary::observe::EndReason;
use rare::{apply_request, come_to_mark, deferred, handle_rarely, note_end};
use sorting::handle_selected;

// SAFETY: `ActorCell` is as demanded, and these are its operations.
unsafe impl<A: Behavior> NewActor for A {
    type Msg = A::Msg;
    type Cell = ActorCell<A>;
    const VTABLE: &'static TurnVTable = &TurnVTable {
        run: run::<A>,
        deliver: pinned::deliver::<A>,
        signal: ending::signal::<A::Msg>,
        end: ending::end_by_theater::<A>,
        is_pressed: ending::is_pressed::<A::Msg>,
        waiting: ending::waiting::<A::Msg>,
        is_waiting: |_| false,
        defers: A::DEFERS,
        laned: A::LANED,
        may_move: A::MAY_MOVE,
        introduction: A::INTRODUCTION,
        actor_type: A::type_name,
        dealloc: ending::dealloc::<ActorCell<A>>,
    };
    const BOUNDED: bool = A::BOUNDED;
    const LANED: bool = A::LANED;

    fn wanted_bounds(&self) -> Option<&[Option<Bound>]> {
        Behavior::wanted_bounds(self)
    }

    #[inline(always)]
    unsafe fn fill(
        self,
        cell: NonNull<ActorCell<A>>,
        message: MessageCell<A::Msg>,
        inbox: InboxOwner<A::Msg>,
    ) {
        let selector = (A::Msg::MAILBOXES > 1).then(|| {
            Box::new(Selector { guards: Guards::ALL_OPEN, set: MailboxSet::new(A::Msg::MAILBOXES) })
        });
        let owner = UnsafeCell::new(CellOwner { inbox, actor: Some(self), selector });
        // SAFETY: by contract.
        unsafe { cell.write(ActorCell { message, owner }) };
    }
}

/// What one step of a turn came to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SequentialStep {
    Handled,
    Idle,
    More,
    End,
    /// To be made anew.
    Restart,
    /// To be held back: a receiver is under pressure.
    Hold,
    /// To be ended, between two messages.
    EndBetween,
    /// To be made anew, between two messages.
    RestartBetween,
}

/// One turn of a scheduled pool actor.
///
/// # Safety
/// `cell` is a live `ActorCell<A>` and the caller has the right to run it.
unsafe fn run<A: Behavior>(cell: NonNull<Header>, limits: &TurnLimits<'_>) -> TurnReport {
    let cell = cell.cast::<ActorCell<A>>();
    let mut budget = Budget::new(limits);
    let seen = limits.telemetry.map(|telemetry| {
        // SAFETY: the cell is alive until the turn ends.
        let (seen, now) = telemetry.turn_begins(unsafe { &(*cell.as_ptr()).message.header });
        budget.start_at(now);
        seen
    });
    // SAFETY: we own the actor for this turn; nothing below touches the cell after `Idle`.
    let step = catch_unwind(AssertUnwindSafe(|| unsafe { turn::<A>(cell, &mut budget) }));
    if let Some(seen) = seen {
        if !matches!(step, Ok(SequentialStep::Idle)) {
            // SAFETY: only after `Idle` the cell is not ours any more.
            unsafe { note_end(cell, &seen, &step, budget.spent()) };
        }
        seen.ended(budget.spent());
    }
    let outcome = match step {
        Ok(SequentialStep::Idle) => TurnOutcome::Idle,
        // SAFETY: still ours, and not used after an outcome that says so.
        other => unsafe { conclude(cell, other) },
    };
    let messages = if laned::counts::<A>() { laned::handled::<A>(&budget) } else { budget.spent() };
    TurnReport { outcome, messages }
}

/// # Safety
/// As [`run`].
#[inline(always)]
unsafe fn turn<A: Behavior>(
    cell: NonNull<ActorCell<A>>,
    budget: &mut Budget<'_>,
) -> SequentialStep {
    // SAFETY: we own the actor. The borrow of `message` is shared; `owner` is ours alone.
    let message = unsafe { &(*cell.as_ptr()).message };
    // SAFETY: as above.
    let owner = unsafe { (*cell.as_ptr()).owner.get() };
    loop {
        // ORDERING: Acquire: pairs with the Release of whoever asked for the end.
        let signals = message.header.signals.load(Ordering::Acquire);
        if signals & signal::BETWEEN_MESSAGES != 0 {
            let reason = reason_to_pause(signals);
            if A::DEFERS && reason == SequentialStep::EndBetween {
                // SAFETY: we own the actor; the reference ends here.
                if !laned::may_end(message, unsafe { &mut *owner }) {
                    return SequentialStep::More;
                }
            }
            return reason;
        }
        // SAFETY: the reference ends before `go_idle`.
        let step = unsafe { handle_next(message, &mut *owner) };
        match step {
            SequentialStep::Handled => {
                // SAFETY: we own the actor, and no reference into `owner` is alive.
                if budget.spend() && !unsafe { spent::goes_on_for_relief(message, owner, budget) } {
                    // SAFETY: as above.
                    return unsafe { spent::end_of_budget(message, owner, budget) };
                }
            }
            SequentialStep::Idle => {
                // SAFETY: we own the actor; the reference ends here.
                if A::DEFERS && laned::has_deferred(unsafe { &*owner }) {
                    // SAFETY: we own the actor; the reference ends before `go_idle`.
                    match laned::go_on(message, unsafe { &mut *owner }) {
                        SequentialStep::Idle => {}
                        SequentialStep::Handled if budget.spend() => return SequentialStep::More,
                        SequentialStep::Handled => continue,
                        end => return end,
                    }
                }
                if message.header.has_duties_before_idle() {
                    // SAFETY: we own the actor; the reference ends before `go_idle`.
                    let deferred = deferred(unsafe { &*owner });
                    if seen_turn::before_idle(&message.header, budget.spent(), deferred) {
                        return SequentialStep::EndBetween;
                    }
                }
                // SAFETY: we own the actor, and no reference into `owner` is alive.
                let went = unsafe { go_idle(message, owner) };
                match went {
                    WentIdle::Yes => return SequentialStep::Idle,
                    WentIdle::UnderPressure => pressure::relieve(message),
                    WentIdle::No => {}
                }
                // A sender is about to fill its slot, or has just done so.
                odeon_sync::spin_loop();
                if budget.spend() {
                    return SequentialStep::More;
                }
            }
            _ => return step,
        }
    }
}

/// # Safety
/// As [`InboxOwner::go_idle`], for the inbox of this owner's cell.
#[inline(always)]
unsafe fn go_idle<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: *mut CellOwner<A>,
) -> WentIdle {
    // SAFETY: by contract.
    let go_idle = || unsafe {
        if A::DEFERS && laned::has_deferred(&*owner) && laned::stays_pressed(message, &*owner) {
            return InboxOwner::go_idle_pressed(&raw mut (*owner).inbox, &message.inbox);
        }
        InboxOwner::go_idle(&raw mut (*owner).inbox, &message.inbox)
    };
    if A::SERVES { shards::go_idle::<A::Msg>(&message.header, go_idle) } else { go_idle() }
}

/// Why a turn is over although messages may be waiting.
#[cold]
fn reason_to_pause(signals: u32) -> SequentialStep {
    if signals & signal::STOP != 0 {
        SequentialStep::EndBetween
    } else if signals & signal::RESTARTING != 0 {
        SequentialStep::RestartBetween
    } else {
        SequentialStep::Hold
    }
}

/// Takes the next message or signal and handles it. `SequentialStep::Idle`: nothing is ready.
///
/// # Safety
/// `message` and `owner` belong together.
#[inline(always)]
unsafe fn handle_next<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
) -> SequentialStep {
    if A::Msg::MAILBOXES == 1 {
        // SAFETY: by contract.
        let Some(arrival) = (unsafe { owner.inbox.next(&message.inbox) }) else {
            return SequentialStep::Idle;
        };
        let label = arrival.label;
        let place = arrival.place();
        let content = arrival.take();
        if label == label::FIRST_MAILBOX {
            let mut ctx = Context::new(message, None);
            let actor = owner.actor.as_mut().expect("an actor that has ended gets no turn");
            // SAFETY: a mailbox label comes with a message. Read where it is used: a detour through
            // the stack costs more than the rest of the turn.
            actor.handle(unsafe { content.assume_init() }, &mut ctx);
            return if ctx.wants_stop() { SequentialStep::End } else { SequentialStep::Handled };
        }
        if A::LANED && label::split(label).1 != 0 {
            // SAFETY: only messages have a tag.
            return laned::take(message, owner, label, unsafe { content.assume_init() });
        }
        // SAFETY: label and content came together; `content` is not used.
        return unsafe { handle_rarely(message, owner, label, place.take_instead()) };
    }
    // SAFETY: by contract.
    unsafe { handle_selected(message, owner) }
}

#[inline(always)]
fn handle<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
    content: A::Msg,
) -> SequentialStep {
    let actor = owner.actor.as_mut().expect("an actor that has ended gets no turn");
    if let Some(guards) = guards_of(&mut owner.selector) {
        return handle_guarded(message, guards, actor, content);
    }
    let mut ctx = Context::new(message, None);
    actor.handle(content, &mut ctx);
    if ctx.wants_stop() { SequentialStep::End } else { SequentialStep::Handled }
}

/// As [`handle`], for an actor with several mailboxes.
#[inline(always)]
fn handle_guarded<A: Behavior>(
    message: &MessageCell<A::Msg>,
    guards: &mut Guards,
    actor: &mut A,
    content: A::Msg,
) -> SequentialStep {
    let mut ctx = Context::new(message, Some(guards));
    actor.handle(content, &mut ctx);
    if ctx.wants_stop() {
        SequentialStep::End
    } else {
        apply_declared_guards(message, guards, actor)
    }
}

/// The actor's state has been used, and it wants to go on: its declared guards are evaluated.
#[inline(always)]
fn apply_guards<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
) -> SequentialStep {
    match (guards_of(&mut owner.selector), &owner.actor) {
        (Some(guards), Some(actor)) => apply_declared_guards(message, guards, actor),
        _ => SequentialStep::Handled,
    }
}

/// As [`apply_guards`], for an actor with several mailboxes.
#[inline(always)]
fn apply_declared_guards<A: Behavior>(
    message: &MessageCell<A::Msg>,
    guards: &mut Guards,
    actor: &A,
) -> SequentialStep {
    DeclaredGuards::evaluate(guards, |guards| actor.guards(guards));
    if guards.are_all_closed(A::Msg::MAILBOXES) && guarding::all_closed(&message.header, guards) {
        return SequentialStep::End;
    }
    SequentialStep::Handled
}

/// The guards, for an actor that has any.
#[inline(always)]
fn guards_of<M: Message>(selector: &mut Option<Box<Selector<M>>>) -> Option<&mut Guards> {
    if M::MAILBOXES == 1 {
        return None;
    }
    selector.as_mut().map(|selector| &mut selector.guards)
}

/// Takes a signal; `message` and `owner` belong together.
#[inline]
fn take_signal<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
    label: u32,
) -> SequentialStep {
    if label == label::UNREFERENCED {
        message.header.unreferenced_taken();
        return SequentialStep::Handled;
    }
    if label == label::REQUEST {
        return apply_request(message, owner);
    }
    if label == label::MARK {
        return come_to_mark(message, owner);
    }
    if label != label::START {
        // A wake-up: the turn looks at the reason itself.
        return SequentialStep::Handled;
    }
    if start(message, owner) { SequentialStep::End } else { SequentialStep::Handled }
}

/// Has the actor's first state, or a new one, started; `true` if it wants to stop.
pub(super) fn start<A: Behavior>(message: &MessageCell<A::Msg>, owner: &mut CellOwner<A>) -> bool {
    let guards = guards_of(&mut owner.selector);
    let mut ctx = Context::new(message, guards);
    let actor = owner.actor.as_mut().expect("an actor that has ended gets no turn");
    actor.started(&mut ctx);
    if ctx.wants_stop() {
        return true;
    }
    if let Some(Selector { guards, set }) = owner.selector.as_deref_mut() {
        begin_selecting(message, guards, set, actor);
    }
    apply_guards(message, owner) == SequentialStep::End
}

#[cold]
fn begin_selecting<A: Behavior>(
    message: &MessageCell<A::Msg>,
    guards: &mut Guards,
    set: &mut MailboxSet<A::Msg>,
    actor: &A,
) {
    let selection = actor.selection();
    set.set_order(guarding::begin(&message.header, guards, selection, A::Msg::MAILBOXES));
}

/// Has an actor that is resumed look at its guards; `true` if it is to stop.
pub(super) fn resume<A: Behavior>(
    message: &MessageCell<A::Msg>,
    owner: &mut CellOwner<A>,
    after: guarding::GuardFailure,
) -> bool {
    let (Some(Selector { guards, set }), Some(actor)) =
        (owner.selector.as_deref_mut(), &owner.actor)
    else {
        return false;
    };
    let select = |guards: &mut Guards| begin_selecting(message, guards, set, actor);
    guarding::resume(&message.header, guards, after, select, |guards| actor.guards(guards))
}

/// A turn that did not end by going idle: the budget ran out, or the actor is held back, ends, is
/// made anew, or has panicked.
///
/// # Safety
/// As [`failing::fail`].
#[cold]
#[inline(never)]
unsafe fn conclude<A: Behavior>(
    cell: NonNull<ActorCell<A>>,
    step: std::thread::Result<SequentialStep>,
) -> TurnOutcome {
    // SAFETY: by contract; the borrows end before the cell may go.
    let held = pressure::take_held(unsafe { &(*cell.as_ptr()).message.header });
    match step {
        Ok(SequentialStep::More | SequentialStep::Hold | SequentialStep::Handled) => {
            if A::SERVES {
                // SAFETY: by contract; the reference ends here.
                let actor = unsafe { &mut (*(*cell.as_ptr()).owner.get()).actor };
                actor.as_mut().into_iter().for_each(|actor| actor.turn_ends(false));
            }
            // SAFETY: by contract.
            unsafe {
                let taken = spent::taken_and_ready(&*(*cell.as_ptr()).owner.get());
                pressure::weigh(&(*cell.as_ptr()).message, taken);
            }
            let Some(by) = held else { return TurnOutcome::More };
            // SAFETY: by contract; nothing touches the cell afterwards.
            unsafe { pressure::park(cell.cast::<MessageCell<A::Msg>>(), by) };
            TurnOutcome::Idle
        }
        // SAFETY: by contract.
        Err(panic) => unsafe { failing::fail(cell, panic) },
        // SAFETY: by contract.
        Ok(SequentialStep::Restart | SequentialStep::RestartBetween) => unsafe {
            failing::restart_due(cell)
        },
        Ok(SequentialStep::Idle | SequentialStep::End | SequentialStep::EndBetween) => {
            // SAFETY: by contract.
            unsafe { ending::end(cell, EndReason::Stopped, None) };
            TurnOutcome::Stopped
        }
    }
}
