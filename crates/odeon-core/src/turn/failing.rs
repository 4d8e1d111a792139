//! What happens after a panic: the actor ends, goes on, or is made anew.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

use odeon_sync::atomic::Ordering;

use super::guarding::GuardFailure;
use super::renewing::Renewable;
use crate::process::cell::{Header, signal};
use crate::process::parked::Parked;
use crate::process::piped::{Continuation, Piped};
use crate::process::relations::{ControlRequest, Relations};
use crate::process::supervision::{self, Birth, Supervised, SupervisionVerdict};
use crate::process::task::{Task, TurnOutcome};
use crate::process::unanswered;
use crate::vocabulary::failure_text;
use crate::vocabulary::failure_text::Escalated;
use crate::vocabulary::failure_text::FailureText;
use crate::vocabulary::observe::EndReason;

/// Runs the user's code; `false` if it panicked, which is reported.
pub(super) fn contained(header: &Header, code: impl FnOnce()) -> bool {
    match catch_unwind(AssertUnwindSafe(code)) {
        Ok(()) => true,
        Err(panic) => {
            let _ = unanswered::failed(&*panic);
            header.stage.theater().actor_failed(header, panic, false);
            false
        }
    }
}

/// Makes actors of type `A`; lies type-erased in the actor's relations.
pub(crate) type MakeActor<A> = Box<dyn FnMut() -> A + Send>;

/// A function of the actor panicked: does what its supervision says, or ends it if it has none.
///
/// # Safety
/// The caller owns the actor, which has not ended, and has no reference into its owner's part.
/// After `Idle` or `Stopped` it does not touch the cell any more.
#[cold]
#[inline(never)]
pub(crate) unsafe fn fail<C: Renewable>(
    cell: NonNull<C>,
    panic: Box<dyn Any + Send>,
) -> TurnOutcome {
    let mut failed = GuardFailure::of(panic);
    loop {
        let text = unanswered::failed(&*failed.1);
        // SAFETY: by contract.
        match unsafe { answer(cell, failed, &text) } {
            Ok(outcome) => return outcome,
            // Its making or start panicked as well, or it cannot go on: a failure like any other.
            Err(next) => failed = next,
        }
    }
}

/// What a step of a restart came to: the outcome of the turn, or another panic.
pub(crate) type Attempt = Result<TurnOutcome, Box<dyn Any + Send>>;

/// # Safety
/// As [`fail`]; after an error, another failure, the actor is still the caller's.
unsafe fn answer<C: Renewable>(
    cell: NonNull<C>,
    (failure, panic): (GuardFailure, Box<dyn Any + Send>),
    text: &FailureText,
) -> Result<TurnOutcome, (GuardFailure, Box<dyn Any + Send>)> {
    // SAFETY: by contract; the borrow ends before the cell may go.
    let header = unsafe { cell.cast::<Header>().as_ref() };
    let theater = header.stage.theater();
    let Some((relations, mut supervised)) = supervision_of(header) else {
        // SAFETY: by contract.
        return Ok(unsafe { end_failed(cell, panic, text, false) });
    };
    let mut verdict = supervised.decide(header.id, &*panic, theater.now());
    if verdict == SupervisionVerdict::Resume {
        // What is left of the message goes first: it may hold the state.
        // SAFETY: by contract.
        let has_state = unsafe {
            unanswered::during(text, || C::abandon_message(cell));
            C::has_state(cell)
        };
        if !has_state {
            // It failed to be made: there is nothing to go on with.
            verdict = SupervisionVerdict::Stop;
        }
    }
    let parent = supervised.birth.as_ref().map(Birth::parent).cloned();
    let is_told = supervised.is_told();
    relations.set_supervised(supervised);
    match verdict {
        SupervisionVerdict::Resume => {
            theater.actor_failed(header, panic, is_told);
            // SAFETY: by contract; there is a state.
            let stops = catch_unwind(AssertUnwindSafe(|| unsafe { C::resume(cell, failure) }));
            // A declared guard that always panics is not to keep an actor here that is always
            // resumed.
            let stops = stops.map_err(|panic| (GuardFailure::SECOND, panic))?;
            // SAFETY: by contract.
            Ok(if stops { unsafe { end_stopped(cell) } } else { TurnOutcome::More })
        }
        SupervisionVerdict::Restart { pause, all } => {
            if let (true, Some(parent)) = (all, &parent) {
                supervision::restart_siblings(parent, header.id);
            }
            theater.actor_failed(header, panic, is_told);
            // SAFETY: by contract.
            unsafe { begin_anew(cell, pause, Some(text)) }.map_err(GuardFailure::of)
        }
        SupervisionVerdict::Stop => {
            // SAFETY: by contract.
            Ok(unsafe { end_failed(cell, panic, text, is_told) })
        }
        SupervisionVerdict::Escalate => {
            let cause = Escalated { from: header.id, text: Arc::from(&**text) };
            let theater = theater.clone();
            // SAFETY: by contract.
            let outcome = unsafe { end_failed(cell, panic, text, is_told) };
            supervision::pass_up(&theater, parent.as_ref(), cause);
            Ok(outcome)
        }
    }
}

