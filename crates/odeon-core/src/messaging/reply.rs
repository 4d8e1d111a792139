//! The right to answer a question once.

mod lending;
mod lent;

pub use lending::LentReply;
pub use lent::SendBorrowed;

use std::any::Any;
use std::cell::UnsafeCell;
use std::fmt;
use std::mem::{ManuallyDrop, size_of, transmute};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::Arc;

use lending::Lending;

use crate::messaging::actor_ref::ActorRef;
use crate::messaging::open_question::OpenQuestion;
use crate::process::cell::MessageCell;
use crate::process::outbox;
use crate::process::relations::ControlRequest;
use crate::process::unanswered::{self, Why};
use crate::vocabulary::contain::contain;
use crate::vocabulary::error::AskError;
use crate::vocabulary::failure_text::FailureText;
use crate::vocabulary::message::Message;
use crate::vocabulary::oneshot;

/// The right to answer a question once: part of the asking message.
///
/// May be kept and answered in a later turn, or passed on to another actor. Dropped unanswered, the
/// asker learns so at once: [`AskError::Failed`] if a failure of the actor is the reason, else
/// [`AskError::NoReply`].
#[must_use = "dropping a reply answers the asker with an error"]
pub struct Reply<T> {
    /// Changed through a shared reference by [`take_borrowed`](Self::take_borrowed) and
    /// [`lend`](Self::lend) alone.
    to: UnsafeCell<Option<ReplyTarget<T>>>,
}

/// Who waits for the answer.
enum ReplyTarget<T> {
    /// A thread or a future.
    Waiter(oneshot::Sender<Result<T, AskError>>),
    /// An actor, by a conversion that captures nothing and is therefore known from its type alone.
    Actor {
        cell: NonNull<()>,
        /// Where the answer goes, unless that is [`ITS_OWN`].
        mailbox: u8,
        answer: unsafe fn(NonNull<()>, u8, Result<T, AskError>),
    },
    /// An actor, by any other conversion.
    Boxed(Box<dyn FnOnce(Result<T, AskError>) + Send>),
    /// Somebody in another theater, or whoever was written for one.
    #[allow(dead_code, reason = "made by networks alone, and there need not be any")]
    ByRoute(Box<dyn Route<T>>),
    /// Any of these; the right to answer has been lent.
    Shared(Arc<Lending<T>>),
}

/// The way to an asker who has been written for another theater.
pub(crate) trait Route<T>: Send {
    /// Answers.
    fn answer(self: Box<Self>, answer: Result<T, AskError>);

    /// The theater of the asker, by its number, if that is another one.
    fn theater(&self) -> Option<u128>;
}

/// The answer goes to the mailbox that its message says.
pub(crate) const ITS_OWN: u8 = u8::MAX;

// SAFETY: `Waiter`, `Boxed` and `ByRoute` are `Send`; `Actor` is an `ActorRef` without its type,
// `Send` too. `Shared` is one of these, which one of those who have it takes out. No more bounds
// than this needs, and none on the type: those with a lifetime are beyond what the compiler can
// show for a value that a future keeps across an await.
unsafe impl<T: Send> Send for Reply<T> {}
// SAFETY: nothing can be done with a `&Reply` but `take_borrowed` and `lend`, whose callers see to
// it that nobody else does anything with it.
unsafe impl<T: Send> Sync for Reply<T> {}

