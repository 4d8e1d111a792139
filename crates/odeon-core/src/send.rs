//! What happens to a message: which mailbox, held back or not, where the actor lives, and who must
//! be woken.
//!
//! One message in five files: **`send.rs`** → `mailbox/inbox.rs` → `scheduler/submit.rs` →
//! `scheduler/worker.rs` → `turn/sequential.rs`.

use std::ptr::NonNull;

use crate::actor_ref::ActorRef;
use crate::cell::{Header, MessageCell};
use crate::error::{SendError, TrySendError};
use crate::kin::Kin;
use crate::mailbox::{Pushed, label};
use crate::message::{Message, mailbox_of};
use crate::outbox;
use crate::pressure;
use crate::scheduler::submit;
use crate::sight::follow::Tag;
use crate::turn::Task;

impl<M: Message> ActorRef<M> {
    /// Sends a message. It is handled after all messages that this sender sent to the same mailbox
    /// of this actor before (S2).
    ///
    /// If about a thousand messages are waiting at the receiver, the sender holds back after this one (S17): a
    /// thread of its own waits here until half of them are gone, an actor gets no turn until then. Use
    /// [`try_send`](Self::try_send) or [`send_async`](Self::send_async) where the thread must not wait.
    ///
    /// # Errors
    /// Gives the message back if the actor has stopped. A message accepted by an actor that stops
    /// before handling it goes to the theater's dead-letter hook instead (S4).
    ///
    /// # Panics
    /// If [`Message::mailbox`] names a mailbox that the message type does not have.
    // Inlined whole, so that the message is built where it will lie.
    #[inline(always)]
    #[track_caller]
    pub fn send(&self, message: M) -> Result<(), SendError<M>> {
        let mailbox = mailbox_of(&message);
        if let Some(exit) = outbox::exit() {
            return self.send_by(exit, mailbox, message, Hindered::Yes);
        }
        match deliver(self.cell(), label::of_mailbox(mailbox), message) {
            Accepted::Yes => Ok(()),
            Accepted::UnderPressure => {
                pressure::felt(&self.cell().header);
                Ok(())
            }
            Accepted::No(message) => Err(SendError(message)),
        }
    }

    /// As [`send`](Self::send), but nobody holds back: for replies and other messages of the runtime,
    /// each of which somebody has asked for.
    #[inline]
    pub(crate) fn send_unhindered(&self, message: M) -> Result<(), SendError<M>> {
        let mailbox = mailbox_of(&message);
        if let Some(exit) = outbox::exit() {
            return self.send_by(exit, mailbox, message, Hindered::No);
        }
        match deliver(self.cell(), label::of_mailbox(mailbox), message) {
            Accepted::Yes | Accepted::UnderPressure => Ok(()),
            Accepted::No(message) => Err(SendError(message)),
        }
    }

    /// Sends a message unless the sender would have to hold back.
    ///
    /// # Errors
    /// [`TrySendError::Full`] if the receiver is under pressure (S17), or another sender is making room
    /// for more at this moment. [`TrySendError::Stopped`] if the actor has stopped. Both give the
    /// message back.
    ///
    /// # Panics
    /// As [`send`](Self::send).
    #[track_caller]
    pub fn try_send(&self, message: M) -> Result<(), TrySendError<M>> {
        if self.cell().inbox.is_growing() || pressure::is_pressed(&self.cell().header) {
            return Err(TrySendError::Full(message));
        }
        self.send_unhindered(message).map_err(|SendError(message)| TrySendError::Stopped(message))
    }

    /// Sends a message once the receiver is not under pressure (S17), without blocking the thread.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    ///
    /// # Cancellation
    /// Dropped before it is ready, the future drops the message; nothing has been sent then.
    ///
    /// # Panics
    /// As [`send`](Self::send).
    pub async fn send_async(&self, message: M) -> Result<(), SendError<M>> {
        if pressure::is_pressed(&self.cell().header) {
            pressure::relieved(Kin::new(&self.cell().header)).await;
        }
        self.send_unhindered(message)
    }