fn supervision_of(header: &Header) -> Option<(&Relations, Box<Supervised>)> {
    let relations = header.relations.get()?;
    Some((relations, relations.take_supervised()?))
}

/// # Safety
/// As [`fail`].
unsafe fn end_failed<C: Renewable>(
    cell: NonNull<C>,
    panic: Box<dyn Any + Send>,
    text: &FailureText,
    is_told: bool,
) -> TurnOutcome {
    // SAFETY: by contract.
    let header = unsafe { cell.cast::<Header>().as_ref() };
    let for_relations = text_for_relations(header, &*panic);
    // ORDERING: Relaxed: read by this thread, and by shards that it tells to end after that.
    header.signals.fetch_or(signal::FAILED, Ordering::Relaxed);
    header.stage.theater().actor_failed(header, panic, is_told);
    // The state goes for this reason, and what is left of the message.
    // SAFETY: by contract.
    unanswered::during(text, || unsafe { C::end(cell, EndReason::Failed, for_relations) });
    TurnOutcome::Stopped
}

/// What the panic said, if anybody may want to know.
fn text_for_relations(header: &Header, panic: &(dyn Any + Send)) -> Option<Arc<str>> {
    header.relations.get().and_then(|_| failure_text::text_of(panic)).map(Arc::from)
}

/// Drops the state, for this failure if for one of its own, and makes a new one, after `pause`. The
/// mailboxes stay as they are, all open.
///
/// # Safety
/// As [`fail`]; the actor is supervised.
unsafe fn begin_anew<C: Renewable>(
    cell: NonNull<C>,
    pause: Duration,
    failure: Option<&FailureText>,
) -> Attempt {
    // SAFETY: by contract.
    let header = unsafe { cell.cast::<Header>().as_ref() };
    // SAFETY: by contract.
    let drop_state = || unsafe { C::drop_state(cell) };
    match failure {
        Some(text) => unanswered::during(text, drop_state),
        None => drop_state(),
    }
    if let Some(relations) = header.relations.get() {
        supervision::dismiss_dependants(relations);
    }
    if let Some(stage) = header.pinned() {
        if stage.is_dedicated() && stops_within(header, pause) {
            // SAFETY: by contract.
            return Ok(unsafe { end_stopped(cell) });
        }
        // SAFETY: by contract.
        return unsafe { make_anew(cell) };
    }
    if pause.is_zero() {
        // SAFETY: by contract.
        return unsafe { make_anew(cell) };
    }
    // ORDERING: Relaxed: set and cleared by the owner.
    header.signals.fetch_or(signal::RESTARTING, Ordering::Relaxed);
    // SAFETY: the owner passes its right to run on to the timer; it gives it up by `Idle`.
    let parked = Parked::new(unsafe { Task::new(cell.cast()) });
    header.stage.theater().arm(pause, Box::new(move || drop(parked)));
    Ok(TurnOutcome::Idle)
}

/// TUNE: how long a stop waits at most for a thread that pauses.
const LONGEST_SLEEP: Duration = Duration::from_millis(2);

