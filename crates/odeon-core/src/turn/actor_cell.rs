//! The memory of a plain actor.

use std::cell::UnsafeCell;

use crate::mailbox::InboxOwner;
use crate::process::cell::{MessageCell, Selector};
use crate::turn::behavior::Behavior;

/// A whole actor. `message` comes first, so a pointer to this is a pointer to a `MessageCell` and
/// to a `Header`.
#[repr(C)]
pub(crate) struct ActorCell<A: Behavior> {
    pub(crate) message: MessageCell<A::Msg>,
    pub(crate) owner: UnsafeCell<CellOwner<A>>,
}

/// What belongs to the owner (`process/cell.rs`, rule 2).
#[repr(C)]
pub(crate) struct CellOwner<A: Behavior> {
    pub(crate) inbox: InboxOwner<A::Msg>,
    /// Only for actors with more than one mailbox.
    pub(crate) selector: Option<Box<Selector<A::Msg>>>,
    /// `None` once the actor has ended.
    pub(crate) actor: Option<A>,
}
