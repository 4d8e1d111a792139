//! Calls: questions of those who do nothing else until they have the answer, so that they may just
//! as well give the actor its turn.

use std::cell::Cell;
use std::fmt;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use odeon_sync::occupied;

use super::{AnswerReceiver, Ask, NotSent, QuestionState, check_may_block};
use crate::mailbox::{Pushed, label};
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::ask::asked_by::AskedBy;
use crate::messaging::ask::asker::AnswerWaiter;
use crate::messaging::entrance;
use crate::messaging::lane::Lane;
use crate::messaging::reply::Reply;
use crate::messaging::shards;
use crate::process::cell::Header;
use crate::process::current;
use crate::process::home::Home;
use crate::process::submit::Origin;
use crate::process::task::Task;
use crate::process::unanswered;
use crate::vocabulary::error::{AskError, SendError};
use crate::vocabulary::message::{Message, mailbox_of};
use crate::vocabulary::oneshot;

impl<M: Message> ActorRef<M> {
    /// Calls the actor: as [`ask`](Self::ask), but the question is sent when the answer is awaited
    /// or waited for, and not before.
    ///
    /// If the actor is idle and lives on the pool, and the caller is a thread or a task outside of
    /// all theaters, the caller gives the actor its turn: nobody has to be woken. Such a call costs
    /// about what a lock costs, where a question takes two ways between threads. The turn is for
    /// this one message; what else waits by then is left to the pool. Order, supervision, pressure
    /// and the end of the theater are as with `ask`. A speculative actor that handles several
    /// messages at once has one executor more in each of its callers.
    ///
    /// So the handler may run where the caller waits:
    /// * What the handler needs the caller must not hold. The call lasts as long as the handler,
    ///   also if that answers first; [`wait_timeout`](Call::wait_timeout), and a timeout of the
    ///   runtime, do not cut it off.
    /// * It has the caller's stack and thread-local variables. In a task of tokio it blocks a
    ///   thread of the runtime for as long as it takes, and may not block on a runtime itself. What
    ///   it does while it waits for others (as `rayon::join` does) it does as the actor.
    ///
    /// Handlers for which that is too much are asked by `ask`, or live on a pinned or dedicated
    /// stage. A call is a question, as by `ask`, also if
    /// * the theater's threads are special, by [`TheaterBuilder::stack_size`] or
    ///   [`TheaterBuilder::thread_context`] (that of `odeon-tokio` is entered for each turn);
    /// * the actor has bounds, is under pressure, or lives on a stage that is not the pool;
    /// * the caller is in a transaction or snapshot, or its thread panics or ends.
    ///
    /// [`TheaterBuilder::stack_size`]: crate::TheaterBuilder::stack_size
    /// [`TheaterBuilder::thread_context`]: crate::TheaterBuilder::thread_context
    ///
    /// ```
    /// # use odeon_core::*;
    /// # struct Counter(u64);
    /// # struct Next(Reply<u64>);
    /// # impl Message for Next {}
    /// # impl Actor for Counter {
    /// #     type Msg = Next;
    /// #     fn handle(&mut self, Next(reply): Next, _: &mut Context<'_, Self>) { self.0 += 1; reply.send(self.0) }
    /// # }
    /// # let theater = Theater::new()?;
    /// let counter = theater.spawn(Counter(0));
    /// assert_eq!(counter.call(Next).wait()?, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    // Inlined whole, as a question is.
    #[inline(always)]
    pub fn call<T: Send + 'static>(&self, question: impl FnOnce(Reply<T>) -> M) -> Call<'_, M, T> {
        Call::of(self, mailbox_of, question)
    }