/// The thread of a dedicated stage pauses: all that it could do is to wait for its actor. `true`:
/// that is to stop.
#[cold]
fn stops_within(header: &Header, pause: Duration) -> bool {
    let mut left = pause;
    loop {
        // ORDERING: Acquire: pairs with the Release of whoever asked for the end.
        if header.signals.load(Ordering::Acquire) & signal::STOP != 0 {
            return true;
        }
        if left.is_zero() {
            return false;
        }
        let sleep = left.min(LONGEST_SLEEP);
        std::thread::sleep(sleep);
        left -= sleep;
    }
}

/// Makes the new state, and has it started.
///
/// # Safety
/// As [`fail`]; the actor is supervised and has no state.
unsafe fn make_anew<C: Renewable>(cell: NonNull<C>) -> Attempt {
    // SAFETY: by contract.
    let header = unsafe { cell.cast::<Header>().as_ref() };
    // ORDERING: Relaxed: set and cleared by the owner.
    header.signals.fetch_and(!signal::RESTARTING, Ordering::Relaxed);
    let (relations, mut supervised) =
        supervision_of(header).expect("only supervised actors restart");
    let make =
        supervised.make.downcast_mut::<MakeActor<C::Actor>>().expect("made for this type of actor");
    let made = catch_unwind(AssertUnwindSafe(make));
    relations.set_supervised(supervised);
    let started = made.and_then(|actor| {
        // SAFETY: by contract.
        unsafe { C::set_state(cell, actor) };
        header.stage.theater().actor_restarted(header);
        // SAFETY: by contract.
        catch_unwind(AssertUnwindSafe(|| unsafe { C::start(cell) }))
    });
    let wants_stop = started?;
    // SAFETY: by contract.
    Ok(if wants_stop { unsafe { end_stopped(cell) } } else { TurnOutcome::More })
}

/// # Safety
/// As [`fail`].
unsafe fn end_stopped<C: Renewable>(cell: NonNull<C>) -> TurnOutcome {
    // SAFETY: by contract.
    unsafe { C::end(cell, EndReason::Stopped, None) };
    TurnOutcome::Stopped
}

/// What a signal for a request came to.
pub(crate) enum RequestOutcome {
    /// Somebody else has seen to it.
    Nothing,
    /// The actor is to be restarted, by [`restart_due`].
    Restart,
    /// Outputs of pipes are waiting for the actor.
    Piped,
}

/// Looks at the oldest request to this actor; each came with a signal of its own. A request to fail
/// unwinds, like a panic of the actor's own.
#[cold]
pub(crate) fn apply_request(header: &Header) -> RequestOutcome {
    let Some(relations) = header.relations.get() else { return RequestOutcome::Nothing };
    match relations.next_request() {
        Some(ControlRequest::Fail(cause)) => std::panic::resume_unwind(cause),
        Some(ControlRequest::Restart) => RequestOutcome::Restart,
        None => RequestOutcome::Piped,
    }
}

/// What to go on with of what pipes have left; a pipe that panicked unwinds, like a panic of the
/// actor's own.
#[cold]
pub(crate) fn next_continuation(header: &Header) -> Option<Continuation> {
    let Piped { outcome, .. } = header.relations.get()?.next_piped()?;
    match outcome {
        Ok(continuation) => Some(continuation),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// A restart is due: the pause before it is over, or a sibling is restarted. An actor that is not
/// supervised goes on as it is.
///
/// # Safety
/// As [`fail`].
#[cold]
pub(crate) unsafe fn restart_due<C: Renewable>(cell: NonNull<C>) -> TurnOutcome {
    // SAFETY: by contract.
    let header = unsafe { cell.cast::<Header>().as_ref() };
    // ORDERING: Relaxed: set and cleared by the owner.
    let attempt = if header.signals.load(Ordering::Relaxed) & signal::RESTARTING != 0 {
        // SAFETY: by contract.
        unsafe { make_anew(cell) }
    } else if header.relations.get().is_some_and(Relations::is_supervised) {
        // SAFETY: by contract.
        unsafe { begin_anew(cell, Duration::ZERO, None) }
    } else {
        return TurnOutcome::More;
    };
    // SAFETY: by contract; after an error the actor is still ours.
    attempt.unwrap_or_else(|panic| unsafe { fail(cell, panic) })
}
