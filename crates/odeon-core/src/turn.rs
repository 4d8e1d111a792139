//! How a worker processes an actor: the seam behind which sequential, and later other, ways of
//! processing lie.
//!
//! A worker knows a [`Task`]: a pointer to something that begins with a [`TurnVTable`] pointer. It
//! runs one turn and obeys the [`TurnOutcome`]; it never learns what kind of actor it was.

pub(crate) mod actor;
pub(crate) mod actor_cell;
pub(crate) mod async_actor;
pub(crate) mod async_behavior;
pub(crate) mod async_context;
pub(crate) mod asynchronous;
pub(crate) mod behavior;
pub(crate) mod budget;
pub(crate) mod context;
pub(crate) mod continuation;
pub(crate) mod ending;
pub(crate) mod failing;
pub(crate) mod guarding;
pub(crate) mod interior;
pub(crate) mod renewing;
pub(crate) mod seen_turn;
pub(crate) mod sequential;

use std::ptr::NonNull;

use crate::mailbox::InboxOwner;
use crate::messaging::bounded::Bound;
use crate::process::cell::MessageCell;
use crate::process::vtable::TurnVTable;
use crate::vocabulary::message::Message;

/// An actor that is to be created, and with it the way in which it will be processed.
///
/// # Safety
/// `Cell` is `repr(C)` and begins with a `MessageCell<Msg>`; `VTABLE` is made for it.
pub(crate) unsafe trait NewActor: Sized {
    /// What it can be sent.
    type Msg: Message;
    /// Its whole memory.
    type Cell;
    /// The operations on that cell.
    const VTABLE: &'static TurnVTable;
    /// Whether its mailboxes have bounds.
    const BOUNDED: bool;
    /// Whether its messages come with lanes.
    const LANED: bool;

    /// The bounds of its mailboxes, if they are known already.
    fn wanted_bounds(&self) -> Option<&[Option<Bound>]>;

    /// Fills the cell.
    ///
    /// # Safety
    /// `cell` is memory for one, not initialised.
    unsafe fn fill(
        self,
        cell: NonNull<Self::Cell>,
        message: MessageCell<Self::Msg>,
        inbox: InboxOwner<Self::Msg>,
    );
}
