//! Exactly bounded mailboxes: so many messages wait in one and no more, and each has its own rule
//! for the next one.
//!
//! | question | file |
//! |---|---|
//! | what a user writes | `patterns/bounded.rs`, `messaging/bounded/bound.rs` |
//! | who has a place, who waits for one, who gets the next | `messaging/bounded/gate.rs` and its loom model |
//! | how a mailbox keeps its newest messages | `messaging/bounded/newest.rs` |
//! | the bounds of one actor; what its owner does | `messaging/bounded/bounds.rs` |
//! | what a sender does | `messaging/bounded/sending.rs` |
//!
//! Senders find the bounds through the actor's cell: its home is marked (`process/home.rs`), which
//! leads a send away from its fast path, and the bounds lie in the relations. So they outlast a
//! restart. An actor that is made in its first turn (`lifecycle/lazy.rs`) makes its bounds known
//! then; until then all its mailboxes are full.

mod bound;
mod bounds;
mod gate;
mod newest;
mod sending;

use crate::process::cell::MessageCell;
use crate::vocabulary::message::Message;

pub use bound::Bound;
pub(crate) use bounds::{Bounds, check_keeps_all, make_known, taken};
pub(crate) use gate::Gate;
pub use gate::Place;
pub(crate) use sending::{
    enter_beyond, is_full, rejects, room, send, send_async, send_or_keep, send_unhindered, try_send,
};

/// The place of a message that an actor with lanes has taken from one of its mailboxes; `None` if
/// it has no bounds.
pub(crate) fn taken_deferred<M: Message>(cell: &MessageCell<M>, mailbox: usize) -> Option<Place> {
    cell.header.home.is_bounded().then(|| bounds::taken_deferred(cell, mailbox))
}

/// The end of the actor in this cell: nobody waits for its places any more, and what its mailboxes
/// have not handed on is handed to `dead_letter`.
pub(crate) use bounds::close;
