//! What the best configuration is best at, and where energy comes from.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

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
/// It is read when the pool's work begins and when it is done, so it should answer within microseconds: the pool's queue
/// waits for it. A function is a source, too: of a meter that is up to date whenever it is read.
pub trait EnergySource: Send + 'static {
    /// Joules since some fixed moment; never goes back. `None`: there is no figure, and none is guessed.
    fn joules(&mut self) -> Option<f64>;

    /// How often the figure is brought up to date, at the slowest; it is asked for once. With an objective that needs energy each configuration
    /// is measured for twenty of these at least, so that what is drawn in one of them makes little difference. Default: zero.
    fn period(&self) -> Duration {
        Duration::ZERO
    }
}

impl<F: FnMut() -> Option<f64> + Send + 'static> EnergySource for F {
    fn joules(&mut self) -> Option<f64> {
        self()
    }
}

/// TUNE: how many periods of the source make a window: the last one may be missing, and the one before the first be in it, so the figure is
/// off by some 5 %; guessed, and checked in `simulation/tests.rs`.
const PERIODS: f64 = 20.0;

/// The source, if there is one.
pub(super) struct Meter {
    source: Option<Box<dyn EnergySource>>,
    /// How many seconds it takes until its figures say something.
    pub(super) least_window: f64,
}

impl Meter {
    pub(super) fn new(source: Option<Box<dyn EnergySource>>) -> Self {
        let period = source.as_ref().map(|source| {
            catch_unwind(AssertUnwindSafe(|| source.period())).unwrap_or_else(|panic| {
                std::mem::forget(panic);
                Duration::ZERO
            })
        });
        let least_window = PERIODS * period.unwrap_or_default().as_secs_f64();
        Self { source, least_window }
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
        let Ok(joules) = catch_unwind(AssertUnwindSafe(|| source.joules())) else {
            std::mem::forget(self.source.take());
            return Moment { at, joules: None };
        };
        Moment { at, joules: joules.filter(|joules| joules.is_finite()) }
    }
}
