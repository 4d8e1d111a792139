//! Questions with a deadline: for actors a message, for everybody else a future.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};
use std::time::Duration;

use super::deadline;
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::ask::asked_by::AskedBy;
use crate::messaging::ask::asker::{AnswerWaiter, AskedOne};
use crate::messaging::ask::kept::KeptQuestion;
use crate::messaging::ask::sending::Unsent;
use crate::messaging::open_question::OpenQuestion;
use crate::messaging::reply::{ITS_OWN, Reply, send_answer};
use crate::process::theater_shared::TheaterShared;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::error::AskError;
use crate::vocabulary::mailboxes::{MailboxOf, number_of};
use crate::vocabulary::message::{Message, mailbox_of};
use crate::vocabulary::oneshot;

impl<A: Behavior> Context<'_, A> {
    /// As [`reply_to`](Self::reply_to), with a deadline: if no answer comes within `limit`, the
    /// actor is sent [`AskError::Timeout`], and an answer that comes later is dropped. So it gets
    /// exactly one message, in any case. `message` runs where the answer is given, or on the
    /// timers' thread. A panic in it is a failure of this actor (S5).
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use std::sync::mpsc::{Sender, channel};
    /// # use std::time::Duration;
    /// /// Keeps every question and answers none.
    /// struct Sphinx(Vec<Reply<u32>>);
    /// impl Actor for Sphinx {
    ///     type Msg = Box<Reply<u32>>;
    ///     fn handle(&mut self, question: Self::Msg, _: &mut Context<'_, Self>) {
    ///         self.0.push(*question);
    ///     }
    /// }
    ///
    /// struct Asker { sphinx: ActorRef<Box<Reply<u32>>>, out: Sender<Result<u32, AskError>> }
    /// enum Ask { Start, Answer(Result<u32, AskError>) }
    /// impl Message for Ask {}
    /// impl Actor for Asker {
    ///     type Msg = Ask;
    ///     fn handle(&mut self, msg: Ask, ctx: &mut Context<'_, Self>) {
    ///         match msg {
    ///             Ask::Start => {
    ///                 let reply = ctx.reply_within(Duration::from_millis(10), Ask::Answer);
    ///                 self.sphinx.send(Box::new(reply)).unwrap();
    ///             }
    ///             Ask::Answer(answer) => self.out.send(answer).unwrap(),
    ///         }
    ///     }
    /// }
    /// # let theater = Theater::new().unwrap();
    /// # let (out, answers) = channel();
    /// # let asker = theater.spawn(Asker { sphinx: theater.spawn(Sphinx(Vec::new())), out });
    /// # asker.send(Ask::Start).unwrap();
    /// # assert_eq!(answers.recv().unwrap(), Err(AskError::Timeout));
    /// ```
    pub fn reply_within<T, F>(&self, limit: Duration, message: F) -> Reply<T>
    where
        T: Send + 'static,
        F: FnOnce(Result<T, AskError>) -> A::Msg + Send + 'static,
    {
        reply_within(self.actor_ref(), limit, ITS_OWN, message)
    }

    /// As [`reply_blocked`](Self::reply_blocked), with a deadline: if no answer comes within
    /// `limit`, the actor goes on with [`AskError::Timeout`], and an answer that comes later is
    /// dropped.
    ///
    /// # Panics
    /// As there.
    #[track_caller]
    pub fn reply_blocked_within<T, F>(
        &mut self,
        limit: Duration,
        mailbox: impl MailboxOf<A::Msg>,
        message: F,
    ) -> Reply<T>
    where
        T: Send + 'static,
        F: FnOnce(Result<T, AskError>) -> A::Msg + Send + 'static,
    {
        let mailbox = number_of(mailbox);
        self.await_answer(mailbox);
        reply_within(self.actor_ref(), limit, mailbox as u8, message)
    }
}

impl<A: AsyncBehavior> AsyncContext<'_, A> {
    /// As [`reply_to`](Self::reply_to), with a deadline. See [`Context::reply_within`]; to wait for
    /// the answer inside the handler, `await` an [`ask_within`](ActorRef::ask_within).
    pub fn reply_within<T, F>(&self, limit: Duration, message: F) -> Reply<T>
    where
        T: Send + 'static,
        F: FnOnce(Result<T, AskError>) -> A::Msg + Send + 'static,
    {
        reply_within(self.actor_ref(), limit, ITS_OWN, message)
    }
}

/// The answer goes to `mailbox`, or, if that is [`ITS_OWN`], to the one that its message says.
fn reply_within<M, T, F>(asker: ActorRef<M>, limit: Duration, mailbox: u8, message: F) -> Reply<T>
where
    M: Message,
    T: Send + 'static,
    F: FnOnce(Result<T, AskError>) -> M + Send + 'static,
{
    let header = &asker.cell().header;
    let theater = header.stage.theater().clone();
    if header.vtable.may_move {
        let question = OpenQuestion::of(asker);
        return deadline::reply_within(&theater, limit, move |answer| {
            send_answer(question.asker(), mailbox, || message(answer));
        });
    }
    deadline::reply_within(&theater, limit, move |answer| {
        send_answer(&asker, mailbox, || message(answer));
    })
}

