//! Where messages wait.
//!
//! Two steps, so that an actor with 64 mailboxes costs its senders what an actor with one does:
//! senders push into the actor's one [`Inbox`]; the owner, at each step of its turn, sorts what
//! arrived into its private [`MailboxSet`] and selects there without any atomic operation. What
//! nothing behind it can go before it takes straight from the inbox. An actor with one mailbox has
//! no set: it takes everything so.
//!
//! One message in five files: `messaging/send.rs` → **`mailbox/inbox.rs`** → `scheduler/submit.rs`
//! → `scheduler/worker.rs` → `turn/sequential.rs`.

mod block;
pub(crate) mod declared_guards;
mod guards;
mod inbox;
pub(crate) mod memory;
pub(crate) mod selection;
mod set;
mod tail_word;
pub(crate) mod written_guards;

pub use crate::vocabulary::message::MAX_MAILBOXES;
pub(crate) use guards::Guards;
pub(crate) use inbox::PRESSED_FROM;
pub use inbox::RELIEVED_AT;
pub use inbox::{Arrival, Inbox, InboxOwner, Pushed, WentIdle};
pub(crate) use set::{MailboxSet, SelectionOrder};

/// Labels of inbox slots. A message carries its mailbox plus
/// [`FIRST_MAILBOX`](label::FIRST_MAILBOX).
pub mod label {
    /// Label of mailbox 0.
    pub const FIRST_MAILBOX: u32 = 1;
    /// Signal: the actor is new, its `started` hook is due.
    pub const START: u32 = 254;
    /// Signal: somebody has left a request in the actor's relations.
    pub const REQUEST: u32 = 249;
    /// Signal: a mark among the messages of an actor that may move: what was sent before it has
    /// been taken.
    pub const MARK: u32 = 252;
    /// Signal: the last strong reference is gone. Comes behind everything that was sent.
    pub const UNREFERENCED: u32 = 253;
    /// Signal: something outside the mailboxes wants a turn (a stop request).
    pub const WAKE: u32 = 255;

    /// The label of a message for `mailbox`.
    #[inline(always)]
    pub fn of_mailbox(mailbox: usize) -> u32 {
        mailbox as u32 + FIRST_MAILBOX
    }

    /// Bits of a label below its tag: more than any plain label needs.
    const TAG_SHIFT: u32 = 8;

    /// The label of a message for `mailbox` that is followed (`telemetry/follow.rs`), with its tag,
    /// below 2^24 and not 0. Greater than any label without one.
    pub fn tagged(mailbox: usize, tag: u32) -> u32 {
        tag << TAG_SHIFT | of_mailbox(mailbox)
    }

    /// A label without its tag, and the tag: 0 if it had none.
    #[inline]
    pub fn split(label: u32) -> (u32, u32) {
        (label & ((1 << TAG_SHIFT) - 1), label >> TAG_SHIFT)
    }
}

#[cfg(all(test, odeon_loom))]
mod loom;
