//! Answers to who has asked for a migration, and what was written of an actor that stays, read
//! again.

use std::any::Any;
use std::sync::Arc;

use odeon_core::extend::Submit;
use odeon_core::wire::{AnswerRoute, Answerable, Arriving, Leaving, Passage, Reference, WireError};

use crate::network::inner::Inner;
use crate::network::references::within::Here;
use crate::routing::asker::Asker;
use crate::routing::migrated::{MigrateError, Migrated};
use crate::routing::peer::Peer;

type CountedReference = Box<dyn Any + Send + Sync>;

impl Inner {
    pub(super) fn answer_migration(
        self: &Arc<Self>,
        asker: Asker,
        result: Result<Migrated, MigrateError>,
    ) {
        let bytes = postcard::to_allocvec(&result).expect("numbers and text can be written");
        self.give_answer(asker, Some(bytes));
    }

    pub(in crate::network) fn leave_unanswered(self: &Arc<Self>, asker: Asker) {
        self.give_answer(asker, None);
    }
}

/// For an actor that was written for another theater and is read here, where it was: what it refers
/// to is still referred to here, and what was counted as having left has not.
pub(super) struct Restored<'a> {
    network: &'a Arc<Inner>,
    to: &'a Arc<Peer>,
    /// Whether the other theater has read nothing of it: otherwise it gives back itself what has
    /// come with it.
    returns: bool,
}

impl<'a> Restored<'a> {
    pub(super) fn new(network: &'a Arc<Inner>, to: &'a Arc<Peer>, returns: bool) -> Self {
        Self { network, to, returns }
    }
}

impl Passage for Restored<'_> {
    fn actor_leaves(&self, _: &Leaving<'_>) -> Result<Reference, WireError> {
        Err(WireError::Refused("nothing is written here"))
    }

    fn actor_arrives(
        &self,
        reference: Reference,
        arriving: &dyn Arriving,
    ) -> Result<CountedReference, WireError> {
        let Reference { at, born, grant, .. } = reference;
        if at.theater == self.network.id.bits() {
            let actor = self.network.exports.reference(at.actor, arriving)?;
            if self.returns {
                drop(self.network.exports.released(at.actor, self.to.id, 1));
            }
            return Ok(actor);
        }
        if self.returns {
            self.network.revokes(at, grant);
        }
        let gone = WireError::Refused("nobody refers to the actor any more");
        self.network.seats.reference(born.unwrap_or(at), arriving).ok_or(gone)
    }

    fn reply_leaves(&self, _: Box<dyn Answerable>, _: Option<u128>) -> Result<u64, WireError> {
        Err(WireError::Refused("nothing is written here"))
    }

    fn reply_arrives(&self, number: u64) -> Result<Box<dyn AnswerRoute>, WireError> {
        let asked = self.network.questions.take_back(number, self.to.id);
        let (asked, from) = asked.ok_or(WireError::Refused("the question is over"))?;
        Ok(Box::new(Here { asked, from }))
    }

    fn stage(&self) -> Result<Arc<dyn Submit>, WireError> {
        self.network.stage()
    }
}
