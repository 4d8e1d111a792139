//! Questions for whose answers an actor waits that may go on in another theater.
//!
//! Their answers come to where they were asked, so who wants to give up that place looks here whether any is still to come.

use odeon_sync::atomic::Ordering;

use crate::messaging::actor_ref::ActorRef;
use crate::process::cell::Header;
use crate::vocabulary::message::Message;

/// One of them: counted in its asker's bonds until it is dropped, which is to be behind the answer.
pub(crate) struct OpenQuestion<M: Message> {
    asker: ActorRef<M>,
}

impl<M: Message> OpenQuestion<M> {
    pub(crate) fn of(asker: ActorRef<M>) -> Self {
        // Who has ended without bonds never gets any, so that nothing is counted down then either.
        if let Ok(bonds) = asker.cell().header.bonds.get_or_make() {
            // ORDERING: Relaxed: the asker counts itself, in its turn, or whoever speaks for it; that it may leave is decided behind that turn.
            bonds.questions.fetch_add(1, Ordering::Relaxed);
        }
        Self { asker }
    }

    pub(crate) fn asker(&self) -> &ActorRef<M> {
        &self.asker
    }
}

impl<M: Message> Drop for OpenQuestion<M> {
    fn drop(&mut self) {
        if let Some(bonds) = self.asker.cell().header.bonds.get() {
            // ORDERING: Release: who sees that no answer is to come also sees the messages of those that have.
            bonds.questions.fetch_sub(1, Ordering::Release);
        }
    }
}

/// How many answers are still to come to this actor.
#[allow(dead_code, reason = "only networks ask for this, and there need not be any")]
pub(crate) fn count(header: &Header) -> usize {
    // ORDERING: Acquire: see above.
    header.bonds.get().map_or(0, |bonds| bonds.questions.load(Ordering::Acquire))
}
