//! Congestion: what has been begun at actors with lanes of one theater and is not over, counted
//! together. It is pressure of all of them: whoever adds to it holds back as for a receiver, until
//! half of it is gone.
//!
//! While an actor with lanes is held back itself, what is counted may be waiting for that one's
//! turn. So in the search for circles the congestion waits for whatever such an actor waits for
//! (`messaging/pressure/waits.rs`).

use std::sync::Arc;

use odeon_sync::atomic::{AtomicBool, Ordering};
use odeon_sync::{Mutex, MutexGuard};

use super::waits::{WaitNode, Waits};
use super::{HeldBy, hold_back, hold_stage_back, is_held, runs_a_task, wait, wait_as_stage};
use crate::mailbox::{PRESSED_FROM, RELIEVED_AT};
use crate::process::current;
use crate::process::outbox;
use crate::process::theater_shared::TheaterShared;
use crate::process::waiters::Waiters;

/// What has been begun at the actors with lanes of one theater, as one thing for several of them,
/// and is not over.
#[derive(Default)]
pub struct Congestion {
    count: Mutex<CongestionCount>,
    /// A copy, for looks without the lock.
    is_pressed: AtomicBool,
    waiters: Waiters,
    waits: Waits,
}

/// As a theater keeps it: of `std` also in models.
pub(crate) type SharedCongestion = Arc<Congestion>;

/// The congestion of a theater.
pub(crate) fn of(theater: &TheaterShared) -> &SharedCongestion {
    theater.attachments.get_or_attach(SharedCongestion::default)
}

#[derive(Default)]
struct CongestionCount {
    begun: usize,
    suspensions: usize,
    is_pressed: bool,
}

/// Something that has been begun; dropped, it is over.
pub struct Congests(Arc<Congestion>);

/// Nobody holds back before this is dropped.
pub struct Suspends(Arc<Congestion>);

impl Congestion {
    /// Something is begun that comes to its end without those who hold back.
    pub fn add(self: &Arc<Self>) -> Congests {
        self.change(|count| count.begun += 1);
        Congests(self.clone())
    }

    /// Something begins that those who hold back may have to do.
    pub fn suspend(self: &Arc<Self>) -> Suspends {
        self.change(|count| count.suspensions += 1);
        Suspends(self.clone())
    }

    /// From now on nobody holds back.
    pub fn suspend_for_good(&self) {
        self.change(|count| count.suspensions += 1);
    }

    fn change(&self, change: impl FnOnce(&mut CongestionCount)) {
        let mut count = self.lock();
        change(&mut count);
        let was_pressed = count.is_pressed;
        let limit = if was_pressed { RELIEVED_AT + 1 } else { PRESSED_FROM };
        count.is_pressed = count.suspensions == 0 && count.begun >= limit;
        let is_relieved = was_pressed && !count.is_pressed;
        // ORDERING: Relaxed, here and in `is_pressed`: who sees a change too late holds back after
        // the next message, or enters itself with the waiters, whose lock orders that against the
        // release.
        self.is_pressed.store(count.is_pressed, Ordering::Relaxed);
        drop(count);
        if is_relieved {
            self.waiters.release();
        }
    }

    fn lock(&self) -> MutexGuard<'_, CongestionCount> {
        self.count.lock().expect("no panic happens under this lock")
    }

    pub(crate) fn is_pressed(&self) -> bool {
        self.is_pressed.load(Ordering::Relaxed)
    }

    pub(super) fn waiters(&self) -> &Waiters {
        &self.waiters
    }

    pub(super) fn waits(&self) -> &Waits {
        &self.waits
    }
}

impl Congests {
    /// As [`Congestion::suspend`].
    pub fn suspend(&self) -> Suspends {
        self.0.suspend()
    }
}

impl Drop for Congests {
    fn drop(&mut self) {
        self.0.change(|count| count.begun -= 1);
    }
}

impl Drop for Suspends {
    fn drop(&mut self) {
        self.0.change(|count| count.suspensions -= 1);
    }
}

/// The sender's side: something has been begun that may add to the congestion. Whoever handles
/// messages that are congested goes on, and so does who runs an attempt: what it does happens
/// later. A thread waits only if this `blocks`.
pub(crate) fn on_congestion(congestion: &Arc<Congestion>, theater: &TheaterShared, blocks: bool) {
    if !congestion.is_pressed() || outbox::held().is_some() {
        return;
    }
    let here = current::here();
    let by = || HeldBy::Congestion(congestion.clone());
    // SAFETY: set by this thread for the length of the turn, which keeps the cell.
    if let Some(sender) = unsafe { here.actor.get().as_ref() } {
        if !is_held(sender) && !sender.vtable.laned {
            hold_back(sender, by());
        }
        return;
    }
    // A theater that the caller drives must not wait for itself. On a thread of some other pool, or
    // of timers, nothing may wait.
    let Some(stage) = here.home.get().as_pinned().filter(|_| !theater.is_driven_from_outside())
    else {
        return;
    };
    // SAFETY: set by this very thread for as long as its stage lives; null on threads of no stage.
    let stage = unsafe { stage.as_ref() };
    match stage {
        Some(stage) if !stage.is_dedicated() => hold_stage_back(stage, by),
        _ if !blocks || runs_a_task(stage, theater) => {}
        None => wait(None, &WaitNode::Congestion(congestion.clone())),
        Some(stage) => wait_as_stage(stage, by()),
    }
}
