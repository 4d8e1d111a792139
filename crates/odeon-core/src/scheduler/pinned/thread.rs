//! The thread of a pinned or dedicated stage: takes from both queues, sleeps, ends. The protocol is
//! that of `pinned.rs`.

use std::ptr::{self, NonNull};

use odeon_sync::atomic::Ordering;

use super::{NO_PANIC, PinnedKind, PinnedShared, Unclaimed};
use crate::mailbox::{Inbox, InboxOwner, RELIEVED_AT, WentIdle, label};
use crate::process::cell::{DeadCell, Header};
use crate::process::current;
use crate::process::home::Home;
use crate::process::payload::Payload;
use crate::process::unanswered;
use crate::process::vtable::TurnVTable;
use crate::scheduler::envelope::{END_STAGE, Envelope, RECLAIM, RESUME};
use crate::scheduler::local_ring::LocalRing;
use crate::scheduler::placement;

/// TUNE: messages taken from one of the two queues before the other is looked at: bounds the wait
/// of either by the other's flood.
const BATCH: u32 = 64;

/// TUNE: looks at the inbox before the thread sleeps. The first ones follow each other at once
/// (an answer from another core comes within some 100 ns), the rest with the processor's waiting
/// hint; together about 20 us on the machines tried. A dedicated stage does not spin.
const EAGER_LOOKS: u32 = 500;
const PATIENT_LOOKS: u32 = if cfg!(any(odeon_loom, odeon_shuttle)) { 0 } else { 1_500 };

/// The stage's thread at work.
pub(super) struct StageThread<'a> {
    pub(super) shared: &'a PinnedShared,
    pub(super) owner: InboxOwner<Envelope>,
    /// By reference: handlers push into the ring through `Current` while `self` is borrowed
    /// exclusively.
    pub(super) ring: &'a LocalRing,
    /// Whether the inbox has been found under pressure and not been relieved since.
    pub(super) pressed: bool,
}

