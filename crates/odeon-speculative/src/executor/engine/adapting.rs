//! The width of one actor: who changes it, and what is told of it.

use super::Engine;
use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::{drop_quietly, quietly};
use crate::processing::Processing;
use crate::processing::width::{Controller, WidthSample};
use crate::report::stats::SpeculationStats;
use odeon_core::SpeculationReport;
use odeon_core::extend::Reporter;
use odeon_sync::atomic::Ordering;
use odeon_sync::{MutexGuard, interruption};
use std::sync::Arc;

/// TUNE: messages between two looks at the width: a look reads the clock.
pub(crate) const LOOK_EVERY: u32 = 64;

/// Who changes the width. A user's policy is never called under the lock of this: it may look at
/// the actor's statistics.
pub(super) struct Adapting {
    /// `None`: nobody, or somebody looks at the width at this moment.
    controller: Option<Controller>,
    /// What it said last of what it goes by.
    goes_by: Option<&'static str>,
    /// How often the processing was configured.
    configured: u64,
}

impl Adapting {
    pub(super) fn new(mut controller: Option<Controller>) -> Self {
        let goes_by = what_it_goes_by(&mut controller);
        Self { controller, goes_by, configured: 0 }
    }
}

/// A policy that panics is not asked any more.
fn what_it_goes_by(controller: &mut Option<Controller>) -> Option<&'static str> {
    let present = controller.as_ref()?;
    let said = quietly(|| present.goes_by());
    if said.is_none() {
        drop_quietly(controller.take());
    }
    said.flatten()
}

impl<A: SpeculativeActor> Engine<A> {
    /// Changes how messages are processed, from the next batches on, which may begin at once.
    pub(crate) fn set_processing(self: &Arc<Self>, processing: &Processing, workers: usize) {
        let (width, controller) = processing.begin(workers);
        let mut next = Adapting::new(controller);
        // Under its lock, so that the controller before does not change the width behind this.
        let mut adapting = self.adapting();
        next.configured = adapting.configured + 1;
        let before = std::mem::replace(&mut *adapting, next);
        self.decisions.configured(self.clock.now(), width);
        let mut shared = self.lock();
        shared.board.set_blocking(processing.blocks);
        shared.board.set_width(width);
        if let Some(me) = shared.keeps.clone() {
            self.fill(&me, &mut shared);
        }
        self.unlock(shared);
        drop(adapting);
        self.with_board(|_| ());
        drop_quietly(before);
    }

    fn set_width(&self, width: usize) {
        let mut shared = self.lock();
        shared.board.set_width(width);
        self.unlock(shared);
    }

    fn adapting(&self) -> MutexGuard<'_, Adapting> {
        self.adapting.lock().expect("no panic happens under this lock")
    }

    /// Some messages have been handled, or brought; so many still wait in the inbox.
    pub(crate) fn adapt(&self, in_inbox: usize) {
        let mut adapting = self.adapting();
        let configured = adapting.configured;
        let Some(mut present) = adapting.controller.take() else { return };
        drop(adapting);
        if self.copies.has_rested.swap(false, Ordering::Relaxed) {
            present.rests();
        }
        let (commits, rollbacks) = (self.commits(), self.tally.rollbacks());
        let (at, width, waiting) = (self.clock.now(), self.width(), in_inbox + self.pressing());
        let look = WidthSample { at, width, commits, rollbacks, waiting };
        let decided =
            quietly(|| present.look(look).map(|sample| (sample, present.decide(&sample))));
        let mut present = Some(present);
        if decided.is_none() {
            drop_quietly(present.take());
        }
        let goes_by = what_it_goes_by(&mut present);

        let mut adapting = self.adapting();
        if adapting.configured != configured {
            // Somebody else has it by now; the policy itself, maybe.
            drop(adapting);
            return drop_quietly(present);
        }
        (adapting.controller, adapting.goes_by) = (present, goes_by);
        if let Some(Some((sample, next))) = decided {
            self.decisions.sampled(at, next, sample);
            if next != width {
                self.set_width(next);
            }
        }
    }

    /// In a test time stands still, and no sample is ever complete: all widths come up all the
    /// same.
    #[cold]
    pub(crate) fn wander(self: &Arc<Self>) {
        let most = self.adapting().controller.as_ref().and_then(Controller::most_unasked);
        let Some(most) = most.filter(|_| interruption::choose(2) == 1) else { return };
        let mut shared = self.lock();
        shared.board.set_width(interruption::choose(most));
        if let Some(me) = shared.keeps.clone() {
            self.fill(&me, &mut shared);
        }
        self.unlock(shared);
    }

    /// What the actor has done so far.
    pub(crate) fn stats(&self) -> SpeculationStats {
        let (width, decisions) = (self.width(), self.decisions.all());
        let width_goes_by = self.adapting().goes_by;
        let lanes = self.with_board(|board| board.lanes_in_use());
        SpeculationStats {
            commits: self.commits(),
            width,
            width_goes_by,
            decisions,
            lanes_in_use: lanes.now,
            lanes_at_most: lanes.at_most,
            lane_waits: lanes.waited,
            ..self.tally.stats()
        }
    }

    /// The actor is without work.
    pub(crate) fn rests(&self) {
        // ORDERING: Relaxed, here and where it is looked at: what is sampled about that time is
        // worth little in any case.
        if !self.copies.has_rested.load(Ordering::Relaxed) {
            self.copies.has_rested.store(true, Ordering::Relaxed);
        }
    }

    /// The actor has ended: nobody changes its width any more.
    pub(super) fn end_adapting(&self) {
        let controller = self.adapting().controller.take();
        drop_quietly(controller);
    }
}

impl<A: SpeculativeActor> Reporter for Engine<A> {
    fn actor_type(&self) -> &'static str {
        std::any::type_name::<A>()
    }

    fn report(&self) -> SpeculationReport {
        let stats = self.stats();
        let mut report = SpeculationReport::default();
        report.width = stats.width;
        report.commits = stats.commits;
        report.failures = stats.failures;
        report.rollbacks_by_variable = stats.by_variable();
        let by_name = stats.rollbacks.iter().map(|(cause, count)| (cause.name(), *count));
        report.rollbacks = by_name.collect();
        report
    }
}
