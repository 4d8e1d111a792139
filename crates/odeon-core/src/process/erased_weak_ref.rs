//! A reference to an actor whose message type has been forgotten: parents, children, linked actors.

use std::ptr::NonNull;

use odeon_sync::atomic::Ordering;

use crate::mailbox::label;
use crate::process::cell::{self, Header, signal};
use crate::process::relations::{ControlRequest, Relations};
use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::observe::EndReason;

/// Knows an actor without keeping it, whatever its message type.
pub(crate) struct ErasedWeakRef(NonNull<Header>);

// SAFETY: the header is made of atomics and immutable fields; what is done through it is safe from
// any thread.
unsafe impl Send for ErasedWeakRef {}
// SAFETY: as above.
unsafe impl Sync for ErasedWeakRef {}

impl ErasedWeakRef {
    pub(crate) fn new(header: &Header) -> Self {
        header.retain_weak();
        Self(NonNull::from(header))
    }

    pub(crate) fn header(&self) -> &Header {
        // SAFETY: this reference's weak count keeps the cell.
        unsafe { self.0.as_ref() }
    }

    pub(crate) fn id(&self) -> ActorId {
        self.header().id
    }

    /// What ties the actor to others; the reason of its end if it has ended.
    pub(crate) fn relations(&self) -> Result<&Relations, EndReason> {
        self.header().relations.get_or_make()
    }

    /// Asks the actor to end after the message it is handling.
    pub(crate) fn stop(&self) {
        // ORDERING: Release: what the caller did comes before the end (Acquire in the turn).
        self.header().signals.fetch_or(signal::STOP, Ordering::Release);
        self.signal(label::WAKE);
    }

    /// Leaves a request and has the actor look at it; the request comes back if the actor has
    /// ended.
    pub(crate) fn request(&self, request: ControlRequest) -> Result<(), ControlRequest> {
        let Ok(relations) = self.relations() else { return Err(request) };
        relations.leave_request(request)?;
        self.look_at_requests();
        Ok(())
    }

    /// Has the actor look at what has been left in its relations; owed once for each thing.
    pub(crate) fn look_at_requests(&self) {
        self.signal(label::REQUEST);
    }

    fn signal(&self, label: u32) {
        // SAFETY: our weak count keeps the cell, whose type only its vtable knows.
        unsafe { (self.header().vtable.signal)(self.0, label) }
    }
}

impl Clone for ErasedWeakRef {
    fn clone(&self) -> Self {
        Self::new(self.header())
    }
}

impl Drop for ErasedWeakRef {
    fn drop(&mut self) {
        // SAFETY: our own weak count, given back once.
        unsafe { cell::release_weak(self.0) }
    }
}
