//! A timer armed in an attempt whose effects are held back: it begins to run when they are
//! released.

use std::sync::Arc;

use odeon_sync::{Mutex, MutexGuard};

use super::{Cancel, Timer};
use crate::lifecycle::pending_events::LetterName;
use crate::process::outbox;

enum HoldState {
    /// The outbox has it, or had it and was discarded.
    Back,
    /// Being released at this moment.
    Arming,
    Armed(Timer),
    Cancelled,
}

struct HeldTimer(Mutex<HoldState>);

/// Arms a timer: now or, while effects are held back, with them.
#[inline]
pub(super) fn arm(arm: impl FnOnce() -> Timer + Send + 'static) -> Timer {
    let Some(outbox) = outbox::held() else { return arm() };
    let timer = Arc::new(HeldTimer(Mutex::new(HoldState::Back)));
    outbox.hold({
        let timer = timer.clone();
        move || timer.release(arm)
    });
    Timer::shared(timer)
}

impl HeldTimer {
    fn release(&self, arm: impl FnOnce() -> Timer) {
        let mut held = self.lock();
        let HoldState::Back = *held else { return };
        *held = HoldState::Arming;
        drop(held);
        // Not under the lock: a theater that has stopped drops the message, whose destructor may do
        // anything.
        let timer = arm();
        let mut held = self.lock();
        if matches!(*held, HoldState::Arming) {
            *held = HoldState::Armed(timer);
        } else {
            drop(held);
            timer.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HoldState> {
        self.0.lock().expect("nothing panics under a timer's lock")
    }
}

impl Cancel for HeldTimer {
    fn cancel(&self) -> bool {
        let before = std::mem::replace(&mut *self.lock(), HoldState::Cancelled);
        match before {
            HoldState::Back => true,
            // The one who arms it cancels it, but it may be sent before.
            HoldState::Arming => false,
            HoldState::Armed(timer) => timer.cancel(),
            HoldState::Cancelled => unreachable!("`Timer::cancel` takes the timer"),
        }
    }

    fn name(&self) -> Option<LetterName> {
        match &*self.lock() {
            HoldState::Armed(timer) => timer.name(),
            HoldState::Back | HoldState::Arming | HoldState::Cancelled => None,
        }
    }
}
