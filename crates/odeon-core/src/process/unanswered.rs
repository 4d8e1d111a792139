//! Why a reply is dropped unanswered: if a failure of an actor is the reason, the asker is told
//! what that said.
//!
//! PROTOCOL
//! 1. What is dropped *after* a failure, by the thread that sees to it (what is left of the
//!    message, and the state), is dropped [`during`] it: the text lies here meanwhile, and a reply
//!    that is dropped takes it from here.
//! 2. What the handler itself held is dropped *before* anybody knows what the panic said: while its
//!    thread unwinds. A reply that is dropped so in an actor's turn is [held](hold) here.
//! 3. Whoever catches a panic of an actor's function says so by [`failed`], and the replies that
//!    are held are answered with it.
//! 4. A handler may catch a panic itself. What is held then is answered by [`settle`] as dropped,
//!    when the turn is over; on a pinned stage, with the batch; and before the thread blocks for an
//!    answer. So nobody waits for one that does not come.
//!
//! All of it belongs to one thread. A message that does not fail costs nothing, a turn one look.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::thread;

use crate::process::current;
use crate::process::home::Home;
use crate::vocabulary::contain::contain;
use crate::vocabulary::error::AskError;
use crate::vocabulary::failure_text::FailureText;

/// Answers a reply that is held.
pub(crate) type HeldReply = Box<dyn FnOnce(AskError)>;

struct ThreadFailure {
    /// The failure during which this thread drops things.
    failure: RefCell<Option<FailureText>>,
    held: RefCell<Vec<HeldReply>>,
}

odeon_sync::thread_local_const! {
    static HERE: ThreadFailure =
        ThreadFailure { failure: RefCell::new(None), held: RefCell::new(Vec::new()) }
}

odeon_sync::thread_local_const! {
    /// Whether anything is held.
    static HOLDS: Cell<bool> = Cell::new(false)
}

/// Why a reply is dropped.
pub(crate) enum Why {
    Known(AskError),
    /// The actor is failing, and nobody has seen yet with what: the reply is to be [held](hold).
    ToCome,
}

/// Why a reply is dropped by this thread at this moment.
pub(crate) fn why() -> Why {
    match HERE.try_with(|here| here.failure.borrow().clone()) {
        Ok(Some(text)) => Why::Known(AskError::Failed(text)),
        Ok(None) if thread::panicking() && gives_a_turn() => Why::ToCome,
        // The thread may be ending, with what is here gone already.
        _ => Why::Known(AskError::NoReply),
    }
}

/// Whether this thread can still be told of failures: not while it ends.
#[inline(always)]
pub(crate) fn is_there() -> bool {
    HERE.try_with(|_| ()).is_ok()
}

/// Whether this thread gives an actor its turn, or works beside one as a caller, and so catches
/// what unwinds there.
fn gives_a_turn() -> bool {
    let here = current::here();
    let home = here.home.get();
    let is_at_home = home != Home::NOWHERE;
    !here.actor.get().is_null() || is_at_home && (home.as_pinned().is_some() || here.in_task.get())
}

/// Holds a reply until it is known what the failure says.
pub(crate) fn hold(held: HeldReply) {
    HERE.with(|here| here.held.borrow_mut().push(held));
    HOLDS.with(|holds| holds.set(true));
}

/// A function of an actor has panicked: tells those whose replies are held. Answers what the panic
/// said.
pub(crate) fn failed(panic: &(dyn Any + Send)) -> FailureText {
    let text = FailureText::of(panic);
    if HOLDS.with(Cell::get) {
        answer_held(&AskError::Failed(text.clone()));
    }
    text
}

/// A turn is over: nothing stays held.
#[inline(always)]
pub(crate) fn settle() {
    if HOLDS.with(Cell::get) {
        answer_held(&AskError::NoReply);
    }
}

#[cold]
#[inline(never)]
fn answer_held(error: &AskError) {
    HOLDS.with(|holds| holds.set(false));
    let held = HERE.with(|here| here.held.take());
    for answer in held {
        contain(|| answer(error.clone()));
    }
}

/// Does `work`, the dropping of what a failure leaves behind.
pub(crate) fn during<R>(failure: &FailureText, work: impl FnOnce() -> R) -> R {
    with_failure(Some(failure.clone()), work)
}

/// Does `work`, which has nothing to do with the failure that this thread may be seeing to.
pub(crate) fn apart<R>(work: impl FnOnce() -> R) -> R {
    with_failure(None, work)
}

fn with_failure<R>(failure: Option<FailureText>, work: impl FnOnce() -> R) -> R {
    struct RestoreFailure(Option<FailureText>);
    impl Drop for RestoreFailure {
        fn drop(&mut self) {
            let before = self.0.take();
            let _ = HERE.try_with(|here| here.failure.replace(before));
        }
    }
    let before = HERE.with(|here| here.failure.replace(failure));
    let _restore = RestoreFailure(before);
    work()
}
