//! Streams into actors: a pipe of the actor polls the stream and sends it the items.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use futures_core::Stream;
use odeon_core::extend::{AsyncBehavior, Behavior, room_in};
use odeon_core::{ActorRef, AsyncContext, Context, Message, Pipe, SendError};
use odeon_sync::contained::{Apart, drop_quietly};

/// Items after which the pipe lets others have their turns, should the stream and the actor never
/// make it wait.
///
/// TUNE: as many as the messages of a turn.
const ITEMS_AT_ONCE: u32 = 64;

/// A stream that is attached to an actor. Dropping this does *not* detach it.
#[derive(Debug)]
pub struct Attached(Pipe);

impl Attached {
    /// Detaches the stream, which is dropped soon. Items that it has given arrive, except for one
    /// that is waiting for room; an end message does not come any more. `false`: the stream has
    /// ended before, or the actor.
    pub fn detach(self) -> bool {
        self.0.cancel()
    }
}

/// Attaching streams to an actor, in a turn of it: for [`Context`] and [`AsyncContext`].
pub trait Attach {
    /// What the actor can be sent.
    type Msg: Message;

    /// Has this actor sent each item of `stream`, as the message that `message` makes of it, in
    /// order.
    ///
    /// The stream is polled beside the actor, on the workers of its stage. The next item is asked
    /// for only when the last one has been accepted; while the actor has too much waiting (S17), or
    /// its bounded mailbox is full (S18, also if it rejects what others send), the stream is not
    /// polled. It is a pipe of the actor (S19): dropped when the actor ends or is made anew, its
    /// panic is a failure of the actor, and until its end it keeps the actor as a reference does.
    fn attach<S>(
        &self,
        stream: S,
        message: impl FnMut(S::Item) -> Self::Msg + Send + 'static,
    ) -> Attached
    where
        S: Stream<Item: Send> + Send + 'static;

    /// As [`attach`](Self::attach); behind the last item the actor is sent what `end` makes.
    fn attach_to_end<S>(
        &self,
        stream: S,
        message: impl FnMut(S::Item) -> Self::Msg + Send + 'static,
        end: impl FnOnce() -> Self::Msg + Send + 'static,
    ) -> Attached
    where
        S: Stream<Item: Send> + Send + 'static;
}

impl<A: Behavior> Attach for Context<'_, A> {
    type Msg = A::Msg;

    fn attach<S>(
        &self,
        stream: S,
        message: impl FnMut(S::Item) -> A::Msg + Send + 'static,
    ) -> Attached
    where
        S: Stream<Item: Send> + Send + 'static,
    {
        let end = None::<fn() -> A::Msg>;
        Attached(self.pipe(feed(self.actor_ref(), stream, message, end), |_, (), _| ()))
    }

    fn attach_to_end<S>(
        &self,
        stream: S,
        message: impl FnMut(S::Item) -> A::Msg + Send + 'static,
        end: impl FnOnce() -> A::Msg + Send + 'static,
    ) -> Attached
    where
        S: Stream<Item: Send> + Send + 'static,
    {
        Attached(self.pipe(feed(self.actor_ref(), stream, message, Some(end)), |_, (), _| ()))
    }
}

impl<A: AsyncBehavior> Attach for AsyncContext<'_, A> {
    type Msg = A::Msg;

    fn attach<S>(
        &self,
        stream: S,
        message: impl FnMut(S::Item) -> A::Msg + Send + 'static,
    ) -> Attached
    where
        S: Stream<Item: Send> + Send + 'static,
    {
        let end = None::<fn() -> A::Msg>;
        Attached(self.pipe(feed(self.actor_ref(), stream, message, end), |_, (), _| ()))
    }

    fn attach_to_end<S>(
        &self,
        stream: S,
        message: impl FnMut(S::Item) -> A::Msg + Send + 'static,
        end: impl FnOnce() -> A::Msg + Send + 'static,
    ) -> Attached
    where
        S: Stream<Item: Send> + Send + 'static,
    {
        Attached(self.pipe(feed(self.actor_ref(), stream, message, Some(end)), |_, (), _| ()))
    }
}

/// Sends all items, one at a time, and then the end message if there is one.
///
/// What is dropped here while a panic of any of it passes must not panic as well: that would be the
/// end of the process.
async fn feed<M, S>(
    to: ActorRef<M>,
    stream: S,
    message: impl FnMut(S::Item) -> M,
    end: Option<impl FnOnce() -> M>,
) where
    M: Message,
    S: Stream,
{
    let (mut stream, mut message) = (Apart::new(Box::pin(stream)), Apart::new(message));
    let end = Apart::new(end);
    let mut at_once = 0;
    while let Some(item) = poll_fn(|cx| stream.as_mut().poll_next(cx)).await {
        let message = (*message)(item);
        if !arrives(&to, message).await {
            return;
        }
        at_once += 1;
        if at_once == ITEMS_AT_ONCE {
            at_once = 0;
            YieldOnce(false).await;
        }
    }
    if let Some(end) = end.into_inner() {
        // An actor that has ended needs no telling.
        let _ = arrives(&to, end()).await;
    }
}

/// Sends a message; `false` if the actor has ended. A mailbox that rejects what it has no room for
/// makes a stream wait all the same: it has nobody to give an item back to.
async fn arrives<M: Message>(to: &ActorRef<M>, message: M) -> bool {
    let mut sent = to.send_async(message).await;
    while let Err(SendError::Full(message)) = sent {
        room_in(to, message.mailbox()).await;
        // Others may have been faster, time and again, or the message names another mailbox now.
        YieldOnce(false).await;
        sent = to.send_async(message).await;
    }
    let has_arrived = sent.is_ok();
    // Of a message that nobody takes the destructor's panic is contained (S5).
    drop_quietly(sent);
    has_arrived
}

/// Ready at the second look; wakes itself for that.
struct YieldOnce(bool);

impl Future for YieldOnce {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}
