//! Trying configurations.
//!
//! Between two trials the best configuration so far is used. A trial begins with a round; if the
//! pool is never quiet, in the middle of the stream. Before it is measured, who is not of the
//! configuration comes to the end of what he is doing, and who has just been made does something: a
//! first batch compiles, connects, fills caches.

use std::collections::VecDeque;

use super::stragglers::{KindTimes, Went};
use super::{ConfigurationRecord, Profiler, ProfilerPhase, Quota};
use crate::balancing::objective::Meter;
use crate::balancing::window::{Moment, Sample, Window};
use crate::balancing::worker_table::WorkerTable;

/// How much dearer than the best one so far a configuration is when it is cut off, at least.
///
/// TUNE: what is dearer than that after a quarter of its window is so at its end, too; guessed.
pub(super) const CUT: f64 = 1.5;

/// How much dearer than the best one a finalist may be.
///
/// TUNE: the sieve's windows, a quarter as long as the final's, err by less; guessed.
const NEAR: f64 = 1.25;

/// How often a configuration is tried in one profile, on average: workers that come and go end
/// trials before they say something.
const MOST_TRIALS: usize = 3;

/// What is under way of a profile.
pub(super) struct Profile {
    to_try: VecDeque<usize>,
    is_final: bool,
    begun: usize,
    pub(super) trial: Option<Trial>,
    /// The time since the last trial, if the pool has not been quiet since.
    pub(super) between: Option<Window>,
    /// What all trials came to, warming up included.
    spent: Vec<(usize, Sample)>,
    began_busy: f64,
}

/// A configuration that is being tried.
pub(super) struct Trial {
    number: usize,
    aligned: bool,
    /// All of it, from when the configuration was used.
    pub(super) whole: Window,
    /// When it is looked whether it is to be cut off, though nothing has happened.
    look_at: Option<f64>,
    /// How long that is put off each time.
    patience: f64,
}

impl Profile {
    pub(super) fn went(&mut self, went: &Went) {
        let &Went { pieces, took, .. } = went;
        if let Some(trial) = &mut self.trial {
            trial.whole.went(pieces, took);
        } else if let Some(between) = &mut self.between {
            between.went(pieces, took);
        }
    }

    pub(super) fn quota(&self, whole: Quota) -> Quota {
        if self.is_final { whole } else { whole.quarter() }
    }

    pub(super) fn next_look(&self) -> Option<f64> {
        self.trial.as_ref()?.look_at
    }
}

impl Profiler {
    /// Begins to try all configurations that there are workers for, the one in use first, so that
    /// others can be cut off by it.
    pub(super) fn begin_profile(&mut self, now: f64, workers: &WorkerTable) {
        self.forget(|_, _| true);
        self.try_all(now, workers);
    }

    /// What was measured of these decides nothing any more.
    pub(super) fn forget(&mut self, which: impl Fn(&Self, usize) -> bool) {
        for number in 0..self.records.len() {
            if which(self, number) {
                let latest = self.records[number].latest;
                self.records[number] =
                    ConfigurationRecord { latest, ..ConfigurationRecord::default() };
            }
        }
    }

    /// As [`begin_profile`](Self::begin_profile), with what is known.
    pub(super) fn try_all(&mut self, now: f64, workers: &WorkerTable) {
        self.asked = false;
        self.window = None;
        let mut to_try: VecDeque<usize> = self.usable().collect();
        if to_try.len() <= 1 {
            self.in_use = to_try.front().copied();
            self.settle(now, 0.0, 0.0);
            return;
        }
        if let Some(place) = to_try.iter().position(|&number| self.in_use == Some(number)) {
            let first = to_try.remove(place).expect("it was found there");
            to_try.push_front(first);
        }
        self.profilings += 1;
        self.seen.fill(KindTimes::default());
        let moment = self.meter.at(now);
        self.phase = ProfilerPhase::Profiling(Box::new(Profile {
            to_try,
            is_final: false,
            begun: 0,
            trial: None,
            between: self.busy_since.map(|_| Window::open(moment, false)),
            spent: Vec::new(),
            began_busy: self.busy_at(now),
        }));
        self.look(now, workers);
    }

    fn profile(&mut self) -> &mut Profile {
        match &mut self.phase {
            ProfilerPhase::Profiling(profile) => profile,
            _ => unreachable!("only called while there is a profile"),
        }
    }

    pub(super) fn begin_trial(&mut self, now: Moment, aligned: bool, workers: &WorkerTable) {
        let Some(number) = self.next_to_try(workers) else {
            self.end_stage(now, workers);
            return;
        };
        self.in_use = Some(number);
        let patience = self.patience();
        let profile = self.profile();
        profile.between = None;
        profile.trial = Some(Trial {
            number,
            aligned,
            whole: Window::open(now, aligned),
            look_at: None,
            patience,
        });
        let may_open =
            aligned && workers.is_warm(self.counts()) && workers.is_settled(self.counts());
        if may_open {
            self.open_window(now, true);
        }
    }

