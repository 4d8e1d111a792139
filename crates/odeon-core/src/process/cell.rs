//! The memory of one live actor: fields and access rules, no behaviour.
//!
//! One allocation holds everything: what every holder of a reference may touch ([`Header`] and
//! [`Inbox`], together a [`MessageCell`]) and behind it what only the owner may touch
//! (`CellOwner`). The order of fields is fixed (`repr(C)`). The first cache line is read by senders
//! and owner; the second begins with the tail word that senders write, followed by the embedded
//! slots; then comes what the owner works with. So neither side takes a line away from the other
//! while messages wait in heap blocks, and a message for an actor that keeps up lies in the line of
//! the tail word.
//!
//! "Owner" is whoever runs the actor's turn; there is at most one at a time.
//!
//! ACCESS RULES
//! 1. `Header` fields without atomics never change after the spawn.
//! 2. `CellOwner` is touched only by the owner: a pool worker between the wake-up that scheduled
//!    the actor and the step to idle; the stage's thread for an actor of a pinned or dedicated
//!    stage.
//! 3. The cell lives while `weak > 0`. The actor being alive counts one, all strong references
//!    together count one, each weak reference counts one.
//! 4. A cell of a pinned stage is freed by the stage's thread, behind everything that was sent to
//!    it, and by others only when that thread is through (see `scheduler/pinned.rs`, "reclaim").
//! 5. `strong` may rise from 0 again only in the owner's turn (`Context::actor_ref`).

use std::ptr::NonNull;
use std::sync::Arc;

use odeon_sync::atomic::{AtomicU32, Ordering, fence};

use crate::mailbox::{Guards, Inbox, MailboxSet};
use crate::process::home::Home;
use crate::process::registry::RegistrySlot;
use crate::process::relations::RelationsSlot;
use crate::process::submit::Submit;
use crate::process::vtable::TurnVTable;
use crate::telemetry::ActorTally;
use crate::vocabulary::actor_id::ActorId;

/// The parts of [`Header::signals`].
pub(crate) mod signal {
    /// The actor is to end at the next message boundary.
    pub(crate) const STOP: u32 = 1;
    /// The actor has ended by a panic: the reason for messages that were still under way to it.
    pub(crate) const FAILED: u32 = 2;
    /// The actor has no state and waits for its restart; set and cleared by the owner.
    pub(crate) const RESTARTING: u32 = 4;
    /// The actor has sent to one under pressure and is to be held back; set and cleared by the
    /// owner.
    pub(crate) const HELD: u32 = 8;
    /// What a turn looks at between two messages.
    pub(crate) const BETWEEN_MESSAGES: u32 = STOP | RESTARTING | HELD;
    /// An actor of a pinned or dedicated stage has not begun to start: messages of its stage may
    /// overtake the signal to start, which may come from elsewhere. Set from its making on, cleared
    /// by the owner.
    pub(crate) const UNSTARTED: u32 = 16;
    /// One [`UNREFERENCED`](crate::mailbox::label::UNREFERENCED) signal is still to be taken by the
    /// owner. Counted up with the first of any strong references, by the owner alone; so none is
    /// due exactly if nobody has a reference and all that was ever sent has been taken.
    pub(crate) const UNREFERENCED_DUE: u32 = 32;
    /// Somebody looks at the actor (`telemetry.rs`): set from its making on. The sign, so that one
    /// comparison tells an actor that may simply go idle from one that is seen or that nobody can
    /// reach.
    pub(crate) const SEEN: u32 = 1 << 31;
}

