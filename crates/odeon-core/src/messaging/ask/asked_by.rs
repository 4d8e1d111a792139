//! Enters who waits for whose answer (`telemetry/waits.rs`).

use std::sync::Arc;

use crate::process::cell::Header;
use crate::process::current;
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::telemetry::{Telemetry, Wait};

/// A question whose asker may come to wait for the answer: dropped when it does not wait any more.
pub(crate) struct AskedBy {
    asked: ErasedWeakRef,
    /// Who waits, and the key of the edge.
    waiting: Option<(ErasedWeakRef, u64)>,
}

impl AskedBy {
    /// A question to the actor with this header.
    #[cold]
    pub(crate) fn to(asked: &Header) -> Option<Box<Self>> {
        asked.stage.theater().telemetry()?.waits.as_ref()?;
        Some(Box::new(Self { asked: ErasedWeakRef::new(asked), waiting: None }))
    }

    /// Whoever runs on this thread begins to wait for the answer, or goes on waiting.
    #[cold]
    pub(crate) fn waits(&mut self) {
        if self.waiting.is_some() {
            return;
        }
        // SAFETY: set by this thread for as long as it runs the actor, which keeps the cell.
        let Some(asker) = (unsafe { current::running().map(|header| header.as_ref()) }) else {
            return;
        };
        let (theater, other) = (asker.stage.theater(), self.asked.header().stage.theater());
        // Ids are known in one theater only.
        if !Arc::ptr_eq(theater, other) {
            return;
        }
        let Some(telemetry) = theater.telemetry() else { return };
        let Some(waits) = &telemetry.waits else { return };
        let wait = Wait { asker: asker.id, asked: self.asked.id(), since: telemetry.now() };
        let (key, circle) = waits.enter(wait);
        self.waiting = Some((ErasedWeakRef::new(asker), key));
        if let (Some(observer), Some(circle)) = (&telemetry.observer, circle) {
            observer.asks_in_a_circle(&circle);
        }
    }
}

impl Drop for AskedBy {
    fn drop(&mut self) {
        let Some((asker, key)) = &self.waiting else { return };
        let waits = self
            .asked
            .header()
            .stage
            .theater()
            .telemetry()
            .and_then(|telemetry: &Telemetry| telemetry.waits.as_ref());
        if let Some(waits) = waits {
            waits.remove(asker.id(), *key);
        }
    }
}