    /// The next one that there are workers for, and that is not known to be dearer.
    fn next_to_try(&mut self, workers: &WorkerTable) -> Option<usize> {
        let most = MOST_TRIALS * self.configurations.len();
        self.put_the_most_promising_first(workers);
        let profile = self.profile();
        profile.begun += 1;
        if profile.begun > most {
            profile.to_try.clear();
        }
        while let Some(number) = self.profile().to_try.pop_front() {
            if !self.can_use(number) {
                continue;
            }
            if !self.is_held_up(number, workers) {
                return Some(number);
            }
        }
        None
    }

    /// In the sieve, behind its first trial: of those that are left, the one whose workers have
    /// been the fastest together. Only by time, and where programs work in rounds.
    ///
    /// WHY: a batch of a slow worker is as long as it is, so that each trial with one holds up a
    /// round, unless it is known by then that others do a whole round meanwhile.
    fn put_the_most_promising_first(&mut self, workers: &WorkerTable) {
        let ProfilerPhase::Profiling(profile) = &self.phase else { return };
        if profile.is_final || !self.is_in_rounds() || self.terms.objective.needs_energy() {
            return;
        }
        let pace = |number: usize| -> Option<f64> {
            let counts = self.configurations[number].iter().enumerate();
            let working = counts.filter(|(_, count)| **count > 0);
            working.map(|(kind, &count)| Some(count as f64 * workers.tally(kind).pace()?)).sum()
        };
        let paces: Option<Vec<f64>> = profile.to_try.iter().map(|&number| pace(number)).collect();
        let Some(paces) = paces else { return };
        // The first of several that are equally fast.
        let best = (0..paces.len())
            .reduce(|one, other| if paces[other] > paces[one] { other } else { one });
        if let Some(best) = best {
            let to_try = &mut self.profile().to_try;
            let number = to_try.remove(best).expect("it was found there");
            to_try.push_front(number);
        }
    }

    /// How long a trial is watched before it may be cut off.
    fn patience(&self) -> f64 {
        let best = self.best().and_then(|(best, _)| self.records[best].sample?.time_per_piece());
        let Some(time) = best else { return f64::INFINITY };
        match self.quota() {
            Quota::Pieces(pieces) => time * (pieces as f64 / 4.0).max(1.0),
            Quota::Time(quota) => quota / 4.0,
        }
    }

    pub(super) fn open_window(&mut self, now: Moment, aligned: bool) {
        self.window = Some(Window::open(now, aligned));
        if let Some(trial) = &mut self.profile().trial {
            let at = now.at + trial.patience;
            trial.look_at = Some(at).filter(|at| at.is_finite());
        }
    }

    pub(super) fn look_at_trial(&mut self, now: f64, workers: &WorkerTable) {
        let quota = self.quota();
        let ProfilerPhase::Profiling(profile) = &self.phase else { return };
        if profile.trial.is_none() {
            // The pool is not quiet for so long that the next trial will not wait for that.
            let is_long = profile.between.as_ref().is_some_and(|it| quota.is_reached(it, now));
            if is_long && self.is_midst_good(None, workers) {
                let moment = self.meter.at(now);
                self.begin_trial(moment, false, workers);
            }
            return;
        }
        if self.busy_since.is_none() || self.give_up_if_held_up(now, workers) {
            return;
        }
        let ProfilerPhase::Profiling(profile) = &self.phase else { return };
        let Some(trial) = &profile.trial else { return };
        let Some(window) = &self.window else {
            let is_stream = !trial.aligned || quota.is_reached(&trial.whole, now);
            let warm = workers.is_warm(self.counts()) || quota.is_reached(&trial.whole, now);
            if is_stream && warm && workers.is_settled(self.counts()) {
                let moment = self.meter.at(now);
                self.open_window(moment, false);
            }
            return;
        };
        let done = self.is_enough(window, now) && window.is_steady(now);
        let done = done && self.is_midst_good(self.counts(), workers);
        if done && self.has_given_all_a_chance() {
            let moment = self.meter.at(now);
            self.close(moment, workers);
        } else if trial.look_at.is_some_and(|at| now >= at) {
            self.cut_or_wait(now, workers);
        }
    }

    /// Ends the trial if it is known by now that its workers hold up rounds.
    pub(super) fn give_up_if_held_up(&mut self, now: f64, workers: &WorkerTable) -> bool {
        let ProfilerPhase::Profiling(profile) = &self.phase else { return false };
        let Some(number) = profile.trial.as_ref().map(|trial| trial.number) else { return false };
        if !self.is_held_up(number, workers) {
            return false;
        }
        let moment = self.meter.at(now);
        self.end_trial(moment, None, workers);
        if self.best().is_none() && self.busy_since.is_some() && self.is_profiling() {
            // There is nothing better that could be used until the next round.
            self.begin_trial(moment, false, workers);
        }
        true
    }

