//! The address of an actor: clone, compare, weaken. How sending works is in `messaging/send.rs`.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ptr::NonNull;

use odeon_sync::atomic::Ordering;

use crate::mailbox::label;
use crate::messaging::send;
use crate::process::cell::{self, Header, MessageCell, signal};
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::dead_letter::DeadLetterReason;
use crate::vocabulary::error::SendError;
use crate::vocabulary::message::Message;

/// The typed address of an actor: whoever has one can send it messages of type `M`.
///
/// Cloning costs one atomic operation. Two references are equal if they lead to the same actor.
/// While strong references exist the actor stays; an actor that nobody can reach any more (no
/// reference, no message waiting) stops by itself. Use a [`WeakRef`] to know an actor without
/// keeping it.
///
/// ```
/// # use odeon_core::*;
/// # struct Quiet;
/// # impl Actor for Quiet { type Msg = u32; fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {} }
/// let theater = Theater::new()?;
/// let one = theater.spawn(Quiet);
/// let same = one.clone();
/// assert_eq!(one, same);
/// assert_eq!(one.id().to_string(), same.to_string());
/// let weak = one.downgrade();
/// assert_eq!(weak.upgrade(), Some(one));
/// # Ok::<(), BuildError>(())
/// ```
pub struct ActorRef<M> {
    cell: NonNull<MessageCell<M>>,
    _counted: PhantomData<MessageCell<M>>,
}

// SAFETY: a reference only lets one send `M` values to the actor's thread, hence `M: Send`; the
// cell's shared part is made of atomics, immutable fields and the inbox, which is `Sync`. No more
// bounds than this needs, and none on the type: those with a lifetime, as `Message` is one, are
// beyond what the compiler can show for a value that a future keeps across an await.
unsafe impl<M: Send> Send for ActorRef<M> {}
// SAFETY: as above; all methods take `&self` and are safe from several threads.
unsafe impl<M: Send> Sync for ActorRef<M> {}

impl<M: Message> ActorRef<M> {
    /// # Safety
    /// The caller passes on one strong count of `cell`.
    pub(crate) unsafe fn from_counted(cell: NonNull<MessageCell<M>>) -> Self {
        Self { cell, _counted: PhantomData }
    }

    /// A reference to an actor in its own turn, where there may be none left.
    pub(crate) fn in_turn_of(cell: &MessageCell<M>) -> Self {
        cell.header.revive_strong();
        // SAFETY: counted just above.
        unsafe { Self::from_counted(NonNull::from(cell)) }
    }

    /// Gives up the reference without giving back its count.
    pub(crate) fn into_counted(self) -> NonNull<MessageCell<M>> {
        std::mem::ManuallyDrop::new(self).cell
    }

    #[inline(always)]
    pub(crate) fn cell(&self) -> &MessageCell<M> {
        // SAFETY: this reference's count keeps the cell.
        unsafe { self.cell.as_ref() }
    }

    fn header(&self) -> &Header {
        &self.cell().header
    }

    /// The same actor, its message type forgotten.
    pub(crate) fn erased(&self) -> ErasedWeakRef {
        ErasedWeakRef::new(self.header())
    }

    /// The actor's identity: printable, ordered, never used again in its theater.
    pub fn id(&self) -> ActorId {
        self.header().id
    }

    /// Whether the actor has ended, so that sends give their messages back.
    pub fn is_stopped(&self) -> bool {
        self.cell().inbox.is_closed()
    }

    /// Asks the actor to end after the message it is handling. Messages still waiting when it gets
    /// to that, and those that arrive until then, go to the dead-letter hook. Does nothing if the
    /// actor has stopped.
    pub fn stop(&self) {
        if let Some(outbox) = crate::process::outbox::held() {
            let to = self.clone();
            outbox.hold(move || to.stop());
            return;
        }
        // ORDERING: Release: what the caller did comes before the end (Acquire in the turn).
        self.header().signals.fetch_or(signal::STOP, Ordering::Release);
        send::signal(self.cell(), label::WAKE);
    }

