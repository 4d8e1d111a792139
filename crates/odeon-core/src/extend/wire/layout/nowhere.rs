//! What references and replies are made of that are read and lead to nobody.

use std::any::Any;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::extend::wire::Encode;
use crate::extend::wire::error::WireError;
use crate::extend::wire::outbound::{Bid, NotTaken, Occupied, Outbound};
use crate::extend::wire::passage::{
    AnswerRoute, Answerable, Arriving, Leaving, Passage, Reference,
};
use crate::extend::wire::slot::Slot;
use crate::extend::{Awaits, LetterName};
use crate::process::submit::Submit;
use crate::runtime::theater::Theater;

/// In force while a type is looked at.
pub(super) struct Nowhere;

const NOTHING_LEAVES: WireError = WireError::Refused("nothing is written here");

/// A theater that has ended: whoever is created there never begins.
fn stage() -> Result<Arc<dyn Submit>, WireError> {
    static STAGE: OnceLock<Option<Arc<dyn Submit>>> = OnceLock::new();
    let stage = STAGE.get_or_init(|| {
        let theater = Theater::builder().name("nowhere").workers(1).build().ok()?;
        let stage = theater.shared().pool();
        // Nobody is there to be drained.
        let _ = theater.shutdown(Duration::ZERO);
        Some(stage)
    });
    stage.clone().ok_or(WireError::Refused("there is no thread for a theater"))
}

impl Passage for Nowhere {
    fn actor_leaves(&self, _: &Leaving<'_>) -> Result<Reference, WireError> {
        Err(NOTHING_LEAVES)
    }

    fn actor_arrives(
        &self,
        _: Reference,
        arriving: &dyn Arriving,
    ) -> Result<Box<dyn Any + Send + Sync>, WireError> {
        Ok(arriving.seat(&stage()?, Arc::new(Self), false).0)
    }

    fn reply_leaves(&self, _: Box<dyn Answerable>, _: Option<u128>) -> Result<u64, WireError> {
        Err(NOTHING_LEAVES)
    }

    fn reply_arrives(&self, _: u64) -> Result<Box<dyn AnswerRoute>, WireError> {
        Ok(Box::new(Self))
    }

    fn stage(&self) -> Result<Arc<dyn Submit>, WireError> {
        stage()
    }
}

impl AnswerRoute for Nowhere {
    fn answered(self: Box<Self>, _: Option<Encode<'_>>) {}

    fn theater(&self) -> Option<u128> {
        None
    }
}

impl Outbound for Nowhere {
    fn take(&self, _: Slot, _: Encode<'_>) -> Result<(), NotTaken> {
        Err(NotTaken::Unreachable)
    }

    fn take_accompanied(&self, _: Slot, _: &[u8], _: Encode<'_>) -> Result<(), NotTaken> {
        Err(NotTaken::Unreachable)
    }

    fn take_letter(&self, _: LetterName, _: Awaits, _: Encode<'_>) -> Result<(), NotTaken> {
        Err(NotTaken::Unreachable)
    }

    fn lost_companion(&self, _: &[u8]) {}

    fn pass(&self, _: &[u8]) -> Result<(), NotTaken> {
        Err(NotTaken::Unreachable)
    }

    fn flush(&self) {}

    fn pressing(&self) -> usize {
        0
    }

    fn is_open(&self) -> bool {
        true
    }

    fn heed(&self, _: &[u8], _: Occupied) -> Bid {
        Bid::Nothing
    }

    fn heeds_early(&self, _: &[u8]) -> bool {
        false
    }

    fn lost(&self, _: &[u8]) {}

    fn gone(&self) -> bool {
        false
    }

    fn ended(&self) {}
}