/// The part of a cell that does not depend on any type: one cache line, hardly ever written.
#[repr(C)]
pub(crate) struct Header {
    pub(crate) vtable: &'static TurnVTable,
    pub(crate) stage: Arc<dyn Submit>,
    /// The stage again: decides how a send is delivered.
    pub(crate) home: Home,
    pub(crate) id: ActorId,
    pub(crate) signals: AtomicU32,
    pub(crate) registry: RegistrySlot,
    pub(crate) strong: AtomicU32,
    pub(crate) weak: AtomicU32,
    /// Ends the first cache line. Cells begin at one (`mailbox/memory.rs`), not by an alignment of
    /// the type, which would round every cell up to whole lines.
    pub(crate) relations: RelationsSlot,
}

#[cfg(not(any(odeon_loom, odeon_shuttle)))]
const _: () = assert!(size_of::<Header>() == 64, "the header is one cache line");

/// What a reference to an actor points to: all that a sender needs.
#[repr(C)]
pub(crate) struct MessageCell<M> {
    pub(crate) header: Header,
    pub(crate) inbox: Inbox<M>,
}

/// Mailboxes and guards of an actor that has several.
pub(crate) struct Selector<M> {
    pub(crate) guards: Guards,
    pub(crate) set: MailboxSet<M>,
}

/// A count above this means references are being leaked in a loop; going on could wrap it round.
const MAX_REFERENCES: u32 = i32::MAX as u32;

#[cold]
fn too_many_references() -> ! {
    eprintln!("odeon: more than {MAX_REFERENCES} references to one actor");
    std::process::abort();
}

impl Header {
    /// One more strong reference, made from an existing one.
    #[inline]
    pub(crate) fn retain_strong(&self) {
        // ORDERING: Relaxed: a new reference is made from a live one, which keeps the cell.
        if self.strong.fetch_add(1, Ordering::Relaxed) > MAX_REFERENCES {
            too_many_references();
        }
    }

    /// One more weak reference, made from any existing reference.
    pub(crate) fn retain_weak(&self) {
        // ORDERING: Relaxed: as above.
        if self.weak.fetch_add(1, Ordering::Relaxed) > MAX_REFERENCES {
            too_many_references();
        }
    }

    /// A strong reference from within the owner's turn, where there may be none left (rule 5).
    pub(crate) fn revive_strong(&self) {
        // ORDERING: Relaxed: the turn itself keeps the actor alive.
        match self.strong.fetch_add(1, Ordering::Relaxed) {
            0 => {
                self.retain_weak();
                // ORDERING: Relaxed: only the owner, who we are, counts.
                self.signals.fetch_add(signal::UNREFERENCED_DUE, Ordering::Relaxed);
            }
            n if n > MAX_REFERENCES => too_many_references(),
            _ => {}
        }
    }

    /// A strong reference from a weak one, unless there is none left.
    pub(crate) fn upgrade(&self) -> bool {
        let mut strong = self.strong.load(Ordering::Relaxed);
        while strong != 0 {
            // ORDERING: Relaxed: as for `retain_strong`; the count alone decides.
            match self.strong.compare_exchange_weak(
                strong,
                strong + 1,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(now) => strong = now,
            }
        }
        false
    }

    /// Gives a strong reference back; `true` if it was the last one. The caller then owes the
    /// actor a turn and one [`release_weak`].
    #[inline]
    #[must_use]
    pub(crate) fn release_strong(&self) -> bool {
        // ORDERING: Release: what this holder sent comes before the signal of the last one (the
        // fence below), so that the owner takes the signal after all messages.
        if self.strong.fetch_sub(1, Ordering::Release) != 1 {
            return false;
        }
        fence(Ordering::Acquire);
        true
    }

    /// The owner has taken an `UNREFERENCED` signal.
    pub(crate) fn unreferenced_taken(&self) {
        // ORDERING: Relaxed: only the owner counts.
        self.signals.fetch_sub(signal::UNREFERENCED_DUE, Ordering::Relaxed);
    }

    /// Owner: whether nobody can reach the actor any more and all that was sent has been taken.
    pub(crate) fn is_unreachable(&self) -> bool {
        // ORDERING: Relaxed: as above; other threads set only the flags below the count.
        self.signals.load(Ordering::Relaxed) & !signal::SEEN < signal::UNREFERENCED_DUE
    }