    /// Sends a question, and gives the actor its turn if it is idle and this thread may.
    #[inline(always)]
    fn call_in<T: Send + 'static>(
        &self,
        mailbox: usize,
        question: M,
        answer: AnswerReceiver<T>,
    ) -> Ask<T> {
        let cell = self.cell();
        let header = &cell.header;
        if !may_give_turns(header) || cell.inbox.may_be_pressed() {
            return self.ask_in(mailbox, question, answer);
        }
        if header.vtable.laned {
            return self.call_in_lane(mailbox, question, answer);
        }
        let pushed = cell.inbox.push(label::of_mailbox(mailbox), question);
        self.called(after_push(header, pushed, answer))
    }

    /// The question is on its way, or was not sent.
    #[inline(always)]
    fn called<T: Send + 'static>(&self, state: QuestionState<T>) -> Ask<T> {
        let header = &self.cell().header;
        let asker = AnswerWaiter::here(header, matches!(state, QuestionState::Sent(_)));
        Ask { state, asker, seen: if header.is_seen() { AskedBy::to(header) } else { None } }
    }

    /// As [`call_in`](Self::call_in), of an actor with lanes.
    #[inline(never)]
    fn call_in_lane<T: Send + 'static>(
        &self,
        mailbox: usize,
        question: M,
        answer: AnswerReceiver<T>,
    ) -> Ask<T> {
        let cell = self.cell();
        let shards = shards::of(cell);
        if shards.is_some() && self.receiver().inbox.may_be_pressed() {
            return self.ask_in(mailbox, question, answer);
        }
        let lane = Lane::here(&cell.header);
        let receiver = match shards {
            Some(shards) => shards.shard(self, lane),
            None => Some(cell),
        };
        let Some(receiver) = receiver else {
            return self.called(not_sent(SendError::Stopped(question)));
        };
        let question = match entrance::enter(self, receiver, question, lane, mailbox) {
            Ok(()) => return self.entered(answer),
            Err(question) => question,
        };
        let pushed = receiver.inbox.push(lane.label(mailbox), question);
        if shards.is_some() && pushed.wakes_owner() {
            shards::leave(self, &receiver.header);
        }
        self.called(after_push(&receiver.header, pushed, answer))
    }

    /// The question has been handled on this thread.
    fn entered<T: Send + 'static>(&self, answer: AnswerReceiver<T>) -> Ask<T> {
        let asker = AnswerWaiter::here(&self.cell().header, true);
        Ask { state: QuestionState::Sent(answer), asker, seen: None }
    }
}

impl<'a, M: Message, T: Send + 'static> Call<'a, M, T> {
    /// A call into the mailbox that `mailbox` says.
    #[inline(always)]
    pub(crate) fn of(
        to: &'a ActorRef<M>,
        mailbox: impl FnOnce(&M) -> usize,
        question: impl FnOnce(Reply<T>) -> M,
    ) -> Self {
        let (answer_to, answer) = oneshot::channel();
        let question = question(Reply::to_waiter(answer_to));
        Self { to, state: CallState::NotSent(mailbox(&question), question, answer) }
    }
}

/// Whether this thread may give the actor its turns, as far as the thread knows.
#[inline(always)]
fn may_give_turns(header: &Header) -> bool {
    let here = current::here();
    // A thread of some theater has others to look after. And neither what is held back nor what is
    // followed is sent by this way.
    here.home.get() == Home::NOWHERE
        && header.pinned().is_none()
        && !header.home.is_bounded()
        && here.exit.get().is_none()
        && here.actor.get().is_null()
        && !thread::panicking()
        && unanswered::is_there()
        && !occupied::here()
}

/// The push said that exactly this thread must wake the actor.
#[inline(never)]
fn give_turns(header: &Header) {
    // SAFETY: by the function's purpose.
    let mut task = Some(unsafe { Task::new(NonNull::from(header)) });
    if let Some(task) = task.as_ref().filter(|_| header.is_seen()) {
        task.note_woken(header.stage.theater().now());
    }
    header.stage.for_caller(&mut |limits| task.take().and_then(|task| task.run(limits).1));
    if let Some(task) = task {
        header.stage.submit(task, Origin::Message);
    }
}

/// A question has been pushed: gives its receiver the turn, if this thread is to.
#[inline(always)]
fn after_push<M, T>(
    header: &Header,
    pushed: Pushed<M>,
    answer: AnswerReceiver<T>,
) -> QuestionState<T> {
    match pushed {
        Pushed::AlreadyPending => QuestionState::Sent(answer),
        Pushed::WakeOwner => {
            give_turns(header);
            QuestionState::Sent(answer)
        }
        rarely => called_rarely(header, rarely, answer),
    }
}

fn not_sent<M, T>(refused: SendError<M>) -> QuestionState<T> {
    QuestionState::NotSent(Box::new(NotSent::Refused(AskError::from(refused))))
}

#[cold]
#[inline(never)]
fn called_rarely<M, T>(
    header: &Header,
    pushed: Pushed<M>,
    answer: AnswerReceiver<T>,
) -> QuestionState<T> {
    if pushed.wakes_owner() {
        give_turns(header);
    }
    match pushed {
        Pushed::Closed(message) => not_sent(SendError::Stopped(message)),
        // Whoever waits for an answer is held back by that.
        _ => QuestionState::Sent(answer),
    }
}

