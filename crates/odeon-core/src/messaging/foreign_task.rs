//! Tasks of asynchronous runtimes that send to actors: senders of their own, which nothing may
//! block.
//!
//! A thread that belongs to no theater may be one that polls tasks: blocked, it keeps all of them
//! from going on, possibly the very one, or the timer, that would let it go. A thread does not say
//! whether it polls, so there are three ways to know:
//! * tokio is asked, in programs that have the crate `odeon-tokio` (feature `tokio`);
//! * of another runtime, [`TheaterBuilder::foreign_tasks`] is asked what a thread is doing there
//!   when that is about to wait for an actor of this theater, and whose lane its messages have;
//! * of a future, [`as_task`] says it, in any executor.
//!
//! What is awaited ([`ActorRef::ask`](crate::ActorRef::ask),
//! [`ActorRef::send_async`](crate::ActorRef::send_async)) needs none of them: it never blocks.

#[cfg(feature = "tokio")]
mod of_tokio;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::messaging::lane::Lane;
use crate::process::current;
use crate::process::home::Home;
use crate::process::theater_shared::TheaterShared;
use crate::vocabulary::foreign_task::ForeignTask;
use crate::vocabulary::random::Random;

impl TheaterShared {
    /// The task that this thread runs, if it belongs to no stage and runs one that is known.
    pub(crate) fn foreign_task(&self) -> Option<ForeignTask> {
        if current::here().home.get() != Home::NOWHERE {
            return None;
        }
        self.hooks().foreign_tasks.as_ref().and_then(|here| here()).or_else(task_of_tokio)
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
    struct RestoreInTask(bool);
    impl Drop for RestoreInTask {
        fn drop(&mut self) {
            current::here().in_task.set(self.0);
        }
    }
    let _restore = RestoreInTask(current::here().in_task.replace(true));
    work()
}

/// A future as a task of its own, for executors that a theater does not know
/// ([`TheaterBuilder::foreign_tasks`](crate::TheaterBuilder::foreign_tasks)): whatever it sends
/// while it is polled comes from one sender, which nobody else is (S2, S25), and does not block the
/// thread (S17, S18).
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
