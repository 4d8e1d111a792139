//! Values that are written and read in the same theater.

use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;

use odeon_core::extend::Submit;
use odeon_core::wire::{
    Address, AnswerRoute, Answerable, Arriving, Encode, Inbound, Leaving, Passage, Reference,
    WireError,
};

use crate::TheaterId;

type CountedReference = Box<dyn Any + Send + Sync>;

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
    ) -> Result<CountedReference, WireError> {
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

/// The way back to who has asked by this theater, from an answer that is written.
pub(in crate::network) struct Here {
    pub(in crate::network) asked: Box<dyn Answerable>,
    /// The theater of the asker, if that is another one.
    pub(in crate::network) from: Option<TheaterId>,
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
