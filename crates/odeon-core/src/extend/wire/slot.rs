//! Where in an actor a message goes.

use crate::messaging::lane::Lane;
use crate::process::theater_shared::TheaterShared;
use crate::vocabulary::message::Message;

/// The mailbox of a message, and whose it is, where that matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The mailbox.
    pub mailbox: usize,
    /// The lane of the sender, for an actor whose messages come with lanes. It is the same in all
    /// theaters by which a message goes: so what one sender sends is in one lane, whichever way
    /// each of its messages takes.
    pub sender: Option<Lane>,
}

impl Slot {
    /// Of a message that comes without a lane.
    pub(crate) fn of_mailbox(mailbox: usize) -> Self {
        Self { mailbox, sender: None }
    }

    /// Of a message that an actor of the theater has been given in this lane.
    pub(crate) fn of_lane<M: Message>(lane: Lane, theater: &TheaterShared) -> Self {
        let mailbox = if M::MAILBOXES == 1 { 0 } else { lane.mailbox() };
        Self { mailbox, sender: Some(lane.of_its_sender().everywhere(theater)) }
    }

    /// The lane in which an actor is given the message.
    pub fn lane<M: Message>(self) -> Lane {
        // Without a sender it is of no lane, or the only one of its mailbox that is.
        let sender = self.sender.unwrap_or_else(|| Lane::of_number(0));
        if M::MAILBOXES == 1 { sender } else { sender.in_mailbox(self.mailbox) }
    }
}
