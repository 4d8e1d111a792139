//! The tag by which a message is followed: made by who sends it, taken by who handles it.

use std::any::type_name;
use std::fmt;
use std::sync::Arc;

use crate::mailbox::label;
use crate::process::cell::Header;
use crate::process::outbox;
use crate::process::theater_shared::TheaterShared;
use crate::telemetry::{Following, Handling, InScope};
use crate::vocabulary::message::Message;

/// Has the sends of this thread looked at by the tracers of their receivers, from now on or no
/// more. Does nothing within an attempt (S8).
pub fn follow_sends(on: bool) {
    outbox::set_followed(on);
}

/// The theater's messages that are followed, if it has a tracer.
pub(crate) fn following(theater: &TheaterShared) -> Option<&Following> {
    theater.telemetry()?.following.as_ref()
}

/// The tag of a message that has not been sent; dropped, its cause is forgotten.
pub(crate) struct Tag {
    theater: Arc<TheaterShared>,
    number: u32,
}

impl Tag {
    /// A tag for a message that this followed thread is about to send to an actor of `theater`.
    pub(crate) fn here(theater: &Arc<TheaterShared>) -> Option<Self> {
        let following = following(theater)?;
        Some(Self { theater: theater.clone(), number: following.sent()? })
    }

    /// A label for `mailbox` with this tag.
    pub(crate) fn label(&self, mailbox: usize) -> u32 {
        label::tagged(mailbox, self.number)
    }

    /// The message has been sent.
    pub(crate) fn sent(self) {
        let mut this = std::mem::ManuallyDrop::new(self);
        // SAFETY: not used again, since the tag is not dropped.
        unsafe { std::ptr::drop_in_place(&raw mut this.theater) };
    }
}

impl Drop for Tag {
    fn drop(&mut self) {
        if let Some(following) = following(&self.theater) {
            following.forget(self.number);
        }
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tag({})", self.number)
    }
}

/// The message with this tag, sent to the actor with this header, will not be handled.
#[cold]
pub(crate) fn forget(receiver: &Header, tag: u32) {
    if let Some(following) = following(receiver.stage.theater()) {
        following.forget(tag);
    }
}

/// The scope in which the message with this tag is to be handled.
#[cold]
pub(crate) fn begin<M: Message>(receiver: &Header, tag: u32) -> Option<InScope> {
    let handling = Handling {
        actor: receiver.id,
        actor_type: (receiver.vtable.actor_type)(),
        message_type: type_name::<M>(),
    };
    following(receiver.stage.theater())?.begins(tag, &handling)
}
