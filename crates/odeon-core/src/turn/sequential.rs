//! The ordinary turn: take a message, handle it, repeat; then go idle, ask for another turn, or end.
//!
//! One message in five files: `send.rs` → `mailbox/inbox.rs` → `scheduler/submit.rs` →
//! `scheduler/worker.rs` → **`turn/sequential.rs`**.

use std::any::Any;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use odeon_sync::atomic::Ordering;

use super::budget::Budget;
use super::{TurnLimits, TurnOutcome, TurnReport, TurnVTable, ending};
use crate::actor::Actor;
use crate::cell::{ActorCell, Header, MessageCell, Owner, Selector, signal};
use crate::context::Context;
use crate::mailbox::{Guards, InboxOwner, MailboxSet, WentIdle, label};
use crate::message::Message;
use crate::observe::EndReason;
use crate::scheduler::envelope::{Payload, RESUME};

/// The operations of sequential actors of type `A`.
pub(crate) struct Sequential<A>(std::marker::PhantomData<A>);

impl<A: Actor> Sequential<A> {
    pub(crate) const VTABLE: TurnVTable = TurnVTable {
        run: run::<A>,
        deliver: deliver::<A>,
        signal: ending::signal::<A>,
        end: ending::end_by_theater::<A>,
        dealloc: ending::dealloc::<A>,
    };
}

/// The owner's side of a new actor.
pub(crate) fn new_owner<A: Actor>(actor: A, inbox: InboxOwner<A::Msg>) -> Owner<A> {
    let selector = (A::Msg::MAILBOXES > 1).then(|| {
        Box::new(Selector { guards: Guards::ALL_OPEN, set: MailboxSet::new(A::Msg::MAILBOXES) })
    });
    Owner { inbox, actor: Some(actor), selector }
}

/// What one step of a turn came to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Handled,
    Idle,
    More,
    End,
}

/// One turn of a scheduled pool actor.
///
/// # Safety
/// `cell` is a live `ActorCell<A>` and the caller has the right to run it.
unsafe fn run<A: Actor>(cell: NonNull<Header>, limits: &TurnLimits<'_>) -> TurnReport {
    let cell = cell.cast::<ActorCell<A>>();
    let mut budget = Budget::new(limits);
    // After `Idle` the cell is not ours any more, so what the observer needs is read before.
    // SAFETY: the cell is alive until the turn ends.
    let observed = limits.observer.map(|to| (to, unsafe { cell.as_ref() }.message.header.id));
    // SAFETY: we own the actor for this turn; nothing below touches the cell after `Idle`.
    let step = catch_unwind(AssertUnwindSafe(|| unsafe { turn::<A>(cell, &mut budget) }));
    if let Some((observer, id)) = observed {
        observer.turn_ended(id, budget.spent());
    }
    let outcome = match step {
        Ok(Step::Idle) => TurnOutcome::Idle,
        Ok(Step::More | Step::Handled) => TurnOutcome::More,
        Ok(Step::End) => {
            // SAFETY: still ours, and not used afterwards.
            unsafe { end_after(cell, Ok(true)) };
            TurnOutcome::Stopped
        }
        Err(panic) => {
            // SAFETY: as above.
            unsafe { end_after(cell, Err(panic)) };
            TurnOutcome::Stopped
        }
    };
    TurnReport { outcome, messages: budget.spent() }
}

/// # Safety
/// As [`run`].
#[inline(always)]
unsafe fn turn<A: Actor>(cell: NonNull<ActorCell<A>>, budget: &mut Budget<'_>) -> Step {
    // SAFETY: we own the actor. The borrow of `message` is shared; `owner` is ours alone.
    let message = unsafe { &(*cell.as_ptr()).message };
    // SAFETY: as above.
    let owner = unsafe { (*cell.as_ptr()).owner.get() };
    loop {
        // ORDERING: Acquire: pairs with the Release of whoever asked for the end.
        if message.header.signals.load(Ordering::Acquire) & signal::STOP != 0 {
            return Step::End;
        }
        // SAFETY: the reference ends before `go_idle`.
        let step = unsafe { handle_next(message, &mut *owner) };
        match step {
            Step::Handled => {
                if budget.spend() {
                    return Step::More;
                }
            }
            Step::Idle => {
                if message.header.is_unreachable() {
                    return Step::End;
                }
                // SAFETY: we own the actor, and no reference into `owner` is alive.
                let went = unsafe { InboxOwner::go_idle(&raw mut (*owner).inbox, &message.inbox) };
                if went == WentIdle::Yes {
                    return Step::Idle;
                }
                // A sender is about to fill its slot, or has just done so.
                odeon_sync::spin_loop();
                if budget.spend() {
                    return Step::More;
                }
            }
            Step::More | Step::End => return step,
        }
    }
}

