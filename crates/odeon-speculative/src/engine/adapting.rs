//! The width of one actor: who changes it, and what is told of it.

use super::Engine;
use crate::processing::Processing;
use crate::speculative_actor::SpeculativeActor;
use crate::stats::SpeculationStats;
use crate::width::{Controller, Look, contain};
use odeon_core::SpeculationReport;
use odeon_core::extend::Reporter;
use odeon_sync::{MutexGuard, interruption};
use std::sync::Arc;

impl<A: SpeculativeActor> Engine<A> {
    /// Changes how messages are processed, from the next batches on, which may begin at once.
    pub(crate) fn set_processing(self: &Arc<Self>, processing: &Processing, workers: usize) {
        let (width, controller) = processing.begin(workers);
        // Under its lock, so that the controller before does not change the width behind this.
        let mut present = self.controller();
        let before = std::mem::replace(&mut *present, controller);
        self.decisions.configured(self.clock.now(), width);
        let mut shared = self.lock();
        shared.board.set_blocking(processing.blocks);
        shared.board.set_width(width);
        if let Some(me) = shared.keeps.clone() {
            self.fill(&me, &mut shared);
        }
        self.unlock(shared);
        drop(present);
        self.with_board(|_| ());
        // A user's policy, maybe.
        drop(before);
    }

    fn set_width(&self, width: usize) {
        let mut shared = self.lock();
        shared.board.set_width(width);
        self.unlock(shared);
    }

    fn controller(&self) -> MutexGuard<'_, Option<Controller>> {
        self.controller.lock().expect("no panic happens under the lock of the controller")
    }

    /// The actor's own turn has handled or brought some messages; so many still wait in the inbox.
    pub(crate) fn adapt(&self, in_inbox: usize) {
        let mut controller = self.controller();
        let Some(present) = &mut *controller else { return };
        let (commits, rollbacks) = self.tally.commits_and_rollbacks();
        let (at, width, waiting) = (self.clock.now(), self.width(), in_inbox + self.pressing());
        let look = Look { at, width, commits, rollbacks, waiting };
        let decided =
            contain(|| present.look(look).map(|sample| (sample, present.decide(&sample))));
        match decided {
            Some(Some((sample, next))) => {
                self.decisions.sampled(at, next, sample);
                if next != width {
                    self.set_width(next);
                }
            }
            Some(None) => {}
            None => {
                let failed = controller.take();
                contain(|| drop(failed));
            }
        }
    }

    /// In a test time stands still, and no sample is ever complete: all widths come up all the same.
    #[cold]
    pub(crate) fn wander(self: &Arc<Self>) {
        let most = self.controller().as_ref().and_then(Controller::most_unasked);
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
        let width_goes_by = self.controller().as_ref().and_then(Controller::goes_by);
        SpeculationStats { width, width_goes_by, decisions, ..self.tally.stats() }
    }

    /// The actor is without work.
    pub(crate) fn rests(&self) {
        if let Some(controller) = &mut *self.controller() {
            controller.rests();
        }
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
