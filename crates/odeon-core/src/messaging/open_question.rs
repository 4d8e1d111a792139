//! Questions for whose answers an actor waits that may go on in another theater.
//!
//! Their answers come to where they were asked, so who wants to give up that place looks here
//! whether any is still to come.

use odeon_sync::atomic::{AtomicUsize, Ordering};

use crate::messaging::actor_ref::ActorRef;
use crate::process::cell::Header;
use crate::vocabulary::message::Message;

/// How many answers are to come to an actor that may move, kept with it.
#[derive(Default)]
struct OpenQuestions(AtomicUsize);

fn of(header: &Header) -> Option<&OpenQuestions> {
    header.relations.get()?.attachments.get()
}

/// One of them: counted in its asker's relations until it is dropped, which is to be behind the
/// answer.
pub(crate) struct OpenQuestion<M: Message> {
    asker: ActorRef<M>,
}

impl<M: Message> OpenQuestion<M> {
    pub(crate) fn of(asker: ActorRef<M>) -> Self {
        // Who has ended without relations never gets any, so that nothing is counted down then
        // either.
        if let Ok(relations) = asker.cell().header.relations.get_or_make() {
            // ORDERING: Relaxed: the asker counts itself, in its turn, or whoever speaks for it;
            // that it may leave is decided behind that turn.
            relations
                .attachments
                .get_or_attach(OpenQuestions::default)
                .0
                .fetch_add(1, Ordering::Relaxed);
        }
        Self { asker }
    }

    pub(crate) fn asker(&self) -> &ActorRef<M> {
        &self.asker
    }
}

impl<M: Message> Drop for OpenQuestion<M> {
    fn drop(&mut self) {
        if let Some(questions) = of(&self.asker.cell().header) {
            // ORDERING: Release: who sees that no answer is to come also sees the messages of those
            // that have.
            questions.0.fetch_sub(1, Ordering::Release);
        }
    }
}

/// How many answers are still to come to this actor.
#[allow(dead_code, reason = "only networks ask for this, and there need not be any")]
pub(crate) fn count(header: &Header) -> usize {
    // ORDERING: Acquire: see above.
    of(header).map_or(0, |questions| questions.0.load(Ordering::Acquire))
}