/// Takes the next message or signal and handles it. `Step::Idle`: nothing is ready.
///
/// # Safety
/// `message` and `owner` belong together.
#[inline(always)]
unsafe fn handle_next<A: Actor>(message: &MessageCell<A::Msg>, owner: &mut Owner<A>) -> Step {
    if A::Msg::MAILBOXES == 1 {
        // SAFETY: by contract.
        let Some(arrival) = (unsafe { owner.inbox.next(&message.inbox) }) else {
            return Step::Idle;
        };
        let label = arrival.label;
        let content = arrival.take();
        if label == label::FIRST_MAILBOX {
            let mut ctx = Context::new(message, None);
            let actor = owner.actor.as_mut().expect("an actor that has ended gets no turn");
            // SAFETY: a mailbox label comes with a message. Read where it is used: a detour through
            // the stack costs more than the rest of the turn.
            actor.handle(unsafe { content.assume_init() }, &mut ctx);
            return if ctx.wants_stop() { Step::End } else { Step::Handled };
        }
        return handle_signal(message, owner, label);
    }
    // SAFETY: by contract.
    match unsafe { sort_arrivals(message, owner) } {
        Sorted::Signal(label) => handle_signal(message, owner, label),
        Sorted::Next(Some(content)) => handle(message, owner, content),
        Sorted::Next(None) => Step::Idle,
    }
}

/// The result of sorting: a signal goes before all messages.
enum Sorted<M> {
    Signal(u32),
    Next(Option<M>),
}

/// Takes everything out of the inbox into its mailboxes, then selects.
///
/// The last arrival is not put into its mailbox if it would be selected at once.
///
/// # Safety
/// As [`handle_next`].
#[inline(always)]
unsafe fn sort_arrivals<A: Actor>(
    message: &MessageCell<A::Msg>,
    owner: &mut Owner<A>,
) -> Sorted<A::Msg> {
    let Selector { guards, set } = &mut **owner.selector.as_mut().expect("several mailboxes");
    let mut last: Option<(usize, MaybeUninit<A::Msg>)> = None;
    // SAFETY: by contract.
    while let Some((label, content)) = unsafe { owner.inbox.pop(&message.inbox) } {
        if label > A::Msg::MAILBOXES as u32 {
            if let Some((mailbox, content)) = last {
                // SAFETY: only contents with a mailbox label are kept.
                set.put(mailbox, unsafe { content.assume_init() });
            }
            return Sorted::Signal(label);
        }
        let mailbox = (label - label::FIRST_MAILBOX) as usize;
        if let Some((mailbox, content)) = last.replace((mailbox, content)) {
            // SAFETY: as above.
            set.put(mailbox, unsafe { content.assume_init() });
        }
    }
    if let Some((mailbox, content)) = last {
        // SAFETY: as above.
        let content = unsafe { content.assume_init() };
        if set.would_be_next(mailbox, *guards) {
            return Sorted::Next(Some(content));
        }
        set.put(mailbox, content);
    }
    Sorted::Next(set.take_next(*guards))
}

#[inline(always)]
fn handle<A: Actor>(message: &MessageCell<A::Msg>, owner: &mut Owner<A>, content: A::Msg) -> Step {
    let guards = guards_of(&mut owner.selector);
    let mut ctx = Context::new(message, guards);
    let actor = owner.actor.as_mut().expect("an actor that has ended gets no turn");
    actor.handle(content, &mut ctx);
    if ctx.wants_stop() { Step::End } else { Step::Handled }
}

/// The guards, for an actor that has any.
#[inline(always)]
fn guards_of<M: Message>(selector: &mut Option<Box<Selector<M>>>) -> Option<&mut Guards> {
    if M::MAILBOXES == 1 {
        return None;
    }
    selector.as_mut().map(|selector| &mut selector.guards)
}

#[cold]
fn handle_signal<A: Actor>(
    message: &MessageCell<A::Msg>,
    owner: &mut Owner<A>,
    label: u32,
) -> Step {
    if label == label::UNREFERENCED {
        message.header.unreferenced_taken();
        return Step::Handled;
    }
    if label != label::START {
        // A wake-up: the turn looks at the reason itself.
        return Step::Handled;
    }
    let guards = guards_of(&mut owner.selector);
    let mut ctx = Context::new(message, guards);
    let actor = owner.actor.as_mut().expect("an actor that has ended gets no turn");
    actor.started(&mut ctx);
    if ctx.wants_stop() { Step::End } else { Step::Handled }
}

