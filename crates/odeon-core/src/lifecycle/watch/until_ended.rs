//! The end of an actor as something to wait for, by threads and futures.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::{Watch, watch_at_once};
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::ask::check_may_block;
use crate::vocabulary::ended::Ended;
use crate::vocabulary::error::Elapsed;
use crate::vocabulary::message::Message;
use crate::vocabulary::oneshot::{self, InVain};

impl<M: Message> ActorRef<M> {
    /// The end of the actor, to be waited for: a future for any executor; threads use
    /// [`UntilEnded::wait`] or [`UntilEnded::wait_timeout`].
    ///
    /// Complete at once if the actor has ended already, otherwise as soon as it has: with its state
    /// dropped and its waiting messages with the dead letters (S14). The actor is watched from this
    /// call on until the result is dropped, and is not kept by it: dropping the last reference and
    /// then waiting is how to let an actor finish its work (S11). An actor that wants to go on
    /// meanwhile uses [`Context::watch`](crate::Context::watch).
    ///
    /// ```
    /// # use odeon_core::*;
    /// # struct Quiet;
    /// # impl Actor for Quiet { type Msg = (); fn handle(&mut self, _: (), _: &mut Context<'_, Self>) {} }
    /// let theater = Theater::new()?;
    /// let quiet = theater.spawn(Quiet);
    /// quiet.send(()).unwrap();
    /// let ended = quiet.ended();
    /// drop(quiet);
    /// assert_eq!(ended.wait().reason(), EndReason::Stopped);
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn ended(&self) -> UntilEnded {
        let (tell, told) = oneshot::channel();
        let told_of = move |ended: &Ended| {
            // Whoever waited may be gone.
            let _ = tell.send(ended.clone());
        };
        // At once also in an attempt (S8): to look at an actor is no effect.
        let watch = watch_at_once(&self.erased(), Box::new(told_of));
        UntilEnded { told: EndNotice::ToBe(told), watch: Some(watch) }
    }
}

/// Waits for the end of an actor: made by [`ActorRef::ended`].
///
/// # Cancellation
/// Dropping it ends the watch and nothing else.
#[must_use = "an end must be awaited or waited for"]
pub struct UntilEnded {
    told: EndNotice,
    watch: Option<Watch>,
}

enum EndNotice {
    ToBe(oneshot::Receiver<Ended>),
    /// It has been said.
    Done,
}

const TOLD: &str = "an actor tells all who watch it before it is gone";
const OVER: &str = "an end that has been told is not told again";

impl UntilEnded {
    /// Blocks the thread until the actor has ended.
    ///
    /// # Panics
    /// On a thread of the pool or of a pinned stage: blocking there would hold up every other actor
    /// of the stage, possibly the one that is to end.
    #[track_caller]
    pub fn wait(mut self) -> Ended {
        check_may_block("the end of an actor", "Context::watch");
        match std::mem::replace(&mut self.told, EndNotice::Done) {
            EndNotice::ToBe(told) => told.wait().expect(TOLD),
            EndNotice::Done => panic!("{OVER}"),
        }
    }

    /// Blocks the thread until the actor has ended, at most for `limit`.
    ///
    /// # Errors
    /// [`Elapsed`] if it has not ended by then. It goes on undisturbed, and can be waited for
    /// again.
    ///
    /// # Panics
    /// As [`wait`](Self::wait), and if it has said already that the actor has ended.
    #[track_caller]
    pub fn wait_timeout(&mut self, limit: Duration) -> Result<Ended, Elapsed> {
        check_may_block("the end of an actor", "Context::watch");
        let EndNotice::ToBe(told) = &self.told else { panic!("{OVER}") };
        match told.wait_timeout(limit) {
            Ok(ended) => {
                self.told = EndNotice::Done;
                Ok(ended)
            }
            Err(InVain::Timeout) => Err(Elapsed),
            Err(InVain::NoValue) => panic!("{TOLD}"),
        }
    }
}

impl Future for UntilEnded {
    type Output = Ended;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Ended> {
        let EndNotice::ToBe(told) = &mut self.told else { panic!("{OVER}") };
        let Poll::Ready(ended) = Pin::new(told).poll(cx) else { return Poll::Pending };
        self.told = EndNotice::Done;
        Poll::Ready(ended.expect(TOLD))
    }
}

impl Drop for UntilEnded {
    fn drop(&mut self) {
        if let Some(watch) = self.watch.take() {
            watch.cancel();
        }
    }
}

impl fmt::Debug for UntilEnded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UntilEnded").field("watch", &self.watch).finish_non_exhaustive()
    }
}
