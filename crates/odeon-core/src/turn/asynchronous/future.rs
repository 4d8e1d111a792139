//! The future of the message being handled: begun, polled and dropped where it lies.

use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll};

use super::AsyncStep;
use super::cell::{AsyncCell, FuturePhase, owner, phase, set_phase};
use super::deferred::{self, Arrived};
use super::waking;
use crate::mailbox::declared_guards::DeclaredGuards;
use crate::messaging::tag;
use crate::process::cell::Header;
use crate::process::piped::Continuation;
use crate::telemetry::follow::{self, InScope};
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::guarding;
use crate::vocabulary::message::Message;

/// The functions of an asynchronous actor by the types of their futures, which have no names.
///
/// The references are good until the future that was made from them has been dropped.
pub(crate) trait Handlers<A: AsyncBehavior>: Copy + Send + 'static {
    /// The future of `started`.
    type Starting: Future<Output = ()> + Send;
    /// The future of `handle`.
    type Handling: Future<Output = ()> + Send;

    fn started(self, actor: &'static mut A, ctx: &'static mut Ctx<A>) -> Self::Starting;

    fn handle(self, actor: &'static mut A, msg: A::Msg, ctx: &'static mut Ctx<A>)
    -> Self::Handling;
}

type Ctx<A> = AsyncContext<'static, A>;

/// The functions themselves: of size zero.
#[derive(Clone, Copy)]
struct Functions<S, H> {
    started: S,
    handle: H,
}

impl<A, S, H, Starting, Handling> Handlers<A> for Functions<S, H>
where
    A: AsyncBehavior,
    S: Fn(&'static mut A, &'static mut Ctx<A>) -> Starting + Copy + Send + 'static,
    H: Fn(&'static mut A, A::Msg, &'static mut Ctx<A>) -> Handling + Copy + Send + 'static,
    Starting: Future<Output = ()> + Send,
    Handling: Future<Output = ()> + Send,
{
    type Starting = Starting;
    type Handling = Handling;

    #[inline(always)]
    fn started(self, actor: &'static mut A, ctx: &'static mut Ctx<A>) -> Starting {
        (self.started)(actor, ctx)
    }

    #[inline(always)]
    fn handle(self, actor: &'static mut A, msg: A::Msg, ctx: &'static mut Ctx<A>) -> Handling {
        (self.handle)(actor, msg, ctx)
    }
}

pub(super) fn handlers_of<A: AsyncBehavior>() -> impl Handlers<A> {
    Functions { started: A::started, handle: A::handle }
}

/// Begins the future of a message, and polls it.
///
/// # Safety
/// The caller owns the actor, and no future is pending.
#[inline(always)]
pub(super) unsafe fn begin<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    content: A::Msg,
) -> AsyncStep {
    let owner = owner(cell);
    // SAFETY: by contract. Actor and context stay where they are until the future has been dropped,
    // and until then only the future uses them (rule 2 of `cell.rs`).
    unsafe {
        let actor = (*owner).actor.assume_init_mut();
        let context = &mut (*owner).context;
        (*owner).begun += 1;
        let place = &raw mut (*owner).room.handling;
        place.write(ManuallyDrop::new((*owner).handlers.handle(actor, content, context)));
        // Before the poll: if that unwinds the future must be dropped.
        set_phase(cell, FuturePhase::Handling);
        poll_place(cell, place)
    }
}

/// As [`begin`], for a message that may be followed.
///
/// # Safety
/// As [`begin`].
#[inline(always)]
pub(super) unsafe fn begin_arrived<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    message: Arrived<A::Msg>,
) -> AsyncStep {
    // SAFETY: by contract.
    unsafe {
        if message.tag == 0 { begin(cell, message.content) } else { begin_followed(cell, message) }
    }
}

/// As [`begin`], for a message that is followed.
///
/// # Safety
/// As [`begin`].
#[cold]
#[inline(never)]
pub(super) unsafe fn begin_followed<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    message: Arrived<A::Msg>,
) -> AsyncStep {
    let Arrived { content, tag } = message;
    // SAFETY: by contract; the reference ends here.
    let scope = tag::begin::<A::Msg>(unsafe { &(*cell.as_ptr()).message.header }, tag);
    // SAFETY: by contract.
    unsafe { in_scope(cell, scope, || begin(cell, content)) }
}

/// Polls in a scope, and keeps that for the next poll if the future is still pending then.
///
/// # Safety
/// The caller owns the actor.
#[cold]
unsafe fn in_scope<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    mut scope: Option<InScope>,
    poll: impl FnOnce() -> AsyncStep,
) -> AsyncStep {
    let step = follow::within(scope.as_mut(), poll);
    let owner = owner(cell);
    // SAFETY: by contract; single accesses.
    unsafe {
        if phase(cell) == FuturePhase::Handling {
            (*owner).scope = scope;
        }
    }
    step
}

/// Begins the future of `started`, and polls it.
///
/// # Safety
/// As [`begin`].
pub(super) unsafe fn begin_starting<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> AsyncStep {
    let owner = owner(cell);
    // SAFETY: as in `begin`.
    unsafe {
        let actor = (*owner).actor.assume_init_mut();
        let context = &mut (*owner).context;
        let place = &raw mut (*owner).room.starting;
        place.write(ManuallyDrop::new((*owner).handlers.started(actor, context)));
        set_phase(cell, FuturePhase::Starting);
        poll_place(cell, place)
    }
}

