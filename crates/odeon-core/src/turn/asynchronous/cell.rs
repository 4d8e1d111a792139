//! The memory of an asynchronous actor: fields, access rules, and the simple accesses.
//!
//! Everything lies in one piece and never moves: the future of a message holds references to the
//! actor and its context beside it.
//!
//! ACCESS RULES, besides those of `crate::cell`
//! 1. The owner's part is reached through raw pointers, one field at a time. A reference to the
//!    whole would overlap those that a pending future holds.
//! 2. While a future is pending (`Starting`, `Handling`), `actor` and `context` are the future's.
//! 3. `wake` may be touched by any thread that has a weak count; `phase` may be read by it, and is
//!    written by the owner.

use std::cell::UnsafeCell;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr::NonNull;

use odeon_sync::atomic::{AtomicU32, Ordering};

use super::deferred::{Arrived, Deferred};
use super::future::{self, Handlers, handlers_of};
use super::waking::WakeFlag;
use super::{end_by_theater, pinned, run};
use crate::mailbox::InboxOwner;
use crate::messaging::bounded::Bound;
use crate::messaging::tag;
use crate::process::cell::{Header, MessageCell};
use crate::process::vtable::TurnVTable;
use crate::telemetry::follow::InScope;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::failing::contained;
use crate::turn::{NewActor, ending};
use crate::vocabulary::message::Message;
use crate::vocabulary::observe::EndReason;

/// A whole asynchronous actor.
#[repr(C)]
pub(crate) struct AsyncCell<A: AsyncBehavior, H: Handlers<A>> {
    pub(super) message: MessageCell<A::Msg>,
    pub(super) wake: WakeFlag,
    phase: AtomicPhase,
    owner: UnsafeCell<AsyncOwner<A, H>>,
}

/// What belongs to the owner.
pub(super) struct AsyncOwner<A: AsyncBehavior, H: Handlers<A>> {
    inbox: InboxOwner<A::Msg>,
    /// Pinned stage: a `RESUME` is under way.
    pub(super) resume_due: bool,
    /// Messages begun so far.
    pub(super) begun: u64,
    pub(super) handlers: H,
    pub(super) deferred: Option<Box<Deferred<A::Msg>>>,
    /// In what the pending future is polled, if its message is followed.
    pub(super) scope: Option<InScope>,
    pub(super) context: AsyncContext<'static, A>,
    pub(super) room: FutureRoom<A, H>,
    /// Initialised unless the phase is `Absent` or `Ended`.
    pub(super) actor: MaybeUninit<A>,
}

/// What an asynchronous actor is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(super) enum FuturePhase {
    /// No future is pending.
    Resting = 0,
    /// The future of `started` is in the room.
    Starting = 1,
    /// The future of a message is in the room.
    Handling = 2,
    /// There is no state: the actor is being made anew.
    Absent = 3,
    /// The state has been dropped for good.
    Ended = 4,
}

/// A [`FuturePhase`] that the owner changes and anybody may look at.
struct AtomicPhase(AtomicU32);

impl AtomicPhase {
    #[inline(always)]
    fn get(&self) -> FuturePhase {
        // ORDERING: Relaxed: the owner reads its own writes, handed on with the right to run. The
        // partner of a shutdown's look is what it sees of the stage: see `is_waiting`.
        match self.0.load(Ordering::Relaxed) {
            0 => FuturePhase::Resting,
            1 => FuturePhase::Starting,
            2 => FuturePhase::Handling,
            3 => FuturePhase::Absent,
            _ => FuturePhase::Ended,
        }
    }

    #[inline(always)]
    fn set(&self, phase: FuturePhase) {
        // ORDERING: Relaxed: as above. Only the owner writes, so a plain store is enough.
        self.0.store(phase as u32, Ordering::Relaxed);
    }
}

/// Room for the future that is pending.
pub(super) union FutureRoom<A: AsyncBehavior, H: Handlers<A>> {
    pub(super) starting: ManuallyDrop<H::Starting>,
    pub(super) handling: ManuallyDrop<H::Handling>,
    nothing: (),
}

/// An asynchronous actor to be created.
struct Asynchronous<A, H> {
    actor: A,
    handlers: H,
}

/// The type of the handlers has no name: here it is found, once for each actor type.
pub(crate) fn new_actor<A: AsyncBehavior>(actor: A) -> impl NewActor<Msg = A::Msg> {
    Asynchronous { actor, handlers: handlers_of::<A>() }
}

