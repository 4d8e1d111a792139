//! Question and answer for threads and futures.

use std::fmt;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::messaging::actor_ref::ActorRef;
use crate::messaging::ask::asked_by::AskedBy;
use crate::messaging::reply::Reply;
use crate::process::current;
use crate::process::unanswered;
use crate::scheduler::pinned::PinnedShared;
use crate::vocabulary::error::AskError;
use crate::vocabulary::message::{Message, mailbox_of};
use crate::vocabulary::oneshot::{self, InVain};
use asker::{AnswerWaiter, AskedOne};
use kept::KeptQuestion;
use sending::Unsent;

pub(crate) mod asked_by;
pub(crate) mod asker;
mod beginning;
pub(crate) mod call;
pub(crate) mod kept;
pub(crate) mod sending;

impl<M: Message> ActorRef<M> {
    /// Asks a question: sends the message that `question` makes around a [`Reply`].
    ///
    /// The result is a future for any executor; threads use [`Ask::wait`] or [`Ask::wait_timeout`].
    /// Actors ask each other with [`Context::reply_to`](crate::Context::reply_to); an
    /// [`AsyncActor`](crate::AsyncActor) may also await the answer.
    ///
    /// The message is sent at once, by this call, which never blocks, but for two cases: there is
    /// no place for it in a mailbox that makes senders wait ([`Bound::wait`](crate::Bound::wait),
    /// S18), or a task (S17) asks an actor under pressure. Then the question stays in the [`Ask`],
    /// which sends it once it is awaited or waited for and there is room. A question that nobody
    /// awaits may therefore never be sent, and what is sent before it is awaited goes before it.
    ///
    /// # Panics
    /// Not here, but where an actor waits in its handler for an answer of its own: it could only
    /// give it afterwards. A [pipe](crate::Context::pipe) may wait for it.
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
    // Inlined whole, as a send is.
    #[inline(always)]
    pub fn ask<T: Send + 'static>(&self, question: impl FnOnce(Reply<T>) -> M) -> Ask<T> {
        let (answer_to, answer) = oneshot::channel();
        let question = question(Reply::to_waiter(answer_to));
        self.ask_in(mailbox_of(&question), question, answer)
    }

    /// Sends a question into this mailbox.
    #[inline(always)]
    pub(crate) fn ask_in<T: Send + 'static>(
        &self,
        mailbox: usize,
        question: M,
        answer: AnswerReceiver<T>,
    ) -> Ask<T> {
        let state = match self.send_or_keep(mailbox, question) {
            Ok(()) => QuestionState::Sent(answer),
            Err(unsent) => QuestionState::unsent(answer, unsent, |question| {
                let to = self.clone();
                KeptQuestion::new(async move { to.send_async_into(mailbox, question).await })
            }),
        };
        let header = &self.cell().header;
        let asker = AnswerWaiter::here(header, matches!(state, QuestionState::Sent(_)));
        Ask { state, asker, seen: if header.is_seen() { AskedBy::to(header) } else { None } }
    }
}

/// The answer to come.
///
/// # Cancellation
/// Dropping it loses the answer. A question that has been sent is handled all the same; one that
/// its `Ask` has kept ([`ActorRef::ask`]) is not sent any more, and nothing of it is left with the
/// actor.
#[must_use = "an answer must be awaited or waited for; use `send` for messages without an answer"]
pub struct Ask<T: Send + 'static> {
    state: QuestionState<T>,
    /// Who asks, if that matters to anybody.
    asker: Option<AnswerWaiter>,
    /// Notes who waits for it, in a theater where that is to be seen.
    seen: Option<Box<AskedBy>>,
}

/// Of who has the reply, or why there is none.
type AnswerReceiver<T> = oneshot::Receiver<Result<T, AskError>>;

enum QuestionState<T> {
    /// The question has been sent.
    Sent(AnswerReceiver<T>),
    /// It has not; apart, so that by far the most cost nothing for it.
    NotSent(Box<NotSent<T>>),
}

enum NotSent<T> {
    /// It will be.
    Kept(AnswerReceiver<T>, KeptQuestion),
    /// It has not been delivered.
    Refused(AskError),
}

impl<T> QuestionState<T> {
    /// A question that has not been sent; `keep` has that done later.
    #[cold]
    #[inline(never)]
    fn unsent<M>(
        answer: AnswerReceiver<T>,
        unsent: Unsent<M>,
        keep: impl FnOnce(M) -> KeptQuestion,
    ) -> Self {
        Self::NotSent(Box::new(match unsent {
            Unsent::Refused(error) => NotSent::Refused(error.into()),
            Unsent::Kept(question) => NotSent::Kept(answer, keep(question)),
        }))
    }
}