impl StageThread<'_> {
    pub(super) fn run(mut self) {
        if let PinnedKind::Pinned { core: Some(core) } = self.shared.kind {
            placement::pin_to_nth_core(core);
        }
        let here = current::here();
        here.home.set(Home::pinned(self.shared));
        here.ring.set(ptr::from_ref(self.ring).cast());
        // Spread over the registry's shards, away from the pool's.
        here.shard.set(ptr::from_ref(self.shared).addr() >> 7);
        self.shared.tally.busy.begin(self.shared.theater.now());
        // Delivery catches the panics of handlers; anything else is a defect of the runtime.
        let guard = odeon_sync::AbortGuard::new("pinned stage");
        while !self.shared.ending.load(Ordering::Relaxed) {
            if !self.handle_some() {
                self.wait();
            }
        }
        self.finish();
        guard.disarm();
        here.home.set(Home::NOWHERE);
        here.ring.set(ptr::null());
    }

    /// Handles up to one batch from each queue; `false` if both were empty.
    #[inline(always)]
    fn handle_some(&mut self) -> bool {
        let mut arrivals = 0;
        while arrivals < BATCH {
            // SAFETY: this thread is the owner of the stage's inbox.
            let Some((label, envelope)) = (unsafe { self.owner.pop(&self.shared.inbox) }) else {
                break;
            };
            arrivals += 1;
            // SAFETY: an envelope is pushed whole, also with a signal.
            let envelope = unsafe { envelope.assume_init() };
            self.handle_arrival(label, &envelope);
        }
        // An inbox comes under pressure with several batches waiting, so a full one comes first.
        self.pressed |= arrivals == BATCH && self.shared.is_pressed();
        if self.pressed && self.shared.inbox.backlog() <= RELIEVED_AT {
            self.pressed = false;
            self.shared.relieve();
        }
        let mut local = 0;
        while local < BATCH {
            let Some(entry) = self.ring.pop() else { break };
            local += 1;
            // SAFETY: the entry is good until the next push; `deliver` takes the payload first.
            let goes_on = unsafe {
                self.handle_entry((*entry).label, (*entry).target, &raw const (*entry).payload)
            };
            if goes_on {
                // What it waits for comes through the inbox.
                break;
            }
        }
        unanswered::settle();
        if let Some(wait) = self.shared.take_wait() {
            wait(self.shared);
        }
        arrivals + local != 0
    }

    #[inline(always)]
    fn handle_arrival(&self, label: u32, envelope: &Envelope) {
        match label {
            END_STAGE => self.shared.ending.store(true, Ordering::Relaxed),
            RECLAIM | label::UNREFERENCED => self.ring.push(label, envelope.target, |_| {}),
            _ => {
                self.handle_entry(label, envelope.target, &raw const envelope.payload);
            }
        }
    }

    /// `true`: the actor, which defers messages, is to go on behind what comes from elsewhere.
    #[inline(always)]
    fn handle_entry(&self, label: u32, target: NonNull<Header>, payload: *const Payload) -> bool {
        // SAFETY: rule 3: the cell of a message under way has not been freed.
        let vtable: &'static TurnVTable = unsafe { target.as_ref() }.vtable;
        if label != RECLAIM {
            // SAFETY: rule 1: this is the stage's thread.
            if unsafe { (vtable.deliver)(target, label, payload) } {
                self.ring.push(RESUME, target, |_| {});
                return vtable.defers;
            }
        } else {
            // SAFETY: `reclaim` has taken it apart. Rule 3: it has passed both queues.
            drop(unsafe { DeadCell::new(target) });
        }
        false
    }

    /// Nothing to do: spins a little, then sleeps until a sender leaves a token (rule 2).
    #[inline(never)]
    fn wait(&mut self) {
        if !self.shared.is_dedicated() {
            for look in 0..EAGER_LOOKS + PATIENT_LOOKS {
                // SAFETY: this thread is the owner.
                if unsafe { self.owner.has_next(&self.shared.inbox) } {
                    return;
                }
                if look >= EAGER_LOOKS {
                    odeon_sync::spin_loop();
                }
            }
        }
        // ORDERING: SeqCst: before the inbox goes idle, so that whoever sees it idle sees the flag.
        self.shared.sleeps.fetch_add(1, Ordering::SeqCst);
        self.shared.asleep.store(true, Ordering::SeqCst);
        // SAFETY: this thread is the owner. It stays so also on success: the sender that wakes the
        // inbox only leaves the token.
        match unsafe { InboxOwner::go_idle(&mut self.owner, &self.shared.inbox) } {
            WentIdle::Yes => {
                self.shared.theater.fell_asleep();
                self.sleep();
            }
            WentIdle::UnderPressure => self.shared.relieve(),
            WentIdle::No => {}
        }
        // ORDERING: SeqCst: as above, for the shutdown's two looks.
        self.shared.asleep.store(false, Ordering::SeqCst);
    }

    fn sleep(&self) {
        let counts = self.shared.theater.telemetry().is_some_and(|telemetry| telemetry.counts);
        if counts {
            self.shared.tally.busy.end(self.shared.theater.now());
        }
        self.shared.parker.park();
        if counts {
            self.shared.tally.busy.begin(self.shared.theater.now());
        }
    }

    /// Handles everything that is under way and closes the inbox (rule 4).
    fn finish(mut self) {
        while self.handle_some() {}
        let mut owner = std::mem::replace(&mut self.owner, Inbox::new().1);
        // SAFETY: this thread is the owner; it ends once.
        unsafe {
            owner.close(&self.shared.inbox, |label, envelope| {
                // An envelope is pushed whole, also with a signal.
                self.handle_arrival(label, &envelope.assume_init());
            });
        }
        // The inbox is closed: nobody is to wait for it any more.
        self.shared.waiters.release();
        while let Some(entry) = self.ring.pop() {
            // SAFETY: as in `handle_some`.
            unsafe {
                self.handle_entry((*entry).label, (*entry).target, &raw const (*entry).payload);
            }
        }
        let unclaimed = std::mem::replace(
            &mut *self.shared.unclaimed.lock().expect(NO_PANIC),
            Unclaimed::NoThread,
        );
        // Rule 4: both queues are empty and take nothing any more.
        drop(unclaimed);
        self.shared.theater.fell_asleep();
    }
}
