//! What the best configuration is best at, and where energy comes from.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use odeon_sync::contained::quietly;

use super::window::{Moment, Sample};

/// What a balancing pool looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Objective {
    /// The least time for a piece.
    #[default]
    Time,
    /// The least energy for a piece.
    Energy,
    /// The least product of both: what takes half the time may take twice the energy.
    EnergyDelayProduct,
}

impl Objective {
    /// Whether nothing can be decided without a figure of energy.
    pub fn needs_energy(self) -> bool {
        self != Self::Time
    }

    /// What a piece costs, to be compared with what it costs otherwise; `None` without a figure.
    pub(super) fn score(self, sample: &Sample) -> Option<f64> {
        let time = sample.time_per_piece()?;
        match self {
            Self::Time => Some(time),
            Self::Energy => sample.joules_per_piece(),
            Self::EnergyDelayProduct => Some(sample.joules_per_piece()? * time),
        }
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "time",
            Self::Energy => "energy",
            Self::EnergyDelayProduct => "product of energy and time",
        })
    }
}

/// A meter of energy: of the machine, or of those parts of it that count.
///
/// It is read when the pool's work begins and when it is done, so it should answer within
/// microseconds: the pool's queue waits for it. What it asks of the pool itself meanwhile happens
/// when it has answered, so it must not wait for that; of a report nothing can come: asked for one,
/// the pool panics. A source that panics is not read any more. A function is a source, too: of a
/// meter that is up to date whenever it is read.
pub trait EnergySource: Send + 'static {
    /// Joules since some fixed moment; never goes back. `None`: there is no figure, and none is
    /// guessed.
    fn joules(&mut self) -> Option<f64>;

    /// How often the figure is brought up to date, at the slowest; it is asked for once. With an
    /// objective that needs energy each configuration is measured for twenty of these at least, so
    /// that what is drawn in one of them makes little difference. Default: zero.
    fn period(&self) -> Duration {
        Duration::ZERO
    }
}

impl<F: FnMut() -> Option<f64> + Send + 'static> EnergySource for F {
    fn joules(&mut self) -> Option<f64> {
        self()
    }
}

/// TUNE: how many periods of the source make a window: the last one may be missing, and the one
/// before the first be in it, so the figure is off by some 5 %; guessed, and checked in
/// `simulation/tests.rs`.
const PERIODS: f64 = 20.0;

/// The source, if there is one.
pub(super) struct Meter {
    source: Option<Box<dyn EnergySource>>,
    reading: Arc<Reading>,
    /// How many seconds it takes until its figures say something.
    pub(super) least_window: f64,
}

/// Who reads the source at this moment: a thread that has the lock of the distributor.
#[derive(Default)]
pub(super) struct Reading(Mutex<Option<ThreadId>>);

impl Reading {
    fn set(&self, thread: Option<ThreadId>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = thread;
    }

    /// Whether the present thread does.
    pub(super) fn is_here(&self) -> bool {
        let reader = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reader.is_some_and(|reader| reader == thread::current().id())
    }
}

impl Meter {
    pub(super) fn new(source: Option<Box<dyn EnergySource>>) -> Self {
        let period = source.as_ref().and_then(|source| quietly(|| source.period()));
        let least_window = PERIODS * period.unwrap_or_default().as_secs_f64();
        Self { source, reading: Arc::default(), least_window }
    }

    pub(super) fn reading(&self) -> Arc<Reading> {
        self.reading.clone()
    }

    /// The moment `at`, without looking.
    pub(super) fn without_figure(at: f64) -> Moment {
        Moment { at, joules: None }
    }

    /// Whether it has a figure at this moment.
    pub(super) fn reads(&mut self) -> bool {
        self.at(0.0).joules.is_some()
    }

    /// The moment `at`, with its figure. A source that panics has none, then and later.
    pub(super) fn at(&mut self, at: f64) -> Moment {
        let Some(source) = &mut self.source else { return Moment { at, joules: None } };
        self.reading.set(Some(thread::current().id()));
        let joules = quietly(|| source.joules());
        self.reading.set(None);
        if joules.is_none() {
            // Its destructor, a user's, is not to run under the lock.
            std::mem::forget(self.source.take());
        }
        Moment { at, joules: joules.flatten().filter(|joules| joules.is_finite()) }
    }
}
