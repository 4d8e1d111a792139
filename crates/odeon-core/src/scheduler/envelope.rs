//! A message on its way to an actor of a pinned stage: whom it is for, and the message without its
//! type.

use std::ptr::NonNull;

use crate::mailbox::label;
use crate::process::cell::Header;
use crate::process::payload::Payload;

/// Stage-internal signal: the target asked to go on with messages it has deferred.
pub(crate) const RESUME: u32 = 250;
/// Stage-internal signal: the target's memory can be freed once this has passed both queues.
pub(crate) const RECLAIM: u32 = 251;
/// Stage-internal signal: the stage is to end. The target is dangling.
pub(crate) const END_STAGE: u32 = 252;

const _: () =
    assert!(RESUME > crate::mailbox::MAX_MAILBOXES as u32 && END_STAGE < label::UNREFERENCED);

/// A message and its addressee.
pub(crate) struct Envelope {
    pub(crate) target: NonNull<Header>,
    pub(crate) payload: Payload,
}

// SAFETY: an envelope carries a `Send` message and a pointer that only the stage's thread uses.
unsafe impl Send for Envelope {}