impl<T: Send + 'static> Reply<T> {
    pub(crate) fn to_waiter(waiter: oneshot::Sender<Result<T, AskError>>) -> Self {
        Self { to: UnsafeCell::new(Some(ReplyTarget::Waiter(waiter))) }
    }

    pub(crate) fn to_actor<M, F>(asker: ActorRef<M>, message: F) -> Self
    where
        M: Message,
        F: FnOnce(Result<T, AskError>) -> M + Send + 'static,
    {
        Self::to_actor_at(asker, ITS_OWN, message)
    }

    /// As [`to_actor`](Self::to_actor); the answer goes to this mailbox.
    pub(crate) fn to_mailbox<M, F>(asker: ActorRef<M>, mailbox: usize, message: F) -> Self
    where
        M: Message,
        F: FnOnce(Result<T, AskError>) -> M + Send + 'static,
    {
        debug_assert!(mailbox < M::MAILBOXES, "checked by the caller");
        Self::to_actor_at(asker, mailbox as u8, message)
    }

    #[inline]
    fn to_actor_at<M, F>(asker: ActorRef<M>, mailbox: u8, message: F) -> Self
    where
        M: Message,
        F: FnOnce(Result<T, AskError>) -> M + Send + 'static,
    {
        let to = if asker.cell().header.vtable.may_move {
            let question = OpenQuestion::of(asker);
            ReplyTarget::Boxed(Box::new(move |answer| {
                send_answer(question.asker(), mailbox, || message(answer));
            }))
        } else if const { size_of::<F>() == 0 } {
            let _ = ManuallyDrop::new(message);
            let cell = asker.into_counted().cast();
            ReplyTarget::Actor { cell, mailbox, answer: answer_actor::<T, M, F> }
        } else {
            ReplyTarget::Boxed(Box::new(move |answer| {
                send_answer(&asker, mailbox, || message(answer))
            }))
        };
        Self { to: UnsafeCell::new(Some(to)) }
    }

    pub(crate) fn to_function(answer: Box<dyn FnOnce(Result<T, AskError>) + Send>) -> Self {
        Self { to: UnsafeCell::new(Some(ReplyTarget::Boxed(answer))) }
    }

    #[allow(dead_code, reason = "as `ReplyTarget::ByRoute`")]
    pub(crate) fn by_route(route: Box<dyn Route<T>>) -> Self {
        Self { to: UnsafeCell::new(Some(ReplyTarget::ByRoute(route))) }
    }

    /// The theater of the asker, by its number, if that is another one.
    #[allow(dead_code, reason = "as `ReplyTarget::ByRoute`")]
    pub(crate) fn theater(&mut self) -> Option<u128> {
        match self.to.get_mut() {
            Some(ReplyTarget::ByRoute(route)) => route.theater(),
            _ => None,
        }
    }

    /// Answers. The asker may have given up meanwhile; then the value is dropped.
    pub fn send(mut self, value: T) {
        match outbox::held() {
            None => self.answer(Ok(value)),
            Some(outbox) => outbox.hold(move || self.answer(Ok(value))),
        }
    }

    /// The actor that was to answer, elsewhere, has failed.
    #[allow(dead_code, reason = "as `ReplyTarget::ByRoute`")]
    pub(crate) fn fail(mut self, text: FailureText) {
        self.answer(Err(AskError::Failed(text)));
    }

    /// Whether somebody waits for the answer: no thread or future that has given up.
    pub(crate) fn is_awaited(&mut self) -> bool {
        !matches!(self.to.get_mut(), Some(ReplyTarget::Waiter(waiter)) if waiter.is_closed())
    }

    /// Takes the right to answer out of a reply that is only borrowed, unless it is spent.
    ///
    /// # Safety
    /// Nobody else uses the reply until this returns.
    #[allow(dead_code, reason = "as `ReplyTarget::ByRoute`")]
    pub(crate) unsafe fn take_borrowed(&self) -> Option<Self> {
        // SAFETY: by contract; the reference ends here, before any code of users runs.
        let to = unsafe { (*self.to.get()).take() }?;
        Self::of_open(to)
    }

    /// `None`: it was lent, and is spent.
    fn of_open(to: ReplyTarget<T>) -> Option<Self> {
        let to = match to {
            ReplyTarget::Shared(lending) => lending.take()?,
            to => to,
        };
        Some(Self { to: UnsafeCell::new(Some(to)) })
    }
}

impl<T> Reply<T> {
    fn answer(&mut self, value: Result<T, AskError>) {
        answer(self.to.get_mut().take(), value);
    }