    /// Owner: whether there is something to do before the actor goes idle, which is rare: nobody
    /// can reach it, or somebody looks at it.
    #[inline(always)]
    pub(crate) fn has_duties_before_idle(&self) -> bool {
        // ORDERING: Relaxed: as above.
        (self.signals.load(Ordering::Relaxed) as i32) < signal::UNREFERENCED_DUE as i32
    }

    /// Owner: whether the actor is still to start, before anything else that is delivered.
    #[inline(always)]
    pub(crate) fn is_unstarted(&self) -> bool {
        // ORDERING: Relaxed: only changed by the owner.
        self.signals.load(Ordering::Relaxed) & signal::UNSTARTED != 0
    }

    /// Whether the actor is to end at the next message boundary.
    #[inline(always)]
    pub(crate) fn is_told_to_end(&self) -> bool {
        // ORDERING: Acquire: pairs with the Release of whoever asked for the end.
        self.signals.load(Ordering::Acquire) & signal::STOP != 0
    }

    /// Owner: the actor begins to start; `false` if it has before.
    pub(crate) fn take_unstarted(&self) -> bool {
        // ORDERING: Relaxed: as above.
        self.signals.fetch_and(!signal::UNSTARTED, Ordering::Relaxed) & signal::UNSTARTED != 0
    }

    /// Whether somebody looks at the actor.
    #[inline(always)]
    pub(crate) fn is_seen(&self) -> bool {
        // ORDERING: Relaxed: never changes.
        self.signals.load(Ordering::Relaxed) & signal::SEEN != 0
    }

    /// What is counted of the actor, if somebody looks at it.
    pub(crate) fn tally(&self) -> Option<&ActorTally> {
        if !self.is_seen() {
            return None;
        }
        // Made with the actor.
        self.relations.get()?.attachments.get()
    }
}

/// The memory of an actor that nobody references; dropped, it is freed.
#[derive(Debug)]
pub struct DeadCell(NonNull<Header>);

// SAFETY: the right to free a cell, which is given to one thread after the other.
unsafe impl Send for DeadCell {}

impl DeadCell {
    /// # Safety
    /// The last weak count of the cell has been given back, or was taken [apart](Self::into_raw)
    /// from such a value.
    pub(crate) unsafe fn new(cell: NonNull<Header>) -> Self {
        Self(cell)
    }

    /// The cell, which whoever calls this has freed.
    pub(crate) fn into_raw(self) -> NonNull<Header> {
        std::mem::ManuallyDrop::new(self).0
    }
}

impl Drop for DeadCell {
    fn drop(&mut self) {
        // SAFETY: nobody references the cell.
        unsafe { (self.0.as_ref().vtable.dealloc)(self.0) }
    }
}

/// Gives one weak count back and frees the cell with the last one.
///
/// # Safety
/// The caller owns one weak count and does not use the cell afterwards.
pub(crate) unsafe fn release_weak(cell: NonNull<Header>) {
    // SAFETY: our count keeps the cell until the subtraction.
    let header = unsafe { cell.as_ref() };
    let dealloc = header.vtable.dealloc;
    // A stage that owns its actors must outlive the call below, and the cell may be gone by then.
    let owner = header.home.as_owner().map(|_| header.stage.clone());
    // ORDERING: Release: everything this holder did comes before the free; the Acquire fence below
    // is the other half.
    if header.weak.fetch_sub(1, Ordering::Release) != 1 {
        return;
    }
    fence(Ordering::Acquire);
    match owner {
        // SAFETY: the last count is gone, so nobody can reach the cell.
        None => unsafe { dealloc(cell) },
        // SAFETY: as above; rule 4 hands the free to the stage's thread.
        Some(stage) => stage.reclaim(unsafe { DeadCell::new(cell) }),
    }
}
