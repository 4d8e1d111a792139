//! Kinds of workers that hold up rounds: whose batches take longer than all others need for a whole
//! round.
//!
//! A batch is not interrupted, so a round lasts as long as the longest batch in it, whatever
//! configuration it is. Where that is seen of a kind, no configuration with it is tried any more in
//! this profile: not only what was measured tells, but what others have done beside it in the same
//! round, so that it holds up one round and not one in each trial.
//!
//! A first batch is no measure: it compiles, connects, fills caches. But it is all that is known of
//! what a second one costs. So that is made at once if it is within what trying may cost anyway,
//! and else when the profile has paid for itself: until then nothing is known of the kind.
//!
//! For the same reason what is measured in the middle of a round says nothing of a configuration
//! whose batches are long beside a round: their end is what they cost.

use super::trials::CUT;
use super::{Profiler, Quota};
use crate::balancing::worker_table::WorkerTable;

/// How many quotas a batch may take that is made only to see how slow it is.
///
/// TUNE: of the work, or of the time that was given, 3 %; guessed 2026-11, and checked in
/// `simulation/tests.rs`.
const MOST_QUOTAS: f64 = 3.0;

/// By which part of a round a batch may last longer, if what is measured in the middle of one is to
/// say what a whole one takes.
///
/// TUNE: a round may be that much longer than was measured; guessed 2026-11, and checked in
/// `simulation/tests.rs`.
const TAIL: f64 = 0.05;

/// What each kind has done since the pool has had work.
#[derive(Debug)]
pub(super) struct Round {
    since: f64,
    /// Pieces, and when the last batch ended.
    kinds: Vec<(u64, f64)>,
}

impl Round {
    pub(super) fn begin(since: f64, kinds: usize) -> Self {
        Self { since, kinds: vec![(0, since); kinds] }
    }

    pub(super) fn went(&mut self, kind: usize, pieces: usize, now: f64) {
        let (done, last) = &mut self.kinds[kind];
        (*done, *last) = (*done + pieces as u64, now);
    }

    fn pieces(&self) -> u64 {
        self.kinds.iter().map(|(pieces, _)| pieces).sum()
    }

    /// How long the others would have taken for all of it, without `kind`: as long as they did for
    /// their part, and in proportion for the rest. `None`: they have done nothing.
    fn without(&self, kind: usize) -> Option<Pace> {
        let others = || self.kinds.iter().enumerate().filter(|(other, _)| *other != kind);
        let done: u64 = others().map(|(_, (pieces, _))| pieces).sum();
        let last = others().map(|(_, (_, last))| *last).fold(self.since, f64::max);
        let piece = (last - self.since) / done as f64;
        (done > 0).then_some(Pace { round: piece * self.pieces() as f64, piece })
    }
}

/// Seconds.
#[derive(Debug, Clone, Copy)]
struct Pace {
    round: f64,
    piece: f64,
}

/// What has been seen of a kind since the last profile began.
#[derive(Debug, Default, Clone)]
pub(super) struct KindTimes {
    shortest_first: Option<f64>,
    /// Of all but first ones.
    shortest: Option<f64>,
    /// What the others did beside it, in the last round in which they did something.
    others: Option<Pace>,
}

/// A batch has ended well.
#[derive(Debug, Clone, Copy)]
pub(in crate::balancing) struct Went {
    pub(in crate::balancing) kind: usize,
    pub(in crate::balancing) pieces: usize,
    /// Seconds.
    pub(in crate::balancing) took: f64,
    /// It was the worker's first one.
    pub(in crate::balancing) is_first: bool,
}

