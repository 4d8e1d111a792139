//! Which configuration a pool works with: tries them with real work, uses the best one, and looks
//! whether that stays so.
//!
//! Knows no pieces, threads or clocks: it is told what happens, and when, and says who may work
//! ([`Profiler::counts`]). After the thesis, section 6.4, which profiles once at the start; the
//! rest is what it names as future work.
//!
//! 1. *Sieve.* Each configuration works for a quarter of its quota. What is clearly dearer than the
//!    best one so far is cut off before that (`trials.rs`).
//! 2. *Final.* Those that are near the best one work for a whole quota. The best is used from then
//!    on.
//! 3. *Settled.* What a piece costs is measured on. If it changes, or the size of rounds, all is
//!    profiled again; and from time to time if nothing has changed, because what others would cost
//!    cannot be seen (`settled.rs`).
//! 4. *Losses.* What was cut off was so by the best one. If that cannot be used any more, because
//!    workers are lost, and all that is left was cut off, those that are left are profiled at once;
//!    what is known of the others stays for when the workers come back.
//! 5. *Hold-ups.* Kinds whose batches take longer than the others need for a whole round are left
//!    out as soon as one round has shown it (`stragglers.rs`).
//!
//! Why a long run is at most 5 % slower than with the best single configuration, if its load stays
//! the same for long enough:
//!
//! * A profile has an *excess*: the time that its trials took beyond what their pieces cost with
//!   the best one. After a profile that cost `E` there is none for at least `50 E` of busy time, so
//!   all excesses but the last one are 2 % of the time ([`Terms::share`]).
//! * The last, or only, excess `E` is bounded by the quotas: a configuration `x` times as dear as
//!   the best one costs at most a quarter of a quota, and one batch of its workers, if it is cut
//!   off; else (`x` below 1.5) half of the quota of the sieve, and for finalists (`x` below 1.25) a
//!   quarter of a quota. Of a kind that holds up rounds that is its first batch, and a second one
//!   if it takes three quotas at most. The quotas of all together are 10 % of the work or the time
//!   that was given.
//! * The chosen one is the best up to the error of windows, some 2 %, of those that were in the
//!   final.
//! * After a change of the load the old one is used until two windows have shown it, and until
//!   `50 E` have passed.

mod settled;
mod stragglers;
mod trials;

use std::sync::Arc;

use super::objective::{Meter, Objective, Reading};
use super::window::{Moment, Sample, Window};
use super::worker_table::WorkerTable;
use settled::Settled;
use stragglers::{KindTimes, Round};
use trials::Profile;

pub(super) use stragglers::Went;

/// What a program has decided about profiling.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    pub(super) objective: Objective,
    pub(super) quota: Quota,
    /// By which part what a piece costs may change before that counts as a change.
    pub(super) hysteresis: f64,
    /// The part of the time that profiling may cost.
    pub(super) share: f64,
}

/// For how long each configuration is tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Quota {
    Pieces(u64),
    /// Busy seconds.
    Time(f64),
}

impl Quota {
    fn quarter(self) -> Self {
        match self {
            Self::Pieces(pieces) => Self::Pieces(pieces.div_ceil(4)),
            Self::Time(time) => Self::Time(time / 4.0),
        }
    }

    fn is_reached(self, window: &Window, now: f64) -> bool {
        match self {
            Self::Pieces(pieces) => window.pieces() >= pieces.max(1),
            Self::Time(time) => window.time(now) >= time && window.pieces() > 0,
        }
    }
}

/// What is known of one configuration.
#[derive(Debug, Clone, Default)]
pub(super) struct ConfigurationRecord {
    /// What was measured in the present profile, or the last one.
    pub(super) sample: Option<Sample>,
    /// It was cut off: it costs more than the best one, and how much is not known.
    pub(super) cut: bool,
    /// What was measured most recently, also since.
    pub(super) latest: Option<Sample>,
}

/// See the header.
pub(super) struct Profiler {
    configurations: Vec<Vec<usize>>,
    records: Vec<ConfigurationRecord>,
    terms: Terms,
    meter: Meter,
    /// Workers of each kind that are there.
    present: Vec<usize>,
    /// `None`: everybody works.
    in_use: Option<usize>,
    phase: ProfilerPhase,
    /// What is measured of the configuration in use, if it can be.
    window: Option<Window>,
    busy_since: Option<f64>,
    /// Since then; the last one, if the pool has no work.
    round: Option<Round>,
    /// Pieces, and busy seconds.
    last_round: Option<(u64, f64)>,
    /// By kind.
    seen: Vec<KindTimes>,
    busy_before: f64,
    profilings: u64,
    /// Of the last profile, in busy seconds.
    last_excess: f64,
    last_length: f64,
    asked: bool,
}

