//! The hidden actor that a pipe's future runs in.
//!
//! PROTOCOL
//! 1. It is entered as a child with its parent before it has its first turn, and taken out once:
//!    when the future is complete, together with leaving the output; or when the parent ends or is
//!    made anew, or the pipe is cancelled. Whoever comes second finds that and does nothing. All
//!    under the relations' lock.
//! 2. It keeps its parent by a reference until it has left its output and the signal for it: the
//!    signal that nobody refers to the parent any more comes behind.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::lifecycle::spawn;
use crate::messaging::actor_ref::ActorRef;
use crate::process::piped::{Continuation, Piped};
use crate::process::supervision::Birth;
use crate::process::unanswered;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::asynchronous;
use crate::turn::behavior::NoInner;
use crate::vocabulary::message::Message;

/// Runs a future, leaves its output with its parent, and ends.
struct Carrier<M: Message, F, G> {
    /// Pinned from its first poll on, until it is dropped.
    future: Option<F>,
    go_on: Option<G>,
    birth: Birth,
    /// Protocol 2.
    _parent: ActorRef<M>,
}

/// What a carrier can be sent.
enum Nothing {}

impl Message for Nothing {}

/// Starts a carrier, in a turn of `parent`; returns its number as a child. It runs beside the
/// parent, or `on_pool`.
pub(super) fn start<M, F, G>(parent: ActorRef<M>, future: F, go_on: G, on_pool: bool) -> u64
where
    M: Message,
    F: Future<Output: Send + 'static> + Send + 'static,
    G: FnOnce(F::Output) -> Continuation + Send + 'static,
{
    let kept = parent.clone();
    let beside = &parent.cell().header;
    let birth = Birth::expected(beside);
    let number = birth.number();
    let carrier = Carrier { future: Some(future), go_on: Some(go_on), birth, _parent: kept };
    let carrier = asynchronous::new_actor(carrier);
    if on_pool {
        spawn::forked_helper(beside, number, carrier);
    } else {
        spawn::helper(beside, number, carrier);
    }
    number
}

impl<M, F, G> AsyncBehavior for Carrier<M, F, G>
where
    M: Message,
    F: Future<Output: Send + 'static> + Send + 'static,
    G: FnOnce(F::Output) -> Continuation + Send + 'static,
{
    type Msg = Nothing;
    type Inner = NoInner<Nothing>;
    // A pipe may be meant to be pending for ever, as that of an endless stream is.
    const AWAITED: bool = false;

    async fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) {
        let outcome = InPlace(&mut self.future).await;
        let go_on = self.go_on.take().expect("a carrier starts once");
        let piped = Piped { number: self.birth.number(), outcome: outcome.map(go_on) };
        if self
            .birth
            .parent()
            .relations()
            .is_ok_and(|relations| relations.leave_piped(piped).is_ok())
        {
            self.birth.parent().look_at_requests();
        }
        ctx.stop();
    }

    async fn handle(&mut self, nothing: Nothing, _: &mut AsyncContext<'_, Self>) {
        match nothing {}
    }
}

/// Polls the future where it lies, so that the carrier has no room for it twice; drops it there as
/// well.
struct InPlace<'a, F>(&'a mut Option<F>);

impl<F: Future> Future for InPlace<'_, F> {
    type Output = Result<F::Output, Box<dyn Any + Send>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let future = self.0.as_mut().expect("polled until it is complete");
        // SAFETY: the option is borrowed until this value is dropped, which drops the future first:
        // it does not move in between. This value is part of a carrier's own future, which its cell
        // drops.
        let future = unsafe { Pin::new_unchecked(future) };
        match catch_unwind(AssertUnwindSafe(|| future.poll(cx))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(output)) => Poll::Ready(self.end().map(|()| output)),
            Err(panic) => {
                let _ = unanswered::failed(&*panic);
                // A second panic, of a destructor, says nothing new.
                std::mem::forget(self.end());
                Poll::Ready(Err(panic))
            }
        }
    }
}

impl<F> InPlace<'_, F> {
    /// Drops the future.
    fn end(&mut self) -> Result<(), Box<dyn Any + Send>> {
        catch_unwind(AssertUnwindSafe(|| *self.0 = None))
    }
}

impl<F> Drop for InPlace<'_, F> {
    fn drop(&mut self) {
        *self.0 = None;
    }
}