impl<M: Message> ActorRef<M> {
    /// As [`ask`](Self::ask), with a deadline: a future for any executor, which ends with
    /// [`AskError::Timeout`] if no answer comes within `limit`. Threads use
    /// [`Ask::wait_timeout`](crate::Ask::wait_timeout), actors
    /// [`Context::reply_within`](crate::Context::reply_within).
    ///
    /// The time begins at the call, not when the future is first polled, nor when a question that
    /// had to be kept is sent. It is measured by the timers of the theater of the actor that is
    /// asked.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use std::time::Duration;
    /// # struct Echo;
    /// # enum Say { Back(String, Reply<String>) }
    /// # impl Message for Say {}
    /// # impl Actor for Echo {
    /// #     type Msg = Say;
    /// #     fn handle(&mut self, Say::Back(s, reply): Say, _: &mut Context<'_, Self>) { reply.send(s) }
    /// # }
    /// async fn echo(to: ActorRef<Say>, what: String) -> Result<String, AskError> {
    ///     to.ask_within(Duration::from_secs(1), |reply| Say::Back(what, reply)).await
    /// }
    /// # use std::{pin::pin, sync::Arc, task::{Context as Task, Poll, Wake, Waker}, thread};
    /// # struct Unpark(thread::Thread);
    /// # impl Wake for Unpark { fn wake(self: Arc<Self>) { self.0.unpark() } }
    /// # let theater = Theater::new().unwrap();
    /// # let mut answer = pin!(echo(theater.spawn(Echo), "hello".into()));
    /// # let waker = Waker::from(Arc::new(Unpark(thread::current())));
    /// # let answer = loop {
    /// #     match answer.as_mut().poll(&mut Task::from_waker(&waker)) {
    /// #         Poll::Ready(answer) => break answer,
    /// #         Poll::Pending => thread::park(),
    /// #     }
    /// # };
    /// # assert_eq!(answer.unwrap(), "hello");
    /// ```
    pub fn ask_within<T: Send + 'static>(
        &self,
        limit: Duration,
        question: impl FnOnce(Reply<T>) -> M,
    ) -> AskWithin<T> {
        let header = &self.cell().header;
        let (reply, answer) = AskWithin::to_come(header.stage.theater(), limit);
        let question = question(reply);
        let mailbox = mailbox_of(&question);
        let sent = self.send_or_keep(mailbox, question);
        let asked = AskWithin::asked(answer, sent, |question| {
            let to = self.clone();
            KeptQuestion::new(async move { to.send_async_into(mailbox, question).await })
        });
        let seen = if header.is_seen() { AskedBy::to(header) } else { None };
        let is_sent = asked.answer.is_ok() && asked.kept.is_none();
        AskWithin { asker: AnswerWaiter::here(header, is_sent), seen, ..asked }
    }
}

/// The answer to come, or [`AskError::Timeout`]; made by [`ActorRef::ask_within`] and
/// [`WorkerPool::ask_within`](crate::WorkerPool::ask_within).
///
/// # Cancellation
/// As of [`Ask`](crate::Ask). A question that has not been sent when the time is up is not sent.
#[must_use = "an answer must be awaited; use `send` for messages without an answer"]
pub struct AskWithin<T: Send + 'static> {
    /// `None`: the actor had stopped.
    answer: Result<ToCome<T>, AskError>,
    /// The question, if it has not been sent.
    kept: Option<KeptQuestion>,
    /// Who asks, if that matters to anybody.
    asker: Option<AnswerWaiter>,
    /// Notes who waits for it, in a theater where that is to be seen.
    seen: Option<Box<AskedBy>>,
}

impl<T: Send + 'static> AskWithin<T> {
    /// The reply for a question whose time begins here, and where its answer comes.
    pub(crate) fn to_come(theater: &Arc<TheaterShared>, limit: Duration) -> (Reply<T>, ToCome<T>) {
        let (answer_to, answer) = oneshot::channel();
        let reply = deadline::reply_within(theater, limit, move |answer| {
            // Whoever asked may have given up.
            let _ = answer_to.send(answer);
        });
        (reply, answer)
    }

    /// The question was `sent`, or `keep` knows how to send it.
    pub(crate) fn asked<M>(
        answer: ToCome<T>,
        sent: Result<(), Unsent<M>>,
        keep: impl FnOnce(M) -> KeptQuestion,
    ) -> Self {
        let (answer, kept) = match sent {
            Ok(()) => (Ok(answer), None),
            Err(Unsent::Refused(error)) => (Err(error.into()), None),
            Err(Unsent::Kept(question)) => (Ok(answer), Some(keep(question))),
        };
        Self { answer, kept, asker: None, seen: None }
    }

    /// Its question has been sent to one of several, if it has.
    pub(crate) fn of_one(self, asked: AskedOne) -> Self {
        let (asker, seen) = asked.into_parts();
        Self { asker, seen, ..self }
    }
}

/// Where an answer comes, or why there is none.
pub(crate) type ToCome<T> = oneshot::Receiver<Result<T, AskError>>;

impl<T: Send + 'static> Future for AskWithin<T> {
    type Output = Result<T, AskError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let answer = match &mut this.answer {
            Ok(answer) => Pin::new(answer).poll(cx),
            Err(refused) => return Poll::Ready(Err(refused.clone())),
        };
        let answer = answer.map(|answer| answer.unwrap_or(Err(AskError::NoReply)));
        // Only if the time is not up.
        let kept = this.kept.as_mut().filter(|_| answer.is_pending());
        if let Some(Poll::Ready(sent)) = kept.map(|kept| kept.poll(cx)) {
            this.kept = None;
            if let Err(refused) = sent {
                (this.asker, this.seen) = (None, None);
                this.answer = Err(refused);
                return self.poll(cx);
            }
        }
        if answer.is_ready() {
            if let Some(asker) = this.asker.take() {
                asker.ends(matches!(answer, Poll::Ready(Ok(_))));
            }
            (this.kept, this.seen) = (None, None);
            return answer;
        }
        if let Some(asker) = &mut this.asker {
            asker.waits();
        }
        if let Some(seen) = &mut this.seen {
            seen.waits();
        }
        answer
    }
}

impl<T: Send + 'static> fmt::Debug for AskWithin<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AskWithin(..)")
    }
}