    /// Whether the actor, or its pinned stage, is under pressure at this moment (S17), so that a sender would
    /// hold back.
    pub fn is_under_pressure(&self) -> bool {
        pressure::is_pressed(&self.cell().header)
    }

    /// Waits as a future until the actor is not under pressure (S17) or has ended: for adapters that say
    /// first whether they are ready, and send later. Somebody else's messages may come in between.
    pub fn relieved(&self) -> impl Future<Output = ()> + Send + use<M> {
        pressure::relieved(Kin::new(&self.cell().header))
    }

    /// Effects of this thread are held back, or followed.
    #[cold]
    fn send_by(
        &self,
        exit: outbox::Exit,
        mailbox: usize,
        message: M,
        hindered: Hindered,
    ) -> Result<(), SendError<M>> {
        let Some(outbox) = exit.outbox() else {
            let tag = Tag::here(self.cell().header.stage.theater());
            return self.send_tagged(tag, mailbox, message, hindered);
        };
        if self.is_stopped() {
            return Err(SendError(message));
        }
        let to = self.clone();
        outbox.hold(Box::new(move || {
            let tag = outbox::is_followed()
                .then(|| Tag::here(to.cell().header.stage.theater()))
                .flatten();
            if let Err(SendError(message)) = to.send_tagged(tag, mailbox, message, Hindered::Yes) {
                to.dead_letter(message);
            }
        }));
        Ok(())
    }

    /// Sends a message that is followed, if it has a tag.
    pub(crate) fn send_tagged(
        &self,
        tag: Option<Tag>,
        mailbox: usize,
        message: M,
        hindered: Hindered,
    ) -> Result<(), SendError<M>> {
        let label = tag.as_ref().map_or(label::of_mailbox(mailbox), |tag| tag.label(mailbox));
        let accepted = deliver(self.cell(), label, message);
        if let Accepted::No(message) = accepted {
            return Err(SendError(message));
        }
        if let Some(tag) = tag {
            tag.sent();
        }
        if matches!((accepted, hindered), (Accepted::UnderPressure, Hindered::Yes)) {
            pressure::felt(&self.cell().header);
        }
        Ok(())
    }
}

/// Whether a sender holds back for a receiver under pressure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hindered {
    Yes,
    No,
}

/// What became of a message.
enum Accepted<M> {
    Yes,
    /// Accepted; but the sender should hold back before it sends more.
    UnderPressure,
    /// The actor has stopped.
    No(M),
}

/// Hands a message to the actor's mailbox or stage.
#[inline(always)]
fn deliver<M: Message>(cell: &MessageCell<M>, label: u32, message: M) -> Accepted<M> {
    if let Some(stage) = cell.header.pinned() {
        if cell.inbox.is_closed() {
            return Accepted::No(message);
        }
        return match stage.deliver(label, NonNull::from(cell).cast(), message) {
            Ok(false) => Accepted::Yes,
            Ok(true) => Accepted::UnderPressure,
            Err(message) => Accepted::No(message),
        };
    }
    match cell.inbox.push(label, message) {
        Pushed::AlreadyPending => Accepted::Yes,
        Pushed::WakeOwner => {
            wake(&cell.header);
            Accepted::Yes
        }
        Pushed::UnderPressure { wake_owner } => {
            if wake_owner {
                wake(&cell.header);
            }
            Accepted::UnderPressure
        }
        Pushed::Closed(message) => Accepted::No(message),
    }
}

/// Has the owner of an inbox run: the push said that exactly this sender must.
#[inline(always)]
fn wake(header: &Header) {
    // SAFETY: by the function's purpose.
    let task = unsafe { Task::new(NonNull::from(header)) };
    submit::woken(header.home, &header.stage, task);
}

/// Gives the actor a turn for something that is not a message. Nothing happens if it has stopped.
pub(crate) fn signal<M>(cell: &MessageCell<M>, label: u32) {
    match cell.header.pinned() {
        Some(stage) => {
            stage.signal(label, NonNull::from(cell).cast::<Header>());
        }
        None => {
            if cell.inbox.push_signal(label).wakes_owner() {
                wake(&cell.header);
            }
        }
    }
}
