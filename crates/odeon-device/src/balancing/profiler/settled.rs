//! Using the best configuration, and finding out when it may no longer be that.

use super::{Profiler, ProfilerPhase};
use crate::balancing::window::{Moment, Sample, Window};
use crate::balancing::worker_table::WorkerTable;

/// How many windows in a row have to say the same, before it counts.
///
/// TUNE: one may be a coincidence, a page fault, a neighbour; guessed.
const WINDOWS: u32 = 2;

/// By which factor rounds may become larger or smaller before that counts as a change.
///
/// TUNE: what a configuration is good at depends on how many pieces each worker gets; guessed.
const ROUND_FACTOR: f64 = 1.5;

/// How much more seldom all is profiled again if nothing seems to have changed.
///
/// TUNE: 0.5 % of the time instead of 2 %: what other configurations would cost may change unseen,
/// but seldom does.
const PATIENCE: f64 = 4.0;

/// How many times as long as a profile the time to the next one is, if nothing seems to have
/// changed.
const LENGTHS: f64 = 20.0;

/// The state of using one configuration.
#[derive(Debug, Default)]
pub(super) struct Settled {
    at_busy: f64,
    /// What a piece cost, and how many made a round, when all was profiled.
    score: Option<f64>,
    round: Option<f64>,
    strange_windows: u32,
    usual_windows: u32,
    changed: bool,
}

impl Profiler {
    /// Uses what is in use from here on. `excess`: what finding it has cost; `length`: how long it
    /// took, in busy seconds.
    pub(super) fn settle(&mut self, now: f64, excess: f64, length: f64) {
        self.window = None;
        (self.last_excess, self.last_length) = (excess, length);
        let sample = self.in_use.and_then(|number| self.records[number].sample);
        self.phase = ProfilerPhase::Settled(Settled {
            at_busy: self.busy_at(now),
            score: sample.and_then(|sample| self.terms.objective.score(&sample)),
            round: sample.and_then(|sample| sample.pieces_per_round()),
            ..Settled::default()
        });
    }

    pub(super) fn look_at_settled(&mut self, now: f64, workers: &WorkerTable) {
        if self.busy_since.is_none() {
            return;
        }
        let Some(window) = &self.window else {
            if workers.is_settled(self.counts()) && workers.is_warm(self.counts()) {
                let moment = self.meter.at(now);
                self.window = Some(Window::open(moment, false));
            }
            return;
        };
        let done = self.is_enough(window, now) && window.is_steady(now);
        if done && self.is_midst_good(self.counts(), workers) && self.has_given_all_a_chance() {
            let moment = self.meter.at(now);
            self.close(moment, workers);
        }
    }

    /// A window has ended: compares it with what was measured when all was profiled.
    pub(super) fn compare(&mut self, now: Moment, sample: Sample, workers: &WorkerTable) {
        let score = self.terms.objective.score(&sample);
        let hysteresis = self.terms.hysteresis;
        let ProfilerPhase::Settled(settled) = &mut self.phase else { return };
        let dearer = score.zip(settled.score).is_some_and(|(now, before)| {
            now > before * (1.0 + hysteresis) || now * (1.0 + hysteresis) < before
        });
        let other_rounds =
            sample.pieces_per_round().zip(settled.round).is_some_and(|(now, before)| {
                now > before * ROUND_FACTOR || now * ROUND_FACTOR < before
            });
        settled.score = settled.score.or(score);
        settled.round = settled.round.or(sample.pieces_per_round());
        if dearer || other_rounds {
            (settled.strange_windows, settled.usual_windows) = (settled.strange_windows + 1, 0);
        } else {
            (settled.strange_windows, settled.usual_windows) = (0, settled.usual_windows + 1);
        }
        if settled.strange_windows >= WINDOWS {
            settled.changed = true;
        }
        if settled.usual_windows >= WINDOWS {
            // It was over before it could be seen to.
            settled.changed = false;
        }
        self.profile_again_if_due(now.at, workers);
    }

    pub(super) fn profile_again_if_due(&mut self, now: f64, workers: &WorkerTable) {
        let ProfilerPhase::Settled(settled) = &self.phase else { return };
        let since = self.busy_at(now) - settled.at_busy;
        let afforded = self.last_excess / self.terms.share;
        let unasked = (PATIENCE * afforded).max(LENGTHS * self.last_length);
        let is_alone = self.configurations.len() == 1;
        let wanted = settled.changed || self.in_use.is_none() || self.has_unknown();
        if !is_alone && (wanted && since >= afforded || since >= unasked) {
            self.begin_profile(now, workers);
        }
    }
}