    /// Cuts the trial off if it is dearer than the best one by far even if all that is in work were
    /// done at this moment.
    fn cut_or_wait(&mut self, now: f64, workers: &WorkerTable) {
        let moment = self.meter.at(now);
        let Some(window) = &self.window else { return };
        let mut sample = window.sample(moment);
        sample.pieces += workers.in_hand() as u64;
        let is_known = window.time(now) >= self.least_window();
        let score = self.terms.objective.score(&sample).filter(|_| is_known);
        let best = self.best().filter(|(number, _)| self.in_use != Some(*number));
        if best.zip(score).is_some_and(|((_, best), score)| score > CUT * best) {
            let number = self.in_use.expect("a trial uses its configuration");
            self.records[number].cut = true;
            self.records[number].latest = Some(sample);
            self.end_trial(moment, None, workers);
            return;
        }
        if let Some(trial) = &mut self.profile().trial {
            // Twice as long each time: seldom enough, and soon enough.
            trial.patience *= 2.0;
            trial.look_at = Some(now + trial.patience);
        }
    }

    /// The trial is over, with what was measured, if it came to that.
    pub(super) fn end_trial(&mut self, now: Moment, sample: Option<Sample>, workers: &WorkerTable) {
        self.window = None;
        let busy = self.busy_since.is_some();
        let profile = self.profile();
        let Some(trial) = profile.trial.take() else { return };
        profile.spent.push((trial.number, trial.whole.sample(now)));
        profile.between = busy.then(|| Window::open(now, false));
        let is_last = profile.to_try.is_empty();
        if let Some(sample) = sample {
            let record = &mut self.records[trial.number];
            record.sample = Some(record.sample.map_or(sample, |before| before.and(sample)));
        }
        if is_last {
            self.end_stage(now, workers);
        } else if let Some((best, _)) = self.best() {
            self.in_use = Some(best);
        }
    }

    fn end_stage(&mut self, now: Moment, workers: &WorkerTable) {
        let Some((best, lowest)) = self.best() else {
            // The meter has no figure any more, or stands still, or workers come and go.
            let was_cut = |number: usize| self.can_use(number) && self.records[number].cut;
            let keep = self.in_use.filter(|&number| self.can_use(number) && !was_cut(number));
            let by_one_that_is_lost = self.usable().any(was_cut);
            self.in_use = self.fastest().or(keep);
            self.end_profile(now.at);
            if self.in_use.is_none() && by_one_that_is_lost {
                self.forget(Self::can_use);
                self.try_all(now.at, workers);
            }
            return;
        };
        self.in_use = Some(best);
        let mut near: Vec<(usize, f64)> = self
            .usable()
            .filter_map(|number| Some((number, self.score(number)?)))
            .filter(|(_, score)| *score <= NEAR * lowest)
            .collect();
        near.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        let busy = self.busy_since.is_some();
        let profile = self.profile();
        if profile.is_final || near.len() <= 1 {
            self.end_profile(now.at);
            return;
        }
        profile.is_final = true;
        profile.to_try = near.into_iter().map(|(number, _)| number).collect();
        profile.between = busy.then(|| Window::open(now, false));
        self.look(now.at, workers);
    }

    fn end_profile(&mut self, now: f64) {
        let ProfilerPhase::Profiling(profile) = &self.phase else { return };
        let length = self.busy_at(now) - profile.began_busy;
        let excess = match self.best() {
            None => length,
            Some((best, lowest)) => {
                let sample = self.records[best].sample.as_ref();
                let time = sample.and_then(Sample::time_per_piece).unwrap_or_default();
                profile.spent.iter().map(|(_, spent)| self.excess(spent, lowest, time)).sum()
            }
        };
        self.settle(now, excess, length);
    }

    /// What a trial took beyond what its pieces cost with the best one, in seconds: of its time,
    /// the part by which it was dearer.
    fn excess(&self, spent: &Sample, lowest: f64, time_per_piece: f64) -> f64 {
        let by_score =
            self.terms.objective.score(spent).map(|score| spent.time * (1.0 - lowest / score));
        by_score.unwrap_or(spent.time - spent.pieces as f64 * time_per_piece).max(0.0)
    }

    /// Workers have come: what could not be tried before can be.
    pub(super) fn add_possible(&mut self) {
        let ProfilerPhase::Profiling(profile) = &self.phase else { return };
        if profile.is_final {
            return;
        }
        let in_trial = profile.trial.as_ref().map(|trial| trial.number);
        let is_new = |&number: &usize| {
            let record = &self.records[number];
            Some(number) != in_trial
                && record.sample.is_none()
                && !record.cut
                && !profile.to_try.contains(&number)
        };
        let new: Vec<usize> = (0..self.records.len()).filter(is_new).collect();
        self.profile().to_try.extend(new);
    }

    /// Workers have gone: what cannot be tried any more is not.
    pub(super) fn drop_impossible(&mut self, now: f64, workers: &WorkerTable) {
        self.window = None;
        if self.counts().is_some_and(|counts| self.is_available(counts)) {
            return;
        }
        let moment = Meter::without_figure(now);
        if self.profile().trial.is_some() {
            self.end_trial(moment, None, workers);
        }
        if self.counts().is_some_and(|counts| !self.is_available(counts)) {
            self.use_best_known();
        }
        let ProfilerPhase::Profiling(profile) = &self.phase else { return };
        if !profile.to_try.iter().any(|&number| self.can_use(number)) {
            self.end_stage(moment, workers);
        }
    }
}