impl<T: Send + 'static> Ask<T> {
    /// The right to answer, and the answer to come.
    pub(crate) fn pair() -> (Reply<T>, Self) {
        let (answer_to, answer) = oneshot::channel();
        let ask = Self { state: QuestionState::Sent(answer), asker: None, seen: None };
        (Reply::to_waiter(answer_to), ask)
    }

    /// Its question has been sent to one of several.
    pub(crate) fn of_one(self, asked: AskedOne) -> Self {
        let (asker, seen) = asked.into_parts();
        Self { asker, seen, ..self }
    }

    /// Its question has not been sent; `keep` has that done later.
    pub(crate) fn unsent<M>(self, unsent: Unsent<M>, keep: impl FnOnce(M) -> KeptQuestion) -> Self {
        let state = match self.state {
            QuestionState::Sent(answer) => QuestionState::unsent(answer, unsent, keep),
            other @ QuestionState::NotSent(_) => other,
        };
        Self { state, ..self }
    }

    /// Has the question, of which nothing has been sent, sent later.
    fn kept(self, kept: KeptQuestion) -> Self {
        let state = match self.state {
            QuestionState::Sent(answer) => {
                QuestionState::NotSent(Box::new(NotSent::Kept(answer, kept)))
            }
            other @ QuestionState::NotSent(_) => other,
        };
        Self { state, ..self }
    }

    /// Blocks the thread until the answer comes.
    ///
    /// # Errors
    /// [`AskError::Stopped`], [`AskError::Full`], [`AskError::Failed`] and [`AskError::NoReply`],
    /// each as soon as it is known.
    ///
    /// # Panics
    /// On a thread of the pool or of a pinned stage: blocking there would hold up every other actor
    /// of the stage, possibly the one that is to answer.
    #[track_caller]
    pub fn wait(mut self) -> Result<T, AskError> {
        self.prepare_to_block();
        let answer = match self.state {
            QuestionState::Sent(answer) => answer,
            QuestionState::NotSent(not_sent) => match *not_sent {
                NotSent::Refused(refused) => return Err(refused),
                NotSent::Kept(answer, kept) => {
                    kept.wait()?;
                    answer
                }
            },
        };
        answer.wait().unwrap_or(Err(AskError::NoReply))
    }

    /// Blocks the thread until the answer comes, at most for `limit`.
    ///
    /// # Errors
    /// As [`wait`](Self::wait), and [`AskError::Timeout`]. An answer that comes later is dropped,
    /// and a question that has not been sent by then is not sent.
    ///
    /// # Panics
    /// As [`wait`](Self::wait).
    #[track_caller]
    pub fn wait_timeout(mut self, limit: Duration) -> Result<T, AskError> {
        self.prepare_to_block();
        let (answer, limit) = match self.state {
            QuestionState::Sent(answer) => (answer, limit),
            QuestionState::NotSent(not_sent) => match *not_sent {
                NotSent::Refused(refused) => return Err(refused),
                NotSent::Kept(answer, kept) => {
                    let left = kept.wait_timeout(limit)?;
                    (answer, left)
                }
            },
        };
        answer.wait_timeout(limit).unwrap_or_else(|error| {
            Err(match error {
                InVain::Timeout => AskError::Timeout,
                InVain::NoValue => AskError::NoReply,
            })
        })
    }

    /// As `poll`, as long as the question has not been sent.
    #[cold]
    #[inline(never)]
    fn poll_not_sent(&mut self, cx: &mut Context<'_>) -> Poll<Result<T, AskError>> {
        if let QuestionState::NotSent(not_sent) = &mut self.state {
            let kept = match &mut **not_sent {
                NotSent::Kept(_, kept) => kept,
                NotSent::Refused(refused) => return Poll::Ready(Err(refused.clone())),
            };
            let Poll::Ready(sent) = kept.poll(cx) else {
                self.begin_wait();
                return Poll::Pending;
            };
            let is_sent = sent.is_ok();
            let refused = NotSent::Refused(sent.err().unwrap_or(AskError::NoReply));
            match mem::replace(&mut **not_sent, refused) {
                NotSent::Kept(answer, _) if is_sent => self.state = QuestionState::Sent(answer),
                _ => {}
            }
        }
        Pin::new(self).poll(cx)
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
        let is_for_ever = self.asker.as_mut().is_some_and(AnswerWaiter::waits);
        if let Some(seen) = &mut self.seen {
            seen.waits();
        }
        assert!(
            !is_for_ever,
            "waiting in a handler for an answer of the actor itself, which it gives when the handler has returned: go on with \
             the answer in a pipe (`ctx.pipe`), or have it sent as a message (`ctx.reply_to`)"
        );
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

    // By far the most are sent already.
    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = match &mut self.state {
            QuestionState::Sent(answer) => Pin::new(answer).poll(cx),
            QuestionState::NotSent(_) => return self.as_mut().poll_not_sent(cx),
        };
        let answer = answer.map(|answer| answer.unwrap_or(Err(AskError::NoReply)));
        if answer.is_pending() {
            self.begin_wait();
        } else {
            if let Some(asker) = self.asker.take() {
                asker.ends(matches!(answer, Poll::Ready(Ok(_))));
            }
            self.seen = None;
        }
        answer
    }
}

impl<T: Send + 'static> fmt::Debug for Ask<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ask(..)")
    }
}