enum ProfilerPhase {
    /// Workers are being made.
    Gathering,
    Profiling(Box<Profile>),
    Settled(Settled),
}

impl Profiler {
    /// `configurations`: at least one, the one to be tried first at the beginning.
    pub(super) fn new(configurations: Vec<Vec<usize>>, terms: Terms, meter: Meter) -> Self {
        Self {
            records: vec![ConfigurationRecord::default(); configurations.len()],
            present: vec![0; configurations[0].len()],
            terms,
            meter,
            in_use: None,
            phase: ProfilerPhase::Gathering,
            window: None,
            busy_since: None,
            round: None,
            last_round: None,
            seen: vec![KindTimes::default(); configurations[0].len()],
            busy_before: 0.0,
            profilings: 0,
            last_excess: 0.0,
            last_length: 0.0,
            asked: false,
            configurations,
        }
    }

    /// Who reads its meter.
    pub(super) fn reading(&self) -> Arc<Reading> {
        self.meter.reading()
    }

    /// The configuration in use; `None`: everybody works.
    pub(super) fn counts(&self) -> Option<&[usize]> {
        self.in_use.map(|number| &*self.configurations[number])
    }

    pub(super) fn configurations(&self) -> impl Iterator<Item = (&[usize], &ConfigurationRecord)> {
        self.configurations.iter().map(Vec::as_slice).zip(&self.records)
    }

    pub(super) fn is_profiling(&self) -> bool {
        !matches!(self.phase, ProfilerPhase::Settled(_))
    }

    pub(super) fn profilings(&self) -> u64 {
        self.profilings
    }

    pub(super) fn is_available(&self, counts: &[usize]) -> bool {
        counts.iter().zip(&self.present).all(|(count, present)| count <= present)
    }

    /// Has all configurations tried again, at once.
    pub(super) fn ask(&mut self, now: f64, workers: &WorkerTable) {
        self.asked = true;
        if let ProfilerPhase::Settled(_) = self.phase {
            self.begin_profile(now, workers);
        }
    }

    /// The pool has work again.
    pub(super) fn begun(&mut self, now: f64, workers: &WorkerTable) {
        self.busy_since = Some(now);
        self.round = Some(Round::begin(now, self.present.len()));
        let moment = self.meter.at(now);
        if let Some(window) = &mut self.window {
            window.resume(moment);
        }
        match &mut self.phase {
            ProfilerPhase::Gathering => {}
            ProfilerPhase::Profiling(profile) => match &mut profile.trial {
                Some(trial) => {
                    trial.whole.resume(moment);
                    if self.window.is_none() {
                        // A round has gone by since it began, so whoever gets to work in a round
                        // has.
                        self.open_window(moment, true);
                    }
                }
                None => self.begin_trial(moment, true, workers),
            },
            ProfilerPhase::Settled(_) => {
                self.window.get_or_insert_with(|| Window::open(moment, true));
            }
        }
    }

    /// A batch of a worker has ended well. It comes before [`quiet`](Self::quiet) if it was the
    /// last one.
    pub(super) fn went(&mut self, went: Went, now: f64, workers: &WorkerTable) {
        if let Some(window) = &mut self.window {
            window.went(went.pieces, went.took);
        }
        if let Some(round) = &mut self.round {
            round.went(went.kind, went.pieces, now);
        }
        self.seen[went.kind].went(&went);
        if let ProfilerPhase::Profiling(profile) = &mut self.phase {
            profile.went(&went);
        }
        self.look(now, workers);
    }

    /// The pool has no piece any more.
    pub(super) fn quiet(&mut self, now: f64, workers: &WorkerTable) {
        let moment = self.meter.at(now);
        self.busy_before = self.busy_at(now);
        self.busy_since = None;
        if let Some(window) = &mut self.window {
            window.pause(moment);
        }
        if let ProfilerPhase::Profiling(profile) = &mut self.phase {
            profile.between = None;
            if let Some(trial) = &mut profile.trial {
                trial.whole.pause(moment);
            }
        }
        if self.look_at_round(now) {
            self.begin_profile(now, workers);
            return;
        }
        if self.give_up_if_held_up(now, workers) {
            return;
        }
        let Some(window) = &self.window else { return };
        if !window.aligned {
            // The end of a round without its beginning says nothing.
            self.window = None;
        } else if self.is_enough(window, now) && self.has_given_all_a_chance() {
            self.close(moment, workers);
        }
    }

    /// A worker is lost: what was being measured is not what is looked for.
    pub(super) fn disturbed(&mut self) {
        self.window = None;
    }

