//! Answers to who has asked for a migration, and what was written of an actor that stays, read again.

use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;

use odeon_core::extend::Submit;
use odeon_core::wire::{
    Address, AnswerRoute, Answerable, Arriving, Encode, Inbound, Leaving, Passage, Reference,
    WireError,
};

use crate::TheaterId;
use crate::network::inner::Inner;
use crate::network::migrated::{MigrateError, Migrated};
use crate::network::peer::Peer;
use crate::network::questions::Asker;

type Counted = Box<dyn Any + Send + Sync>;

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

/// For an actor that was written for another theater and is read here, where it was: what it refers to is still referred to here, and what was counted
/// as having left has not.
pub(super) struct Restored<'a> {
    network: &'a Arc<Inner>,
    to: &'a Arc<Peer>,
    /// Whether the other theater has read nothing of it: otherwise it gives back itself what has come with it.
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
    ) -> Result<Counted, WireError> {
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

/// The way back to who has asked by this theater, from an answer that is written.
struct Here {
    asked: Box<dyn Answerable>,
    /// The theater of the asker, if that is another one.
    from: Option<TheaterId>,
}

impl AnswerRoute for Here {
    fn answered(self: Box<Self>, encode: Option<Encode<'_>>) {
        let (within, mut bytes) = (Within::default(), Vec::new());
        if encode.is_some_and(|encode| encode(&within, &mut bytes).is_ok()) {
            let _ = self.asked.answer(&within, &bytes);
        }
    }

    fn failed(self: Box<Self>, text: &str) {
        self.asked.fail(text);
    }

    fn theater(&self) -> Option<u128> {
        self.from.map(TheaterId::bits)
    }
}

/// For a value that is written and read in the same theater.
#[derive(Default)]
pub(in crate::network) struct Within {
    actors: RefCell<Vec<Arc<dyn Inbound>>>,
    questions: RefCell<Vec<Option<Box<dyn Answerable>>>>,
}

impl Passage for Within {
    fn actor_leaves(&self, actor: &Leaving<'_>) -> Result<Reference, WireError> {
        let mut actors = self.actors.borrow_mut();
        actors.push((actor.inbound)());
        let at = Address { theater: 0, actor: actors.len() as u64 - 1 };
        Ok(Reference { at, born: None, has_lanes: actor.has_lanes, grant: 0 })
    }

    fn actor_arrives(
        &self,
        reference: Reference,
        arriving: &dyn Arriving,
    ) -> Result<Counted, WireError> {
        let actors = self.actors.borrow();
        let actor = actors.get(reference.at.actor as usize);
        let actor = actor.ok_or(WireError::Refused("there is no such actor"))?;
        if actor.message_type() != arriving.message_type() {
            return Err(WireError::OtherMessages);
        }
        Ok(actor.reference())
    }

    fn reply_leaves(&self, answer: Box<dyn Answerable>, _: Option<u128>) -> Result<u64, WireError> {
        let mut questions = self.questions.borrow_mut();
        questions.push(Some(answer));
        Ok(questions.len() as u64 - 1)
    }

    fn reply_arrives(&self, number: u64) -> Result<Box<dyn AnswerRoute>, WireError> {
        let mut questions = self.questions.borrow_mut();
        let asked = questions.get_mut(number as usize).and_then(Option::take);
        let asked = asked.ok_or(WireError::Refused("there is no such question"))?;
        Ok(Box::new(Here { asked, from: None }))
    }

    fn stage(&self) -> Result<Arc<dyn Submit>, WireError> {
        Err(WireError::Refused("a timer goes with its actor, and not with an answer"))
    }
}
