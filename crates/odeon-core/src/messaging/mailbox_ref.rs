//! A mailbox that the sender chooses.

use std::fmt;

use crate::messaging::actor_ref::ActorRef;
use crate::messaging::ask::Ask;
use crate::messaging::ask::call::Call;
use crate::messaging::reply::Reply;
use crate::vocabulary::error::{SendError, TrySendError};
use crate::vocabulary::mailboxes::{MailboxOf, number_of};
use crate::vocabulary::message::Message;
use crate::vocabulary::oneshot;

impl<M: Message> ActorRef<M> {
    /// One of the actor's mailboxes, for a sender that decides where its message goes. Without this
    /// the message itself does: [`Message::mailbox`].
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use std::sync::mpsc::{Sender, channel};
    /// /// Adds what comes from two sources, one item of each at a time.
    /// struct Adder { first: Option<u32>, sums: Sender<u32> }
    /// struct Item(u32);
    /// impl Message for Item { const MAILBOXES: usize = 2; }
    /// impl Actor for Adder {
    ///     type Msg = Item;
    ///     fn handle(&mut self, Item(n): Item, ctx: &mut Context<'_, Self>) {
    ///         match self.first.take() {
    ///             None => { self.first = Some(n); ctx.close(ctx.mailbox()) }
    ///             Some(first) => { self.sums.send(first + n).unwrap(); ctx.open_all() }
    ///         }
    ///     }
    /// }
    /// # let theater = Theater::new()?;
    /// # let (sums, results) = channel();
    /// let adder = theater.spawn(Adder { first: None, sums });
    /// (1..=3).try_for_each(|n| adder.mailbox(0).send(Item(n)))?;
    /// (1..=3).try_for_each(|n| adder.mailbox(1).send(Item(10 * n)))?;
    /// assert_eq!(results.iter().take(3).collect::<Vec<_>>(), [11, 22, 33]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the actor has no such mailbox.
    #[inline(always)]
    #[track_caller]
    pub fn mailbox(&self, name: impl MailboxOf<M>) -> MailboxRef<'_, M> {
        MailboxRef { actor: self, number: number_of(name) }
    }
}

/// A mailbox of an actor: made by [`ActorRef::mailbox`]. What is sent through it waits there,
/// whatever [`Message::mailbox`] says.
pub struct MailboxRef<'a, M> {
    actor: &'a ActorRef<M>,
    number: usize,
}

impl<'a, M: Message> MailboxRef<'a, M> {
    /// The actor.
    pub fn actor(&self) -> &'a ActorRef<M> {
        self.actor
    }

    /// The mailbox's number, from 0.
    pub fn number(&self) -> usize {
        self.number
    }

    /// As [`ActorRef::send`].
    ///
    /// # Errors
    /// As there.
    #[inline(always)]
    pub fn send(&self, message: M) -> Result<(), SendError<M>> {
        self.actor.send_into(self.number, message)
    }

    /// As [`ActorRef::try_send`].
    ///
    /// # Errors
    /// As there.
    pub fn try_send(&self, message: M) -> Result<(), TrySendError<M>> {
        self.actor.try_send_into(self.number, message)
    }

    /// As [`ActorRef::send_async`].
    ///
    /// # Errors
    /// As there.
    ///
    /// # Cancellation
    /// As there.
    pub async fn send_async(&self, message: M) -> Result<(), SendError<M>> {
        self.actor.send_async_into(self.number, message).await
    }

    /// As [`ActorRef::ask`].
    pub fn ask<T: Send + 'static>(&self, question: impl FnOnce(Reply<T>) -> M) -> Ask<T> {
        let (answer_to, answer) = oneshot::channel();
        self.actor.ask_in(self.number, question(Reply::to_waiter(answer_to)), answer)
    }

    /// As [`ActorRef::call`].
    pub fn call<T: Send + 'static>(&self, question: impl FnOnce(Reply<T>) -> M) -> Call<'a, M, T> {
        Call::of(self.actor, |_| self.number, question)
    }
}

impl<M> Clone for MailboxRef<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for MailboxRef<'_, M> {}

impl<M: Message> fmt::Debug for MailboxRef<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MailboxRef({}, {})", self.actor.id(), self.number)
    }
}
