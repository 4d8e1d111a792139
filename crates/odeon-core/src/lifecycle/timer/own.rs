//! The timers that an actor which may move has begun for itself: they go with it
//! (`lifecycle/pending_events.rs`).

use std::sync::Arc;
use std::time::Duration;

use super::{Cancel, Timer, held};
use crate::lifecycle::pending_events::{
    self, Awaits, Letter, LetterName, LetterTrigger, PendingEvents,
};
use crate::messaging::actor_ref::WeakRef;
use crate::messaging::tag::Tag;
use crate::process::outbox;
use crate::process::theater_shared::TheaterShared;
use crate::vocabulary::message::Message;

/// A timer by its name.
struct Named {
    theater: Arc<TheaterShared>,
    name: LetterName,
}

impl Cancel for Named {
    fn cancel(&self) -> bool {
        let Some(pending) = PendingEvents::of(&self.theater).take(self.name) else { return false };
        pending.call.cancel(&self.theater);
        true
    }

    fn name(&self) -> Option<LetterName> {
        Some(self.name)
    }
}

/// Begins a timer of an actor for itself, which goes with it.
#[cold]
pub(super) fn begin<M: Message>(to: WeakRef<M>, delay: Duration, message: M) -> Timer {
    let theater = to.header().stage.theater().clone();
    let tag = if outbox::is_followed() { Tag::here(&theater) } else { None };
    held::arm(move || {
        let name = PendingEvents::of(&theater).new_name();
        keep(to, name, theater.now().saturating_add(delay), Letter { message, tag });
        Timer::shared(Arc::new(Named { theater, name }))
    })
}

/// Has a letter wait for a time.
pub(crate) fn keep<M: Message>(to: WeakRef<M>, name: LetterName, due: Duration, letter: Letter<M>) {
    let theater = to.header().stage.theater().clone();
    let sending = pending_events::keep(to, name, LetterTrigger::to_come(Awaits::Time(due)), letter);
    let place = sending.place();
    let armed = theater.arm_at(due, Box::new(move || sending.send()));
    let disarm = move |theater: &TheaterShared| {
        let _ = theater.disarm(armed);
    };
    // It may have fired.
    let _ = PendingEvents::of(&theater)
        .waits(place, LetterTrigger::in_force(Awaits::Time(due), disarm));
}

impl Timer {
    /// The timer with this name, if it is, or comes to be, in this theater.
    pub(crate) fn named(theater: &Arc<TheaterShared>, name: LetterName) -> Self {
        Self::shared(Arc::new(Named { theater: theater.clone(), name }))
    }
}

#[cfg(all(test, not(any(odeon_loom, odeon_shuttle))))]
mod tests;
