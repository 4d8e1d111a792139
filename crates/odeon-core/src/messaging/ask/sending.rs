//! How a question is sent: without blocking the thread, if need be later.

use crate::messaging::actor_ref::ActorRef;
use crate::messaging::bounded;
use crate::messaging::pressure;
use crate::messaging::send::{Hindered, holds_back};
use crate::vocabulary::error::SendError;
use crate::vocabulary::message::Message;

/// What has not been sent.
pub(crate) enum Unsent<M> {
    Refused(SendError<M>),
    /// It has to wait for room.
    Kept(M),
}

impl<M> From<SendError<M>> for Unsent<M> {
    fn from(refused: SendError<M>) -> Self {
        Self::Refused(refused)
    }
}

impl<M: Message> ActorRef<M> {
    /// As [`send`](Self::send), into this mailbox; but what has to wait for room comes back. The
    /// thread is not blocked.
    #[inline(always)]
    pub(crate) fn send_or_keep(&self, mailbox: usize, message: M) -> Result<(), Unsent<M>> {
        let cell = self.cell();
        if cell.header.home.is_aside() {
            return self.send_aside_or_keep(mailbox, message);
        }
        if cell.inbox.may_be_pressed() && self.must_wait() {
            return Err(Unsent::Kept(message));
        }
        Ok(self.send_hindered(mailbox, message, Hindered::InTime)?)
    }

    #[inline(never)]
    fn send_aside_or_keep(&self, mailbox: usize, message: M) -> Result<(), Unsent<M>> {
        let header = &self.cell().header;
        if header.home.is_bounded() && !holds_back() {
            return bounded::send_or_keep(self.cell(), mailbox, message);
        }
        if self.must_wait() {
            return Err(Unsent::Kept(message));
        }
        Ok(self.send_hindered(mailbox, message, Hindered::InTime)?)
    }

    /// Whether the question waits until the receiver is relieved.
    #[cold]
    #[inline(never)]
    fn must_wait(&self) -> bool {
        let header = &self.receiver().header;
        !holds_back() && pressure::is_pressed(header) && pressure::keeps_questions(header)
    }
}