impl KindTimes {
    pub(super) fn went(&mut self, went: &Went) {
        let shortest = if went.is_first { &mut self.shortest_first } else { &mut self.shortest };
        *shortest = Some(shortest.map_or(went.took, |before| before.min(went.took)));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Slow {
    /// By its first batch, and another one is not affordable yet.
    Perhaps,
    /// What works with it is dearer.
    Surely,
}

impl Profiler {
    /// The round is over: what it says of each kind. `true`: it is the first one, and what was
    /// measured in the middle of it says too little.
    pub(super) fn look_at_round(&mut self, now: f64) -> bool {
        let Some(round) = &self.round else { return false };
        for (kind, seen) in self.seen.iter_mut().enumerate() {
            seen.others = round.without(kind).or(seen.others);
        }
        let last = self.last_round.replace((round.pieces(), now - round.since));
        let in_the_middle =
            |number: usize| self.records[number].sample.is_some_and(|sample| sample.rounds == 0);
        last.is_none()
            && (0..self.seen.len())
                .any(|kind| self.shortest_batch(kind).is_some_and(|batch| self.is_long(batch)))
            && self.usable().any(in_the_middle)
    }

    /// Whether what is measured need not end with a round: there are none, or batches are so short
    /// that it makes no difference.
    pub(super) fn is_midst_good(&self, counts: Option<&[usize]>, workers: &WorkerTable) -> bool {
        let (pieces, last) = (self.round.as_ref().map_or(0, Round::pieces), self.last_round);
        if last.is_some_and(|(last, _)| pieces > 2 * last) {
            return true;
        }
        let counts = counts.unwrap_or(&self.present).iter().enumerate();
        let mut working = counts.filter(|(_, count)| **count > 0).map(|(kind, _)| kind);
        working.all(|kind| match self.shortest_batch(kind) {
            Some(batch) => !self.is_long(batch),
            // Who always fails is not waited for.
            None => workers.tally(kind).failures > 0,
        })
    }

    fn is_long(&self, batch: f64) -> bool {
        self.last_round.is_some_and(|(_, time)| batch > TAIL * time)
    }

    /// Its shortest batch; `None`: none has ended.
    fn shortest_batch(&self, kind: usize) -> Option<f64> {
        self.seen[kind].shortest.or(self.seen[kind].shortest_first)
    }

    /// Whether it is not to be tried, or tried on, because a kind that works in it holds up rounds.
    /// What is surely dearer is marked so.
    pub(super) fn is_held_up(&mut self, number: usize, workers: &WorkerTable) -> bool {
        // With another objective what is slow may be good.
        if self.terms.objective.needs_energy() || self.records[number].sample.is_some() {
            return false;
        }
        let slow: Vec<Option<Slow>> = (0..self.present.len()).map(|kind| self.slow(kind)).collect();
        let of = |number: usize| {
            let counts = self.configurations[number].iter().zip(&slow);
            let worst = counts.filter_map(|(&count, &slow)| slow.filter(|_| count > 0)).max();
            worst.or_else(|| self.is_too_long(number, workers).then_some(Slow::Surely))
        };
        let Some(how) = of(number) else { return false };
        let has_others = self.usable().any(|other| !self.records[other].cut && of(other).is_none());
        if has_others && how == Slow::Surely {
            self.records[number].cut = true;
        }
        has_others
    }

    /// Whether its workers are dearer by how fast they have been, and not one of them has batches
    /// that are affordable to see whether that stays so with more pieces in a batch: nothing else
    /// is done meanwhile.
    fn is_too_long(&self, number: usize, workers: &WorkerTable) -> bool {
        let piece = self.best().and_then(|(best, _)| self.records[best].sample?.time_per_piece());
        let Some(piece) = piece else { return false };
        let working = self.configurations[number].iter().enumerate();
        let working = || working.clone().filter(|(_, count)| **count > 0);
        let is_long =
            |kind| workers.longest_batch(kind).is_some_and(|batch| batch > self.affordable(piece));
        let paces =
            working().map(|(kind, &count)| Some(count as f64 * workers.tally(kind).pace()?));
        let together: Option<f64> = paces.sum();
        working().all(|(kind, _)| is_long(kind))
            && together.is_some_and(|together| together * piece * CUT < 1.0)
    }

    /// How long a batch may take that only shows how slow it is, if a `piece` takes so long else.
    /// Seconds.
    fn affordable(&self, piece: f64) -> f64 {
        let quota = match self.terms.quota {
            Quota::Pieces(pieces) => pieces as f64 * piece,
            Quota::Time(time) => time,
        };
        MOST_QUOTAS * quota
    }

    fn slow(&self, kind: usize) -> Option<Slow> {
        let seen = &self.seen[kind];
        let batch = self.shortest_batch(kind)?;
        let without = [self.best_pace(), seen.others].into_iter().flatten();
        let without = without.min_by(|one, other| one.round.total_cmp(&other.round))?;
        if batch <= CUT * without.round {
            return None;
        }
        match seen.shortest {
            Some(_) => Some(Slow::Surely),
            None => (batch > self.affordable(without.piece)).then_some(Slow::Perhaps),
        }
    }

    /// What the best one so far takes, if it works in rounds.
    fn best_pace(&self) -> Option<Pace> {
        let sample = self.records[self.best()?.0].sample?;
        Some(Pace { round: sample.time_per_round()?, piece: sample.time_per_piece()? })
    }

    pub(super) fn is_in_rounds(&self) -> bool {
        self.best_pace().is_some()
    }
}
