//! Streams out of actors: a hidden actor takes what is sent into the outlet, and hands it to the
//! reader through a small channel.
//!
//! While the reader is slower the channel is full, and the hidden actor waits. Then its mailbox
//! fills, it comes under pressure, and whoever sends into the outlet is held back (S17).

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use futures_channel::mpsc;
use futures_core::Stream;
use odeon_core::extend::{AsyncBehavior, Behavior};
use odeon_core::{
    ActorRef, AsyncActor, AsyncContext, Context, Message, SendError, Theater, TrySendError,
};
use odeon_sync::contained::{drop_each, quietly};

/// An item on its way from an [`Outlet`] to its [`Reader`]; what a dead-letter hook gets of those
/// that nobody will read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item<T>(
    /// The item.
    pub T,
);

impl<T: Send + 'static> Message for Item<T> {}

/// Where items are sent that a [`Reader`] is to get. A handle: its clones are the same outlet.
///
/// The stream ends when all handles are gone and what was sent has been read.
pub struct Outlet<T>(ActorRef<Item<T>>);

/// What is sent into an [`Outlet`], as a stream. Dropping it closes the outlet.
///
/// A reader that is kept and not read holds back whoever sends into its outlet.
pub struct Reader<T> {
    items: mpsc::Receiver<T>,
    _close: Close,
}

/// Closes the outlet when it is dropped. Without the type of the items, whose bounds a `Drop` would
/// need on [`Reader`] as well.
struct Close(Box<dyn Fn() + Send + Sync>);

impl Drop for Close {
    fn drop(&mut self) {
        self.0()
    }
}

impl<T> Drop for Reader<T> {
    fn drop(&mut self) {
        self.items.close();
        // Each by itself: several destructors that panic at once would be the end of the process.
        drop_each(std::iter::from_fn(|| self.items.try_recv().ok()));
    }
}

/// TUNE: more than any memory holds of items; the channel counts other things beside them in one
/// word, and panics from a quarter of all numbers on.
const MOST_ROOM: usize = usize::MAX / 8;

/// Opening outlets: for [`Theater`], [`Context`] and [`AsyncContext`].
pub trait OpenOutlet {
    /// A new outlet and its reader. `room`: how many items lie ready for the reader at most, beyond
    /// the first.
    ///
    /// Between the two run the actors of the runtime's own that an outlet needs: one. It lives
    /// where actors spawned here do, and ends when the outlet or the reader is gone.
    fn outlet<T: Send + 'static>(&self, room: usize) -> (Outlet<T>, Reader<T>);
}

impl OpenOutlet for Theater {
    fn outlet<T: Send + 'static>(&self, room: usize) -> (Outlet<T>, Reader<T>) {
        open(room, |forwarder| self.spawn(forwarder))
    }
}

impl<A: Behavior> OpenOutlet for Context<'_, A> {
    fn outlet<T: Send + 'static>(&self, room: usize) -> (Outlet<T>, Reader<T>) {
        open(room, |forwarder| self.spawn(forwarder))
    }
}

impl<A: AsyncBehavior> OpenOutlet for AsyncContext<'_, A> {
    fn outlet<T: Send + 'static>(&self, room: usize) -> (Outlet<T>, Reader<T>) {
        open(room, |forwarder| self.spawn(forwarder))
    }
}

fn open<T: Send + 'static>(
    room: usize,
    spawn: impl FnOnce(Forwarder<T>) -> ActorRef<Item<T>>,
) -> (Outlet<T>, Reader<T>) {
    let (to, items) = mpsc::channel(room.min(MOST_ROOM));
    let forwarder = spawn(Forwarder { to });
    let known = forwarder.downgrade();
    let close = Close(Box::new(move || {
        // If nobody refers to it, it ends by itself.
        if let Some(forwarder) = known.upgrade() {
            forwarder.stop();
        }
    }));
    (Outlet(forwarder), Reader { items, _close: close })
}

/// Hands items on. When nobody refers to it any more it ends, and with it the stream.
struct Forwarder<T> {
    to: mpsc::Sender<T>,
}

impl<T: Send + 'static> AsyncActor for Forwarder<T> {
    type Msg = Item<T>;

    async fn handle(&mut self, Item(item): Item<T>, ctx: &mut AsyncContext<'_, Self>) {
        let has_room = poll_fn(|cx| self.to.poll_ready(cx)).await.is_ok();
        // Wakes the reader last of all: if that panics, the item has been sent, and whoever sends
        // is not to suffer for who reads.
        if !has_room || quietly(|| self.to.start_send(item).is_err()) == Some(true) {
            // The reader is gone.
            ctx.stop();
        }
    }
}

impl<T: Send + 'static> Outlet<T> {
    /// Sends an item to the reader. If it is slower, and about a thousand items are waiting, the
    /// sender holds back as in [`ActorRef::send`]: an actor gets no turn, a thread of its own
    /// waits.
    ///
    /// # Errors
    /// Gives the item back if the reader is gone. Items that were accepted and not read by then are
    /// dead letters (S4), as [`Item`]s, or were ready for it and are dropped with it.
    pub fn send(&self, item: T) -> Result<(), SendError<T>> {
        self.0.send(Item(item)).map_err(unsent)
    }

    /// As [`send`](Self::send), but gives the item back also if the sender would have to hold back.
    ///
    /// # Errors
    /// As [`ActorRef::try_send`].
    pub fn try_send(&self, item: T) -> Result<(), TrySendError<T>> {
        self.0.try_send(Item(item)).map_err(|error| match error {
            TrySendError::Full(Item(item)) => TrySendError::Full(item),
            TrySendError::Stopped(Item(item)) => TrySendError::Stopped(item),
        })
    }

    /// As [`send`](Self::send), but waits as a future before it sends.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub async fn send_async(&self, item: T) -> Result<(), SendError<T>> {
        let sent = self.0.send_async(Item(item)).await;
        sent.map_err(unsent)
    }

    /// Whether the reader is gone.
    pub fn is_closed(&self) -> bool {
        self.0.is_stopped()
    }
}

impl<T: Send + 'static> Clone for Outlet<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Send + 'static> Message for Outlet<T> {}

impl<T> fmt::Debug for Outlet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Outlet(..)")
    }
}

impl<T: Send + 'static> Reader<T> {
    /// The next item; `None` if there will be none any more: all handles of the outlet are gone, or
    /// the theater has stopped.
    ///
    /// # Cancellation
    /// Dropped before it is ready, the future takes nothing.
    pub async fn next(&mut self) -> Option<T> {
        poll_fn(|cx| Pin::new(&mut self.items).poll_next(cx)).await
    }
}

impl<T> Stream for Reader<T> {
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Option<T>> {
        Pin::new(&mut self.items).poll_next(cx)
    }
}

impl<T> fmt::Debug for Reader<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reader(..)")
    }
}

/// The item that an outlet, whose mailbox has no bound, has not taken.
fn unsent<T: Send + 'static>(error: SendError<Item<T>>) -> SendError<T> {
    SendError::Stopped(error.into_message().0)
}