// SAFETY: `AsyncCell` is as demanded, and these are its operations.
unsafe impl<A: AsyncBehavior, H: Handlers<A>> NewActor for Asynchronous<A, H> {
    type Msg = A::Msg;
    type Cell = AsyncCell<A, H>;
    const VTABLE: &'static TurnVTable = &TurnVTable {
        run: run::<A, H>,
        deliver: pinned::deliver::<A, H>,
        signal: ending::signal::<A::Msg>,
        end: end_by_theater::<A, H>,
        is_pressed: ending::is_pressed::<A::Msg>,
        waiting: ending::waiting::<A::Msg>,
        defers: false,
        laned: false,
        may_move: false,
        introduction: None,
        is_waiting: is_waiting::<A, H>,
        actor_type: std::any::type_name::<A>,
        dealloc: ending::dealloc::<AsyncCell<A, H>>,
    };
    const BOUNDED: bool = A::BOUNDED;
    const LANED: bool = false;

    fn wanted_bounds(&self) -> Option<&[Option<Bound>]> {
        self.actor.wanted_bounds()
    }

    unsafe fn fill(
        self,
        cell: NonNull<AsyncCell<A, H>>,
        message: MessageCell<A::Msg>,
        inbox: InboxOwner<A::Msg>,
    ) {
        let owner = UnsafeCell::new(AsyncOwner {
            inbox,
            resume_due: false,
            begun: 0,
            handlers: self.handlers,
            deferred: None,
            scope: None,
            // SAFETY: it lies there, and is lent in turns only.
            context: unsafe { AsyncContext::new(cell.cast()) },
            room: FutureRoom { nothing: () },
            actor: MaybeUninit::new(self.actor),
        });
        // SAFETY: by contract.
        unsafe {
            let phase = AtomicPhase(AtomicU32::new(FuturePhase::Resting as u32));
            cell.write(AsyncCell { message, wake: WakeFlag::new(), phase, owner });
        }
    }
}

/// The owner's part. Rule 1: not to be turned into a reference as a whole.
#[inline(always)]
pub(super) fn owner<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> *mut AsyncOwner<A, H> {
    // SAFETY: computes an address within the cell, and reads nothing.
    UnsafeCell::raw_get(unsafe { &raw const (*cell.as_ptr()).owner })
}

/// The owner's side of the inbox.
///
/// # Safety
/// `cell` is alive.
#[inline(always)]
pub(super) unsafe fn inbox_owner<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> NonNull<InboxOwner<A::Msg>> {
    // SAFETY: the address of a field is not null.
    unsafe { NonNull::new_unchecked(&raw mut (*owner(cell)).inbox) }
}

/// # Safety
/// The caller owns the actor.
#[inline(always)]
pub(super) unsafe fn phase<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> FuturePhase {
    // SAFETY: by contract; the reference ends here.
    unsafe { (*cell.as_ptr()).phase.get() }
}

/// # Safety
/// The caller owns the actor, and sees to what the phase says of room and state.
#[inline(always)]
pub(super) unsafe fn set_phase<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    phase: FuturePhase,
) {
    // SAFETY: by contract; the reference ends here.
    unsafe { (*cell.as_ptr()).phase.set(phase) }
}

/// Any thread: whether a handler waits that a drain waits for. Exact if the actor's stage has gone
/// to sleep before, as the caller has seen, and sleeps still: what was stored before that is
/// visible.
///
/// # Safety
/// `cell` is an `AsyncCell<A, H>` that somebody's count keeps.
unsafe fn is_waiting<A: AsyncBehavior, H: Handlers<A>>(cell: NonNull<Header>) -> bool {
    // SAFETY: by contract; rule 3, which allows the access without owning the actor.
    let phase = unsafe { phase(cell.cast::<AsyncCell<A, H>>()) };
    A::AWAITED && matches!(phase, FuturePhase::Starting | FuturePhase::Handling)
}

/// Whether the actor, which has nothing to do at this moment, will never have (S11). One that will
/// have keeps no empty queues meanwhile.
///
/// # Safety
/// The caller owns the actor.
#[inline(always)]
pub(super) unsafe fn is_finished<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> bool {
    // SAFETY: by contract; the references end here.
    unsafe {
        if phase(cell) != FuturePhase::Resting {
            return false;
        }
        if A::Msg::MAILBOXES == 1 && (*owner(cell)).deferred.is_some() {
            (*owner(cell)).deferred = None;
        }
        (*cell.as_ptr()).message.header.is_unreachable()
    }
}

/// Drops what the actor has: the future first, which refers to the rest; then, when the messages
/// deferred are dead letters, the state. Contains panics.
///
/// # Safety
/// The caller owns the actor, which has not ended; no reference into the owner's part is alive.
pub(super) unsafe fn drop_state<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    reason: EndReason,
) {
    // SAFETY: by contract; the alive count keeps the cell.
    let header = unsafe { &(*cell.as_ptr()).message.header };
    // SAFETY: by contract.
    let cancelled = contained(header, || unsafe { future::cancel(cell) });
    // SAFETY: by contract; the reference ends here.
    let deferred = unsafe { (*owner(cell)).deferred.take() };
    if let Some(mut deferred) = deferred {
        while let Some((_, Arrived { content, tag })) = deferred.messages.take_any() {
            if tag != 0 {
                tag::forget(header, tag);
            }
            ending::dead_letter(header, reason, content);
        }
        // A policy of selection is a user's.
        contained(header, || drop(deferred));
    }
    // SAFETY: by contract.
    let before = unsafe { phase(cell) };
    // SAFETY: by contract; the room is empty, and the state goes below.
    unsafe { set_phase(cell, FuturePhase::Ended) };
    if before == FuturePhase::Absent {
        return;
    }
    // SAFETY: taken once, since the phase says so.
    let mut actor = unsafe { (*owner(cell)).actor.assume_init_read() };
    if cancelled && reason != EndReason::Failed {
        contained(header, || actor.stopped());
    }
    // Not while a panic passes: its destructor may have one of its own.
    contained(header, move || drop(actor));
}
