//! Tasks of asynchronous runtimes that send to actors: senders of their own, which nothing may block.
//!
//! A thread that belongs to no theater may be one that polls tasks: blocked, it keeps all of them from going on, possibly the
//! very one, or the timer, that would let it go. A thread does not say whether it polls, so there are three ways to know:
//! * tokio is asked, in programs that have the crate `odeon-tokio` (feature `tokio`);
//! * of another runtime, [`TheaterBuilder::foreign_tasks`] is asked what a thread is doing there when that is about to wait for
//!   an actor of this theater, and whose lane its messages have;
//! * of a future, [`as_task`] says it, in any executor.
//!
//! What is awaited ([`ActorRef::ask`](crate::ActorRef::ask), [`ActorRef::send_async`](crate::ActorRef::send_async)) needs none of them: it never blocks.

#[cfg(feature = "tokio")]
mod of_tokio;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::messaging::lane::Lane;
use crate::process::current;
use crate::runtime::theater::builder::TheaterBuilder;
use crate::runtime::theater::shared::TheaterShared;
use crate::scheduler::home::Home;
use crate::vocabulary::random::Random;

/// A task of an asynchronous runtime beside Odeon, as far as it is known to
/// [`TheaterBuilder::foreign_tasks`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignTask {
    /// A task with a number that no other task of the process has: a sender of its own.
    Numbered(u64),
    /// Some task: as a sender it is the thread that it runs on.
    Unnumbered,
}

/// Who knows whether a thread runs a task.
pub(crate) type ForeignTasks = Box<dyn Fn() -> Option<ForeignTask> + Send + Sync>;

impl TheaterBuilder {
    /// How the theater finds out that a thread, which belongs to no theater, is running a task of an asynchronous
    /// runtime: `here` is called on it, and says which one. Default: no thread does. (Tasks of tokio are known by the
    /// crate `odeon-tokio`.)
    ///
    /// On such a thread [`ActorRef::send`](crate::ActorRef::send) to an actor of this theater does not wait for relief or
    /// a place: the message is accepted, and counts (S17, S18). To actors that handle several messages at once, each numbered task is a
    /// sender of its own, whatever threads it runs on (S25). `here` is called when a thread is about to wait,
    /// and for each message that a thread sends to such an actor. Given several, the theater asks the last one first.
    ///
    /// ```
    /// # use odeon_core::*;
    /// thread_local! { static TASK: std::cell::Cell<Option<u64>> = const { std::cell::Cell::new(None) } }
    ///
    /// let theater = Theater::builder()
    ///     .foreign_tasks(|| TASK.get().map(ForeignTask::Numbered))
    ///     .build()?;
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn foreign_tasks(
        mut self,
        here: impl Fn() -> Option<ForeignTask> + Send + Sync + 'static,
    ) -> Self {
        self.foreign_tasks = Some(match self.foreign_tasks.take() {
            None => Box::new(here),
            Some(earlier) => Box::new(move || here().or_else(&earlier)),
        });
        self
    }
}

impl TheaterShared {
    /// The task that this thread runs, if it belongs to no stage and runs one that is known.
    pub(crate) fn foreign_task(&self) -> Option<ForeignTask> {
        if current::here().home.get() != Home::NOWHERE {
            return None;
        }
        self.foreign_tasks.as_ref().and_then(|here| here()).or_else(task_of_tokio)
    }
}

/// The task of tokio that this thread runs, if it does and the program has `odeon-tokio`.
fn task_of_tokio() -> Option<ForeignTask> {
    #[cfg(feature = "tokio")]
    return of_tokio::task_here();
    #[cfg(not(feature = "tokio"))]
    None
}

/// Does `work`, in which nothing may block this thread.
pub(crate) fn unblocked<R>(work: impl FnOnce() -> R) -> R {
    /// Puts the outer one back, also when the work unwinds.
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            current::here().in_task.set(self.0);
        }
    }
    let _restore = Restore(current::here().in_task.replace(true));
    work()
}

/// A future as a task of its own, for executors that a theater does not know
/// ([`TheaterBuilder::foreign_tasks`]): whatever it sends while it is polled comes from one sender, which nobody else is
/// (S2, S25), and does not block the thread (S17, S18).
///
/// # Cancellation
/// As of the future inside.
///
/// ```
/// # use odeon_core::*;
/// # struct Log;
/// # impl Actor for Log { type Msg = u32; fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {} }
/// # fn block_on<F: Future>(future: F) -> F::Output {
/// #     let (mut future, mut cx) = (std::pin::pin!(future), std::task::Context::from_waker(std::task::Waker::noop()));
/// #     loop { if let std::task::Poll::Ready(done) = future.as_mut().poll(&mut cx) { return done } }
/// # }
/// # let theater = Theater::new()?;
/// let log = theater.spawn(Log);
/// block_on(as_task(async { (0..5_000).try_for_each(|n| log.send(n)) }))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn as_task<F: Future>(future: F) -> AsTask<F> {
    AsTask { future: Box::pin(future), lane: Lane::of_number(Random::fresh_seed()) }
}

/// A future that is a task of its own; made by [`as_task`].
#[must_use = "a future does nothing unless it is polled"]
pub struct AsTask<F> {
    future: Pin<Box<F>>,
    lane: Lane,
}

impl<F: Future> Future for AsTask<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let lane = self.lane;
        lane.lend_during(|| unblocked(|| self.future.as_mut().poll(cx)))
    }
}

impl<F> fmt::Debug for AsTask<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AsTask(..)")
    }
}