    /// Other workers are there than before.
    pub(super) fn staffed(&mut self, now: f64, workers: &WorkerTable) {
        let before = std::mem::replace(&mut self.present, workers.present());
        let more = before.iter().zip(&self.present).any(|(before, now)| now > before);
        match &mut self.phase {
            ProfilerPhase::Gathering if workers.is_complete() => self.begin_profile(now, workers),
            ProfilerPhase::Gathering => {}
            ProfilerPhase::Profiling(_) if more => self.add_possible(),
            ProfilerPhase::Profiling(_) => self.drop_impossible(now, workers),
            ProfilerPhase::Settled(_) => {
                self.window = None;
                self.use_best_known();
                if self.in_use.is_none() {
                    // What is known of those that cannot be used stays: its workers may come back.
                    self.forget(Self::can_use);
                    self.try_all(now, workers);
                } else {
                    self.look(now, workers);
                }
            }
        }
    }

    /// Whether something is to be decided because time has passed: as [`went`](Self::went), without
    /// one.
    pub(super) fn look(&mut self, now: f64, workers: &WorkerTable) {
        match &self.phase {
            ProfilerPhase::Gathering => {}
            ProfilerPhase::Profiling(_) => self.look_at_trial(now, workers),
            ProfilerPhase::Settled(_) => self.look_at_settled(now, workers),
        }
    }

    /// When it wants to [`look`](Self::look) although nothing has happened.
    pub(super) fn next_look(&self) -> Option<f64> {
        match &self.phase {
            ProfilerPhase::Profiling(profile)
                if self.busy_since.is_some() && self.window.is_some() =>
            {
                profile.next_look()
            }
            _ => None,
        }
    }

    /// Busy seconds of the whole run.
    fn busy_at(&self, now: f64) -> f64 {
        self.busy_before + self.busy_since.map_or(0.0, |since| now - since)
    }

    fn score(&self, number: usize) -> Option<f64> {
        let record = &self.records[number];
        self.terms.objective.score(record.sample.as_ref().filter(|_| !record.cut)?)
    }

    /// The best of those that can be used, of which all that was measured is known.
    fn best(&self) -> Option<(usize, f64)> {
        self.usable()
            .filter_map(|number| Some((number, self.score(number)?)))
            .min_by(|(_, one), (_, other)| one.total_cmp(other))
    }

    /// Whether there are workers for a configuration that has not been tried.
    fn has_unknown(&self) -> bool {
        self.usable().any(|number| {
            let record = &self.records[number];
            record.sample.is_none() && !record.cut
        })
    }

    /// Whether there are workers for it.
    fn can_use(&self, number: usize) -> bool {
        self.is_available(&self.configurations[number])
    }

    /// The configurations that there are workers for.
    fn usable(&self) -> impl Iterator<Item = usize> {
        (0..self.configurations.len()).filter(|&number| self.can_use(number))
    }

    /// The one that takes the least time, of those that can be used: for when no figure of what is
    /// looked for was to be had.
    fn fastest(&self) -> Option<usize> {
        let time = |number: usize| self.records[number].sample?.time_per_piece();
        let timed = self.usable().filter_map(|number| Some((number, time(number)?)));
        timed.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(number, _)| number)
    }

    fn use_best_known(&mut self) {
        let only = || {
            let mut usable = self.usable();
            usable.next().filter(|_| usable.next().is_none())
        };
        self.in_use = self.best().map(|(number, _)| number).or_else(only);
    }

    /// What the window in the present phase is to come to.
    fn quota(&self) -> Quota {
        match &self.phase {
            ProfilerPhase::Profiling(profile) => profile.quota(self.terms.quota),
            _ => self.terms.quota,
        }
    }

    /// Whether a window has come to what it is to come to, and its energy, if that counts, is known
    /// by then.
    fn is_enough(&self, window: &Window, now: f64) -> bool {
        self.quota().is_reached(window, now) && window.time(now) >= self.least_window()
    }

    /// Busy seconds.
    fn least_window(&self) -> f64 {
        if self.terms.objective.needs_energy() { self.meter.least_window } else { 0.0 }
    }

    /// Whether each of those that work can have done something in the present window.
    fn has_given_all_a_chance(&self) -> bool {
        let members: usize = self.counts().map_or(0, |counts| counts.iter().sum());
        self.window.as_ref().is_some_and(|window| window.pieces() >= 2 * members as u64)
    }

    /// The window is over: what it says is used.
    fn close(&mut self, now: Moment, workers: &WorkerTable) {
        let Some(window) = self.window.take() else { return };
        let sample = window.sample(now);
        let Some(number) = self.in_use else {
            // Nothing is compared with anything; but all can be tried, as soon as that is
            // affordable.
            self.profile_again_if_due(now.at, workers);
            return;
        };
        self.records[number].latest = Some(sample);
        match &self.phase {
            ProfilerPhase::Gathering => {}
            ProfilerPhase::Profiling(_) => self.end_trial(now, Some(sample), workers),
            ProfilerPhase::Settled(_) => self.compare(now, sample, workers),
        }
    }
}
