//! Question and answer for threads and futures.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::actor_ref::ActorRef;
use crate::current;
use crate::error::{AskError, SendError};
use crate::message::Message;
use crate::oneshot::{self, InVain};
use crate::pressure::Question;
use crate::reply::Reply;
use crate::scheduler::pinned::PinnedShared;
use crate::sight::AskedBy;
use crate::unanswered;

impl<M: Message> ActorRef<M> {
    /// Asks a question: sends the message that `question` makes around a [`Reply`].
    ///
    /// The result is a future for any executor; threads use [`Ask::wait`] or [`Ask::wait_timeout`].
    /// Actors ask each other with [`Context::reply_to`](crate::Context::reply_to); an
    /// [`AsyncActor`](crate::AsyncActor) may also await the answer.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # struct Echo;
    /// # enum Say { Back(String, Reply<String>) }
    /// # impl Message for Say {}
    /// # impl Actor for Echo {
    /// #     type Msg = Say;
    /// #     fn handle(&mut self, Say::Back(s, reply): Say, _: &mut Context<'_, Self>) { reply.send(s) }
    /// # }
    /// # let theater = Theater::new().unwrap();
    /// # let echo = theater.spawn(Echo);
    /// let answer = echo.ask(|reply| Say::Back("hello".into(), reply)).wait();
    /// assert_eq!(answer.unwrap(), "hello");
    /// ```
    pub fn ask<T: Send + 'static>(&self, question: impl FnOnce(Reply<T>) -> M) -> Ask<T> {
        self.ask_by(question, |question| self.send(question))
    }

    /// Asks this actor by `send`.
    pub(crate) fn ask_by<T: Send + 'static>(
        &self,
        question: impl FnOnce(Reply<T>) -> M,
        send: impl FnOnce(M) -> Result<(), SendError<M>>,
    ) -> Ask<T> {
        let mut ask = Ask::by(question, send);
        ask.question = Question::asked_of(&self.cell().header);
        if self.cell().header.is_seen() {
            ask.seen = AskedBy::to(&self.cell().header);
        }
        ask
    }
}

/// The answer to come.
///
/// # Cancellation
/// Dropping it loses the answer and nothing else; the question is handled all the same.
#[must_use = "an answer must be awaited or waited for; use `send` for messages without an answer"]
pub struct Ask<T: Send + 'static> {
    /// The error: the question was not delivered.
    answer: Result<oneshot::Receiver<Result<T, AskError>>, AskError>,
    /// Tells who waits for whom, if an actor asks.
    question: Option<Question>,
    /// Notes who waits for it, in a theater where that is to be seen.
    seen: Option<Box<AskedBy>>,
}

impl<T: Send + 'static> Ask<T> {
    /// Asks by `send`.
    #[inline]
    pub(crate) fn by<M>(
        question: impl FnOnce(Reply<T>) -> M,
        send: impl FnOnce(M) -> Result<(), SendError<M>>,
    ) -> Self {
        let (answer_to, ask) = Self::pair();
        match send(question(answer_to)) {
            Ok(()) => ask,
            Err(error) => Self { answer: Err(error.into()), question: None, seen: None },
        }
    }

    /// The right to answer, and the answer to come.
    pub(crate) fn pair() -> (Reply<T>, Self) {
        let (answer_to, answer) = oneshot::channel();
        let ask = Self { answer: Ok(answer), question: None, seen: None };
        (Reply::to_waiter(answer_to), ask)
    }

    /// Blocks the thread until the answer comes.
    ///
    /// # Errors
    /// [`AskError::Stopped`], [`AskError::Full`], [`AskError::Failed`] and [`AskError::NoReply`], each as soon as it is known.
    ///
    /// # Panics
    /// On a thread of the pool or of a pinned stage: blocking there would hold up every other actor
    /// of the stage, possibly the one that is to answer.
    #[track_caller]
    pub fn wait(mut self) -> Result<T, AskError> {
        self.prepare_to_block();
        self.answer?.wait().unwrap_or(Err(AskError::NoReply))
    }

    /// Blocks the thread until the answer comes, at most for `limit`.
    ///
    /// # Errors
    /// As [`wait`](Self::wait), and [`AskError::Timeout`]. An answer that comes later is dropped.
    ///
    /// # Panics
    /// As [`wait`](Self::wait).
    #[track_caller]
    pub fn wait_timeout(mut self, limit: Duration) -> Result<T, AskError> {
        self.prepare_to_block();
        self.answer?.wait_timeout(limit).unwrap_or_else(|error| {
            Err(match error {
                InVain::Timeout => AskError::Timeout,
                InVain::NoValue => AskError::NoReply,
            })
        })
    }

    #[track_caller]
    fn prepare_to_block(&mut self) {
        check_may_block("an answer", "Context::reply_to");
        // What this thread holds may be the reply that is waited for.
        unanswered::settle();
        self.begin_wait();
    }

    /// The answer is not there yet, and whoever asks does nothing more until it is.
    fn begin_wait(&mut self) {
        if let Some(question) = &mut self.question {
            question.waits();
        }
        if let Some(seen) = &mut self.seen {
            seen.waits();
        }
    }
}

/// Panics on a thread whose other actors would be held up by a wait for `what`.
#[track_caller]
pub(crate) fn check_may_block(what: &str, instead: &str) {
    let may_block = current::here().home.get().as_pinned().is_some_and(|stage| {
        // SAFETY: set by this very thread for as long as its stage lives.
        unsafe { stage.as_ref() }.is_none_or(PinnedShared::is_dedicated)
    });
    assert!(
        may_block,
        "waiting for {what} on a stage's thread would hold up its other actors: \
         use {instead}, or spawn the actor on a dedicated stage"
    );
}

impl<T: Send + 'static> Future for Ask<T> {
    type Output = Result<T, AskError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = match &mut self.answer {
            Ok(answer) => Pin::new(answer).poll(cx),
            Err(refused) => return Poll::Ready(Err(refused.clone())),
        };
        let answer = answer.map(|answer| answer.unwrap_or(Err(AskError::NoReply)));
        if answer.is_pending() {
            self.begin_wait();
        } else {
            (self.question, self.seen) = (None, None);
        }
        answer
    }
}

impl<T: Send + 'static> fmt::Debug for Ask<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ask(..)")
    }
}