/// A pinned stage hands over one message or signal; `true` asks for a `RESUME`.
///
/// # Safety
/// `cell` is an `ActorCell<A>` of the stage whose thread this is; `payload` holds what `label` says.
unsafe fn deliver<A: Actor>(cell: NonNull<Header>, label: u32, payload: *const Payload) -> bool {
    let cell = cell.cast::<ActorCell<A>>();
    // SAFETY: this thread owns all actors of its stage. Nothing the handler does can reach `owner`
    // again: messages to itself go into the ring.
    let (message, owner) =
        unsafe { (&(*cell.as_ptr()).message, &mut *(*cell.as_ptr()).owner.get()) };
    if A::Msg::MAILBOXES == 1 && label == label::FIRST_MAILBOX {
        // SAFETY: by contract; taken before any user code runs, as the ring demands.
        let content = unsafe { Payload::take::<A::Msg>(payload) };
        // ORDERING: Acquire: as in `turn`.
        let stopping = message.header.signals.load(Ordering::Acquire) & signal::STOP != 0;
        if let (Some(actor), false) = (owner.actor.as_mut(), stopping) {
            let handled = catch_unwind(AssertUnwindSafe(|| {
                let mut ctx = Context::new(message, None);
                actor.handle(content, &mut ctx);
                ctx.wants_stop()
            }));
            if !matches!(handled, Ok(false)) {
                // SAFETY: ours, and not used afterwards.
                unsafe { end_after(cell, handled) };
            }
            return false;
        }
        return deliver_rarely(cell, message, owner, label, Some(content));
    }
    let is_message = label <= A::Msg::MAILBOXES as u32;
    // SAFETY: by contract; taken before any user code runs, as the ring demands.
    let content = is_message.then(|| unsafe { Payload::take::<A::Msg>(payload) });
    deliver_rarely(cell, message, owner, label, content)
}

/// What a pinned actor gets apart from messages to its only mailbox: several mailboxes, signals, and
/// messages after its end.
#[inline(never)]
fn deliver_rarely<A: Actor>(
    cell: NonNull<ActorCell<A>>,
    message: &MessageCell<A::Msg>,
    owner: &mut Owner<A>,
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
    let step = catch_unwind(AssertUnwindSafe(|| step_pinned(message, owner, label, content)));
    match step {
        Ok(Step::Handled) => return has_ready(owner),
        Ok(Step::Idle | Step::More) => {}
        // SAFETY: the stage's thread owns the actor, which is not used afterwards.
        Ok(Step::End) => unsafe { end_after(cell, Ok(true)) },
        // SAFETY: as above.
        Err(panic) => unsafe { end_after(cell, Err(panic)) },
    }
    false
}

/// Ends an actor whose handler asked for it (`Ok`) or panicked.
///
/// # Safety
/// As [`ending::end`].
#[cold]
#[inline(never)]
unsafe fn end_after<A: Actor>(cell: NonNull<ActorCell<A>>, handled: std::thread::Result<bool>) {
    match handled {
        // SAFETY: by contract.
        Ok(_) => unsafe { ending::end(cell, EndReason::Stopped) },
        // SAFETY: by contract.
        Err(panic) => unsafe { fail(cell, panic) },
    }
}

/// Whether a message that has been put aside can be handled.
#[inline(always)]
fn has_ready<A: Actor>(owner: &Owner<A>) -> bool {
    A::Msg::MAILBOXES > 1
        && owner.selector.as_ref().is_some_and(|selector| selector.set.has_ready(selector.guards))
}

#[inline(always)]
fn step_pinned<A: Actor>(
    message: &MessageCell<A::Msg>,
    owner: &mut Owner<A>,
    label: u32,
    content: Option<A::Msg>,
) -> Step {
    // ORDERING: Acquire: as in `turn`.
    if message.header.signals.load(Ordering::Acquire) & signal::STOP != 0 {
        if let Some(content) = content {
            ending::dead_letter(&message.header, EndReason::Stopped, content);
        }
        return Step::End;
    }
    let step = match content {
        Some(content) if A::Msg::MAILBOXES == 1 => handle(message, owner, content),
        Some(content) => {
            let Selector { guards, set } =
                &mut **owner.selector.as_mut().expect("several mailboxes");
            set.put((label - label::FIRST_MAILBOX) as usize, content);
            match set.take_next(*guards) {
                Some(next) => handle(message, owner, next),
                None => Step::Handled,
            }
        }
        None if label == RESUME => {
            let Selector { guards, set } =
                &mut **owner.selector.as_mut().expect("several mailboxes");
            match set.take_next(*guards) {
                Some(next) => handle(message, owner, next),
                None => Step::Handled,
            }
        }
        None => handle_signal(message, owner, label),
    };
    // The last reference's signal comes after all messages, and a RESUME follows while any of them
    // is ready.
    if step == Step::Handled
        && (label == label::UNREFERENCED || label == RESUME)
        && message.header.is_unreachable()
        && !has_ready(owner)
    {
        return Step::End;
    }
    step
}

/// The handler panicked: the actor ends, its worker goes on.
///
/// # Safety
/// As [`ending::end`].
#[cold]
unsafe fn fail<A: Actor>(cell: NonNull<ActorCell<A>>, panic: Box<dyn Any + Send>) {
    // SAFETY: by contract.
    let header = unsafe { &(*cell.as_ptr()).message.header };
    // ORDERING: Relaxed: read by this thread alone.
    header.signals.fetch_or(signal::FAILED, Ordering::Relaxed);
    header.stage.theater().actor_failed(header.id, panic);
    // SAFETY: by contract.
    unsafe { ending::end(cell, EndReason::Failed) }
}