    /// A reference that does not keep the actor.
    pub fn downgrade(&self) -> WeakRef<M> {
        WeakRef::to(self.cell())
    }

    /// Counts and reports a message that was accepted and then could not be delivered.
    pub(crate) fn dead_letter(&self, error: SendError<M>) {
        let header = self.header();
        let reason = match error {
            SendError::Stopped(_) => DeadLetterReason::Stopped,
            SendError::Full(_) => DeadLetterReason::Rejected,
        };
        header.stage.theater().dead_letter(header.id, reason, error.into_message());
    }
}

impl<M: Message> Clone for ActorRef<M> {
    #[inline]
    fn clone(&self) -> Self {
        self.header().retain_strong();
        Self { cell: self.cell, _counted: PhantomData }
    }
}

impl<M> Drop for ActorRef<M> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this reference's count keeps the cell.
        if unsafe { self.cell.as_ref() }.header.release_strong() {
            last_reference_gone(self.cell);
        }
    }
}

/// The actor gets a turn to find out that nobody can reach it.
#[cold]
fn last_reference_gone<M>(cell: NonNull<MessageCell<M>>) {
    // SAFETY: the strong references' common weak count is ours to give back, and keeps the cell
    // until then.
    unsafe {
        send::signal(cell.as_ref(), label::UNREFERENCED);
        cell::release_weak(cell.cast());
    }
}

impl<M: Message> PartialEq for ActorRef<M> {
    fn eq(&self, other: &Self) -> bool {
        self.cell == other.cell
    }
}

impl<M: Message> Eq for ActorRef<M> {}

impl<M: Message> Hash for ActorRef<M> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.cell.hash(state);
    }
}

impl<M: Message> fmt::Display for ActorRef<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id().fmt(f)
    }
}

impl<M: Message> fmt::Debug for ActorRef<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ActorRef({})", self.id())
    }
}

impl<M: Message> Message for ActorRef<M> {}

/// Knows an actor without keeping it.
pub struct WeakRef<M> {
    cell: NonNull<MessageCell<M>>,
    _counted: PhantomData<MessageCell<M>>,
}

// SAFETY: as for `ActorRef`.
unsafe impl<M: Send> Send for WeakRef<M> {}
// SAFETY: as for `ActorRef`.
unsafe impl<M: Send> Sync for WeakRef<M> {}

impl<M: Message> WeakRef<M> {
    /// Knows the actor of a cell that some count keeps.
    pub(crate) fn to(cell: &MessageCell<M>) -> Self {
        cell.header.retain_weak();
        Self { cell: NonNull::from(cell), _counted: PhantomData }
    }

    pub(crate) fn header(&self) -> &Header {
        // SAFETY: this reference's weak count keeps the cell.
        unsafe { &self.cell.as_ref().header }
    }

    /// The actor's identity.
    pub fn id(&self) -> ActorId {
        self.header().id
    }

    /// A strong reference, unless the last one is gone.
    pub fn upgrade(&self) -> Option<ActorRef<M>> {
        // SAFETY: `upgrade` counted one strong reference for us.
        self.header().upgrade().then(|| unsafe { ActorRef::from_counted(self.cell) })
    }
}

impl<M: Message> Clone for WeakRef<M> {
    fn clone(&self) -> Self {
        self.header().retain_weak();
        Self { cell: self.cell, _counted: PhantomData }
    }
}

impl<M> Drop for WeakRef<M> {
    fn drop(&mut self) {
        // SAFETY: our own weak count, given back once.
        unsafe { cell::release_weak(self.cell.cast()) }
    }
}

impl<M: Message> PartialEq for WeakRef<M> {
    fn eq(&self, other: &Self) -> bool {
        self.cell == other.cell
    }
}

impl<M: Message> Eq for WeakRef<M> {}

impl<M: Message> fmt::Debug for WeakRef<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WeakRef({})", self.id())
    }
}
