//! What an asynchronous handler can do while it runs.

use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::mailbox::Guards;
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::reply::Reply;
use crate::process::cell::{Header, MessageCell};
use crate::turn::async_behavior::AsyncBehavior;
use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::error::AskError;
use crate::vocabulary::message::Message;

/// An [`AsyncActor`](crate::AsyncActor)'s view of its surroundings: one for its whole life, lent to
/// one handler at a time.
///
/// ```
/// # use odeon_core::*;
/// # use std::sync::mpsc::{Sender, channel};
/// /// Handles orders only while it has stock.
/// struct Shop { stock: u32, sold: Sender<u32> }
/// enum Event { Delivery(u32), Order(u32) }
/// impl Message for Event {
///     const MAILBOXES: usize = 2;
///     fn mailbox(&self) -> usize { match self { Event::Delivery(_) => 0, Event::Order(_) => 1 } }
/// }
/// impl AsyncActor for Shop {
///     type Msg = Event;
///     async fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) { ctx.close(1) }
///     async fn handle(&mut self, msg: Event, ctx: &mut AsyncContext<'_, Self>) {
///         match msg {
///             Event::Delivery(pieces) => { self.stock += pieces; ctx.open(1) }
///             Event::Order(number) => {
///                 self.stock -= 1;
///                 self.sold.send(number).unwrap();
///                 if self.stock == 0 { ctx.close(1) }
///             }
///         }
///     }
/// }
/// # let theater = Theater::new().unwrap();
/// # let (sold, orders) = channel();
/// # let shop = theater.spawn(Shop { stock: 0, sold });
/// # (0..3).for_each(|n| shop.send(Event::Order(n)).unwrap());
/// # shop.send(Event::Delivery(2)).unwrap();
/// # shop.send(Event::Delivery(1)).unwrap();
/// # assert_eq!(orders.iter().take(3).collect::<Vec<_>>(), [0, 1, 2]);
/// ```
// In a fixed order, so that contexts of actors with the same messages lie alike: see `lent_to`.
#[repr(C)]
pub struct AsyncContext<'a, A> {
    /// Begins a `MessageCell<A::Msg>`.
    cell: NonNull<Header>,
    pub(crate) guards: Guards,
    pub(crate) stop: bool,
    /// Invariant in the lifetime, so that two contexts cannot be exchanged by safe code.
    _handler: PhantomData<Invariant<&'a ()>>,
    _actor: PhantomData<Invariant<A>>,
}

type Invariant<T> = fn(T) -> T;

// SAFETY: what it points to is shared between threads as by an `ActorRef<A::Msg>`, whose messages
// are `Send`; the rest are flags. Without bounds for the reason given at `ActorRef`.
unsafe impl<A> Send for AsyncContext<'_, A> {}
// SAFETY: as above; methods that change flags take `&mut self`.
unsafe impl<A> Sync for AsyncContext<'_, A> {}

impl<'a, A: AsyncBehavior> AsyncContext<'a, A> {
    /// # Safety
    /// The context lies in the cell it points to, and is lent only while its actor is alive.
    pub(crate) unsafe fn new(cell: NonNull<MessageCell<A::Msg>>) -> Self {
        Self {
            cell: cell.cast(),
            guards: Guards::ALL_OPEN,
            stop: false,
            _handler: PhantomData,
            _actor: PhantomData,
        }
    }

    pub(crate) fn cell(&self) -> &MessageCell<A::Msg> {
        // SAFETY: by the contract of `new`, the actor's alive count keeps the cell, which is one.
        unsafe { self.cell.cast().as_ref() }
    }

    /// The guards of an actor with several mailboxes. With one there are none: compile error.
    pub(crate) fn guards_mut(&mut self) -> &mut Guards {
        const { assert!(A::Msg::MAILBOXES > 1, "guards need a message type with several mailboxes") };
        &mut self.guards
    }

    /// As [`guards_mut`](Self::guards_mut), to be looked at; `None` with one mailbox.
    pub(crate) fn guards(&self) -> Option<Guards> {
        (A::Msg::MAILBOXES > 1).then_some(self.guards)
    }

    /// The context of an actor inside this one, of the same messages, that works in its place.
    pub(crate) fn lent_to<B: AsyncBehavior<Msg = A::Msg>>(&mut self) -> &mut AsyncContext<'a, B> {
        // SAFETY: the two types differ in a marker alone, and the cell is one of `B::Msg` too.
        unsafe { &mut *std::ptr::from_mut(self).cast() }
    }

    /// The address of this actor. Each call makes a new strong reference; an actor that keeps one
    /// in its own state keeps itself alive.
    pub fn actor_ref(&self) -> ActorRef<A::Msg> {
        self.cell().header.revive_strong();
        // SAFETY: counted just above.
        unsafe { ActorRef::from_counted(self.cell.cast()) }
    }

    /// This actor's identity.
    pub fn id(&self) -> ActorId {
        self.cell().header.id
    }

    /// Sends a message to this actor itself, behind what its mailbox holds already.
    pub fn send_self(&self, message: A::Msg) {
        let myself = self.actor_ref();
        // Only a destructor that runs because the handler is cancelled finds the mailbox closed.
        if let Err(error) = myself.send_unhindered(message) {
            myself.dead_letter(error);
        }
    }

    /// Ends this actor when the handler has returned. Messages still waiting go to the dead-letter
    /// hook.
    pub fn stop(&mut self) {
        self.stop = true;
    }

    /// A [`Reply`] whose answer comes to this actor as a message, so that it handles others until
    /// then. See [`Context::reply_to`](crate::Context::reply_to), also for where `message` runs; to
    /// wait for the answer inside the handler, `await` an [`ask`](ActorRef::ask).
    pub fn reply_to<T, F>(&self, message: F) -> Reply<T>
    where
        T: Send + 'static,
        F: FnOnce(Result<T, AskError>) -> A::Msg + Send + 'static,
    {
        Reply::to_actor(self.actor_ref(), message)
    }
}

impl<A: AsyncBehavior> std::fmt::Debug for AsyncContext<'_, A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AsyncContext({})", self.id())
    }
}