/// A question that is sent when its answer is awaited or waited for; made by [`ActorRef::call`].
///
/// It borrows the reference: a task of its own takes a clone with it (`async move {
/// actor.call(..).await }`).
///
/// # Cancellation
/// Dropped before it was polled, it has sent nothing. Otherwise as [`Ask`].
#[must_use = "a call does nothing unless its answer is awaited or waited for"]
pub struct Call<'a, M: Message, T: Send + 'static> {
    to: &'a ActorRef<M>,
    state: CallState<M, T>,
}

enum CallState<M, T: Send + 'static> {
    /// And the mailbox in which it is to wait.
    NotSent(usize, M, AnswerReceiver<T>),
    Sent(Ask<T>),
    /// The message is on its way; so only if that has unwound.
    Gone,
}

/// TUNE: a task that awaits calls takes the answer of one in so many a poll later than it could,
/// and so lets others of its runtime go first: as often as tokio's channels have one do that.
const CALLS_IN_A_ROW: u8 = 128;

/// TUNE: as many fewer as take this long: a caller may handle each of them itself.
const TIME_IN_A_ROW: Duration = Duration::from_micros(50);

/// TUNE: one in so many is timed, the first in a row among them, so that the clock costs little.
const TIMED: u8 = 16;

odeon_sync::thread_local_const! {
    /// Calls that may be awaited on this thread until one lets others go first.
    static LEFT_IN_A_ROW: Cell<u8> = Cell::new(CALLS_IN_A_ROW)
}

/// Does the part of an awaited call that may take long; answers also whether the task that this
/// thread runs is to let others go first.
fn in_a_row<R>(call: impl FnOnce() -> R) -> (R, bool) {
    let left = LEFT_IN_A_ROW.with(Cell::get);
    let begun = (left % TIMED == 0).then(Instant::now);
    let result = call();
    let fit = |begun: Instant| TIME_IN_A_ROW.as_nanos() / begun.elapsed().as_nanos().max(1);
    let left = begun.map_or(left, |begun| u128::from(left).min(fit(begun)) as u8).saturating_sub(1);
    LEFT_IN_A_ROW.with(|kept| kept.set(if left == 0 { CALLS_IN_A_ROW } else { left }));
    (result, left == 0)
}

impl<M: Message, T: Send + 'static> Call<'_, M, T> {
    /// Sends the question, if it has not been.
    #[inline(always)]
    fn begin(self) -> Ask<T> {
        match self.state {
            CallState::NotSent(mailbox, question, answer) => {
                self.to.call_in(mailbox, question, answer)
            }
            CallState::Sent(ask) => ask,
            CallState::Gone => panic!("polled after a panic"),
        }
    }

    /// Sends the question and blocks the thread until the answer comes.
    ///
    /// # Errors
    /// As [`Ask::wait`].
    ///
    /// # Panics
    /// As [`Ask::wait`]; nothing is sent then.
    #[track_caller]
    pub fn wait(self) -> Result<T, AskError> {
        check_may_block("an answer", "Context::reply_to");
        self.begin().wait()
    }

    /// Sends the question and blocks the thread until the answer comes, at most for `limit`. That
    /// does not cut off a turn that this thread gives.
    ///
    /// # Errors
    /// As [`Ask::wait_timeout`].
    ///
    /// # Panics
    /// As [`Ask::wait`]; nothing is sent then.
    #[track_caller]
    pub fn wait_timeout(self, limit: Duration) -> Result<T, AskError> {
        check_may_block("an answer", "Context::reply_to");
        self.begin().wait_timeout(limit)
    }
}

// What it holds is moved out before it is used.
impl<M: Message, T: Send + 'static> Unpin for Call<'_, M, T> {}

impl<M: Message, T: Send + 'static> Future for Call<'_, M, T> {
    type Output = Result<T, AskError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let CallState::NotSent(..) = self.state {
            let to = self.to;
            let state = mem::replace(&mut self.state, CallState::Gone);
            let (ask, lets_others_go_first) = in_a_row(|| Call { to, state }.begin());
            self.state = CallState::Sent(ask);
            if lets_others_go_first {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
        match &mut self.state {
            CallState::Sent(ask) => Pin::new(ask).poll(cx),
            CallState::NotSent(..) | CallState::Gone => panic!("polled after a panic"),
        }
    }
}

impl<M: Message, T: Send + 'static> fmt::Debug for Call<'_, M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call({})", self.to.id())
    }
}