/// Polls the pending future, if there is one: the wake-up may have been meant for an earlier one.
///
/// # Safety
/// The caller owns the actor.
pub(super) unsafe fn poll<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> AsyncStep {
    let owner = owner(cell);
    // SAFETY: by contract; the phase says what lies in the room.
    unsafe {
        match phase(cell) {
            FuturePhase::Handling => {
                let place = &raw mut (*owner).room.handling;
                if (*owner).scope.is_none() {
                    return poll_place(cell, place);
                }
                let scope = (*owner).scope.take();
                in_scope(cell, scope, || poll_place(cell, place))
            }
            FuturePhase::Starting => poll_place(cell, &raw mut (*owner).room.starting),
            FuturePhase::Resting | FuturePhase::Absent | FuturePhase::Ended => AsyncStep::Done,
        }
    }
}

/// # Safety
/// As [`poll`]; `place` is the room, and holds the pending future.
#[inline(always)]
unsafe fn poll_place<A: AsyncBehavior, H: Handlers<A>, F: Future<Output = ()>>(
    cell: NonNull<AsyncCell<A, H>>,
    place: *mut ManuallyDrop<F>,
) -> AsyncStep {
    // SAFETY: the cell outlives this call, by the actor's alive count.
    let waker = unsafe { waking::borrowed(cell) };
    // SAFETY: by contract. The future stays in the cell, which does not move, until it is dropped.
    let future = unsafe { Pin::new_unchecked(&mut **place) };
    if future.poll(&mut Context::from_waker(&waker)) == Poll::Pending {
        return AsyncStep::Done;
    }
    let owner = owner(cell);
    // SAFETY: as above. Dropped once: the phase is changed first, in case the destructor unwinds.
    unsafe {
        let before = phase(cell);
        set_phase(cell, FuturePhase::Resting);
        ManuallyDrop::drop(&mut *place);
        if (*owner).context.stop {
            return AsyncStep::End;
        }
        if A::Msg::MAILBOXES == 1 {
            return AsyncStep::Done;
        }
        if before == FuturePhase::Starting {
            begin_selecting(cell);
        }
        apply_guards(cell)
    }
}

/// Goes on with the output of a pipe.
///
/// # Safety
/// As [`begin`].
#[cold]
pub(super) unsafe fn go_on<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
    continuation: Continuation,
) -> AsyncStep {
    let owner = owner(cell);
    // SAFETY: as in `begin`; the references end before anything else is done.
    unsafe {
        (*owner).actor.assume_init_mut().go_on(continuation, &mut (*owner).context);
        if (*owner).context.stop { AsyncStep::End } else { apply_guards(cell) }
    }
}

/// The actor has started: how it selects.
///
/// # Safety
/// As [`apply_guards`].
#[cold]
unsafe fn begin_selecting<A: AsyncBehavior, H: Handlers<A>>(cell: NonNull<AsyncCell<A, H>>) {
    let owner = owner(cell);
    // SAFETY: by contract; the references end here.
    unsafe {
        let selection = (*owner).actor.assume_init_ref().selection();
        let header = cell.cast::<Header>().as_ref();
        let guards = &mut (*owner).context.guards;
        let order = guarding::begin(header, guards, selection, A::Msg::MAILBOXES);
        deferred::set_order(cell, order);
    }
}

/// The actor's state has been used, and it wants to go on: its declared guards are evaluated.
///
/// # Safety
/// The caller owns the actor, which has a state, and no future is pending.
#[inline(always)]
pub(super) unsafe fn apply_guards<A: AsyncBehavior, H: Handlers<A>>(
    cell: NonNull<AsyncCell<A, H>>,
) -> AsyncStep {
    if A::Msg::MAILBOXES == 1 {
        return AsyncStep::Done;
    }
    let owner = owner(cell);
    // SAFETY: by contract; the references end here.
    unsafe {
        let guards = &mut (*owner).context.guards;
        let actor = (*owner).actor.assume_init_ref();
        DeclaredGuards::evaluate(guards, |guards| actor.guards(guards));
        if guards.are_all_closed(A::Msg::MAILBOXES)
            && guarding::all_closed(cell.cast::<Header>().as_ref(), guards)
        {
            return AsyncStep::End;
        }
    }
    AsyncStep::Done
}

/// Drops the pending future, if there is one, at the await where it waits.
///
/// # Safety
/// As [`poll`].
pub(super) unsafe fn cancel<A: AsyncBehavior, H: Handlers<A>>(cell: NonNull<AsyncCell<A, H>>) {
    let owner = owner(cell);
    // SAFETY: by contract; the phase says what lies in the room, and is changed first, in case the
    // destructor unwinds.
    unsafe {
        let _scope = (*owner).scope.take();
        match phase(cell) {
            FuturePhase::Handling => {
                set_phase(cell, FuturePhase::Resting);
                ManuallyDrop::drop(&mut (*owner).room.handling);
            }
            FuturePhase::Starting => {
                set_phase(cell, FuturePhase::Resting);
                ManuallyDrop::drop(&mut (*owner).room.starting);
            }
            FuturePhase::Resting | FuturePhase::Absent | FuturePhase::Ended => {}
        }
    }
}