    /// Tells the asker why there is no answer: at once, or once it is known
    /// (`process/unanswered.rs`).
    #[cold]
    #[inline(never)]
    fn goes_unanswered(&mut self) {
        match unanswered::why() {
            Why::Known(error) => self.answer(Err(error)),
            Why::ToCome => {
                let mut reply = Self { to: UnsafeCell::new(self.to.get_mut().take()) };
                let answer: Box<dyn FnOnce(AskError) + '_> =
                    Box::new(move |error| reply.answer(Err(error)));
                // SAFETY: a reply is only made for a `T: 'static` (all functions that make one say
                // so), and its lifetimes cannot be shortened afterwards: the `UnsafeCell` makes the
                // type invariant.
                unanswered::hold(unsafe {
                    transmute::<Box<dyn FnOnce(AskError) + '_>, unanswered::HeldReply>(answer)
                });
            }
        }
    }
}

fn answer<T>(to: Option<ReplyTarget<T>>, value: Result<T, AskError>) {
    match (to, value) {
        (None, _) => {}
        (Some(ReplyTarget::Waiter(waiter)), value) => drop(waiter.send(value)),
        // SAFETY: cell and function were made for each other in `to_actor`; called once.
        (Some(ReplyTarget::Actor { cell, mailbox, answer: function }), value) => unsafe {
            function(cell, mailbox, value);
        },
        // The asker's code: a panic in it is not to be the answerer's, which may be unwinding as
        // well.
        (Some(ReplyTarget::Boxed(function)), value) => contain(|| function(value)),
        (Some(ReplyTarget::ByRoute(route)), value) => route.answer(value),
        (Some(ReplyTarget::Shared(lending)), Ok(value)) => answer(lending.take(), Ok(value)),
        // Whoever else has it may answer; the last one to go says that nobody does, and why.
        (Some(ReplyTarget::Shared(lending)), Err(error)) => {
            if let Some(last) = Arc::into_inner(lending) {
                answer(last.take(), Err(error));
            }
        }
    }
}

/// Sends the answer to an actor, by a conversion `F` without captures.
///
/// # Safety
/// `cell` is a counted `MessageCell<M>`; `F` is zero-sized and one value of it was forgotten.
unsafe fn answer_actor<T, M, F>(cell: NonNull<()>, mailbox: u8, answer: Result<T, AskError>)
where
    M: Message,
    F: FnOnce(Result<T, AskError>) -> M,
{
    // SAFETY: by contract; a zero-sized value is read from nowhere, once for the forgotten one.
    let (asker, message) = unsafe {
        (
            ActorRef::<M>::from_counted(cell.cast::<MessageCell<M>>()),
            NonNull::<F>::dangling().read(),
        )
    };
    send_answer(&asker, mailbox, || message(answer));
}

/// Sends an answer to an actor. If its making panics that is a failure of the asker, which has said
/// how it is made.
#[inline]
pub(crate) fn send_answer<M: Message>(
    asker: &ActorRef<M>,
    mailbox: u8,
    message: impl FnOnce() -> M,
) {
    let sent = catch_unwind(AssertUnwindSafe(|| {
        let message = message();
        // An asker that has stopped wants no answer.
        let _ = match mailbox {
            ITS_OWN => asker.send_unhindered(message),
            mailbox => asker.send_unhindered_into(mailbox.into(), message),
        };
    }));
    if let Err(panic) = sent {
        fail(asker, mailbox, panic);
    }
}

/// An answer could not be made: what an asker fails with.
pub(crate) struct FailedAnswer {
    /// Where the answer would have gone, unless its message would have said that.
    pub(crate) mailbox: Option<usize>,
    pub(crate) panic: Box<dyn Any + Send>,
}

#[cold]
fn fail<M: Message>(asker: &ActorRef<M>, mailbox: u8, panic: Box<dyn Any + Send>) {
    let mailbox = (mailbox != ITS_OWN).then_some(mailbox.into());
    let failure = ControlRequest::Fail(Box::new(FailedAnswer { mailbox, panic }));
    if let Err(refused) = asker.erased().request(failure) {
        // It has ended. What the panic holds may panic when it is dropped.
        contain(|| drop(refused));
    }
}

impl<T> Drop for Reply<T> {
    fn drop(&mut self) {
        match self.to.get_mut() {
            None => {}
            Some(ReplyTarget::Shared(lending)) if lending.is_spent() => {}
            Some(_) => self.goes_unanswered(),
        }
    }
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reply(..)")
    }
}
