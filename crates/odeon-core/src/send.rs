//! What happens to a message: which mailbox, held back or not, where the actor lives, and who must
//! be woken.
//!
//! One message in five files: **`send.rs`** → `mailbox/inbox.rs` → `scheduler/submit.rs` →
//! `scheduler/worker.rs` → `turn/sequential.rs`.

use std::ptr::NonNull;

use crate::actor_ref::ActorRef;
use crate::cell::{Header, MessageCell};
use crate::error::{SendError, TrySendError};
use crate::mailbox::{Pushed, label};
use crate::message::{Message, mailbox_of};
use crate::outbox;
use crate::scheduler::submit;
use crate::turn::Task;

impl<M: Message> ActorRef<M> {
    /// Sends a message. It is handled after all messages that this sender sent to the same mailbox
    /// of this actor before (S2).
    ///
    /// Never blocks on the receiver's work: the mailbox is unbounded.
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
        if let Some(outbox) = outbox::held() {
            return self.send_held(outbox, mailbox, message);
        }
        deliver(self.cell(), mailbox, message).map_err(SendError)
    }

    /// Sends a message unless that would wait for anything.
    ///
    /// # Errors
    /// [`TrySendError::Full`] if the mailbox cannot take it at once: another sender is making room
    /// for more at this moment. [`TrySendError::Stopped`] if the actor has stopped. Both give the
    /// message back.
    ///
    /// # Panics
    /// As [`send`](Self::send).
    #[track_caller]
    pub fn try_send(&self, message: M) -> Result<(), TrySendError<M>> {
        if self.cell().inbox.is_growing() {
            return Err(TrySendError::Full(message));
        }
        self.send(message).map_err(|SendError(message)| TrySendError::Stopped(message))
    }

    #[cold]
    fn send_held(
        &self,
        outbox: outbox::HeldOutbox,
        mailbox: usize,
        message: M,
    ) -> Result<(), SendError<M>> {
        if self.is_stopped() {
            return Err(SendError(message));
        }
        let to = self.clone();
        outbox.hold(Box::new(move || {
            if let Err(message) = deliver(to.cell(), mailbox, message) {
                to.dead_letter(message);
            }
        }));
        Ok(())
    }
}

/// Hands a message to the actor's mailbox or stage; gives it back if the actor has stopped.
#[inline(always)]
fn deliver<M: Message>(cell: &MessageCell<M>, mailbox: usize, message: M) -> Result<(), M> {
    let label = label::of_mailbox(mailbox);
    if let Some(stage) = cell.header.pinned() {
        if cell.inbox.is_closed() {
            return Err(message);
        }
        return stage.deliver(label, NonNull::from(cell).cast(), message);
    }
    match cell.inbox.push(label, message) {
        Pushed::AlreadyPending => Ok(()),
        Pushed::WakeOwner => {
            wake(&cell.header);
            Ok(())
        }
        Pushed::Closed(message) => Err(message),
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
            if cell.inbox.push_signal(label) == Pushed::WakeOwner {
                wake(&cell.header);
            }
        }
    }
}
