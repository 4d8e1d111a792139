//! Measuring what a piece costs.
//!
//! What counts is *busy* time: while the pool has at least one piece, waiting or in work. Programs
//! that submit a round and wait for all of it are measured by whole rounds, so a worker that keeps
//! a round waiting for its last piece is charged for that; what the program does between two rounds
//! is charged to nobody. A window ends in the middle of a round only if the batches are so short
//! beside it that its end makes no difference. If pieces keep coming and the pool is never without,
//! a window may begin and end anywhere: pieces that are half done at its beginning stand against
//! those half done at its end, and it lasts so much longer than any batch that the difference is
//! small.

/// A moment on the pool's clock, in seconds, and what the meter of energy says then.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moment {
    pub(super) at: f64,
    pub(super) joules: Option<f64>,
}

/// What was measured of one configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    /// Busy seconds.
    pub(super) time: f64,
    /// `None`: not known for all of the time.
    pub(super) joules: Option<f64>,
    pub(super) pieces: u64,
    /// How often the pool has become quiet.
    pub(super) rounds: u64,
}

impl Sample {
    pub(super) const NOTHING: Self = Self { time: 0.0, joules: Some(0.0), pieces: 0, rounds: 0 };

    pub(super) fn time_per_piece(&self) -> Option<f64> {
        (self.pieces > 0).then(|| self.time / self.pieces as f64)
    }

    /// Work takes energy: a meter that has stood still meanwhile has no figure of it.
    pub(super) fn joules_per_piece(&self) -> Option<f64> {
        let joules = self.joules.filter(|joules| *joules > 0.0 && self.pieces > 0)?;
        Some(joules / self.pieces as f64)
    }

    pub(super) fn pieces_per_round(&self) -> Option<f64> {
        (self.rounds > 0).then(|| self.pieces as f64 / self.rounds as f64)
    }

    pub(super) fn time_per_round(&self) -> Option<f64> {
        (self.rounds > 0).then(|| self.time / self.rounds as f64)
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            time: self.time + other.time,
            joules: self.joules.zip(other.joules).map(|(one, other)| one + other),
            pieces: self.pieces + other.pieces,
            rounds: self.rounds + other.rounds,
        }
    }

    fn with_stretch(mut self, from: Moment, to: Moment) -> Self {
        self.time += to.at - from.at;
        self.joules = match (self.joules, from.joules, to.joules) {
            // A meter that goes back has been replaced: no figure.
            (Some(sum), Some(from), Some(to)) if to >= from => Some(sum + to - from),
            _ => None,
        };
        self
    }
}

/// A measurement under way.
#[derive(Debug)]
pub(super) struct Window {
    sample: Sample,
    /// When the present busy stretch has begun.
    since: Option<Moment>,
    /// The longest batch that has ended in it, in seconds.
    longest_batch: f64,
    /// Whether it has begun with a round.
    pub(super) aligned: bool,
}

impl Window {
    pub(super) fn open(now: Moment, aligned: bool) -> Self {
        Self { sample: Sample::NOTHING, since: Some(now), longest_batch: 0.0, aligned }
    }

    /// The pool has become quiet.
    pub(super) fn pause(&mut self, now: Moment) {
        if let Some(since) = self.since.take() {
            self.sample = self.sample.with_stretch(since, now);
            self.sample.rounds += 1;
        }
    }

    /// The pool has work again.
    pub(super) fn resume(&mut self, now: Moment) {
        self.since.get_or_insert(now);
    }

    /// A batch has ended.
    pub(super) fn went(&mut self, pieces: usize, took: f64) {
        self.sample.pieces += pieces as u64;
        self.longest_batch = self.longest_batch.max(took);
    }

    pub(super) fn pieces(&self) -> u64 {
        self.sample.pieces
    }

    /// Busy seconds up to `now`.
    pub(super) fn time(&self, now: f64) -> f64 {
        self.sample.time + self.since.map_or(0.0, |since| now - since.at)
    }

    /// All up to `now`.
    pub(super) fn sample(&self, now: Moment) -> Sample {
        match self.since {
            Some(since) => self.sample.with_stretch(since, now),
            None => self.sample,
        }
    }

    /// Whether it has lasted so long that what is half done at either end makes no difference.
    pub(super) fn is_steady(&self, now: f64) -> bool {
        self.time(now) >= STEADY_BATCHES * self.longest_batch
    }
}

/// TUNE: how many of the longest batches make a window in the middle of a stream: it is wrong by
/// half a batch of each worker at most on average, so by some 2 %; guessed, and checked in
/// `simulation/tests.rs`.
const STEADY_BATCHES: f64 = 20.0;
