//! Goes where a message takes less energy, or less energy and time.
//!
//! What the thesis leaves to future work (Hayduk, "Exploiting Concurrency and Heterogeneity for Energy-efficient Computing: An
//! Actor-based Approach", 7.2.2): energy in the decision on how many messages are handled at once.

use super::{HillClimb, Sample, WidthPolicy};
use std::fmt;
use std::time::Duration;

/// What is to be small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Objective {
    /// Joules for each message, however long it takes.
    #[default]
    EnergyPerMessage,
    /// The joules for each message times the time for each message: half the time is worth twice the energy.
    EnergyDelayProduct,
}

/// Tells the joules that were drawn since some moment. Closures do; a meter of `odeon-energy` becomes one by
/// `move || meter.joules().ok()`.
pub trait JouleSource: Send {
    /// A number that never goes down, or `None` when there is none. It is asked in turns of the actor: it should
    /// answer within some 100 us.
    fn joules(&mut self) -> Option<f64>;
}

impl<F: FnMut() -> Option<f64> + Send> JouleSource for F {
    fn joules(&mut self) -> Option<f64> {
        self()
    }
}

/// TUNE: ms, guessed 2026-11: counters of processors are updated about every ms, so that a sample is off by some 3 %, less than what another width
/// must be better by.
const PERIOD: Duration = Duration::from_millis(40);
/// TUNE: guessed 2026-11: samples without a number (or with one) in a row, after which something else decides.
const PATIENCE: u32 = 3;

/// By what a message takes: the width is looked for as by a [`HillClimb`], but for little energy, or little energy and time.
///
/// It measures what its source counts: the joules of the whole machine, say, with all that runs beside the actor. So it is for an actor
/// that does most of what is done. Idle power counts: handled sooner, a message takes less of it.
///
/// If the source gives no numbers, or always the same, the width is decided by throughput, and
/// [`SpeculationStats`](crate::SpeculationStats) says so; when it gives numbers again, they decide again.
///
/// ```
/// use odeon_speculative::{ByEnergy, Objective, Processing};
/// # fn meter() -> impl FnMut() -> Option<f64> + Send { || None }
///
/// // `meter()` returns, say: move || meter.joules().ok()
/// let sparing = Processing::adaptive_with(|| ByEnergy::new(meter(), Objective::EnergyPerMessage));
/// let both = Processing::adaptive_with(|| ByEnergy::new(meter(), Objective::EnergyDelayProduct));
/// ```
pub struct ByEnergy<S> {
    source: S,
    objective: Objective,
    period: Duration,
    climb: HillClimb,
    /// What the source said when the sample began.
    begun: Option<f64>,
    has_numbers: bool,
    /// Samples in a row that speak against that.
    against: u32,
}

impl<S: JouleSource> ByEnergy<S> {
    /// By the numbers of `source`.
    pub fn new(source: S, objective: Objective) -> Self {
        Self {
            source,
            objective,
            period: PERIOD,
            climb: HillClimb::new(),
            begun: None,
            has_numbers: true,
            against: 0,
        }
    }

    /// How long a sample takes at least, 40 ms unless said otherwise: some 20 times what passes between two updates of the
    /// source's counter, or more. For counters of GPUs that is 2 s.
    #[must_use]
    pub fn period(mut self, period: Duration) -> Self {
        self.period = period;
        self
    }

    /// Joules of the sample that ends.
    fn used(&mut self) -> Option<f64> {
        let (begun, ended) = (self.begun?, self.source.joules()?);
        // Work without energy: the counter stands still.
        Some(ended - begun).filter(|used| used.is_finite() && *used > 0.0)
    }

    /// What is had for it: more is better.
    fn merit(&self, sample: &Sample, joules: f64) -> f64 {
        let messages = sample.commits as f64;
        match self.objective {
            Objective::EnergyPerMessage => messages / joules,
            // The root, so that it is as noisy as the others, and the margins of the climb mean the same.
            Objective::EnergyDelayProduct => {
                messages / (joules * sample.elapsed.as_secs_f64()).sqrt().max(1e-12)
            }
        }
    }
}

impl<S: JouleSource> WidthPolicy for ByEnergy<S> {
    fn begins(&mut self) {
        self.begun = self.source.joules();
    }

    fn next(&mut self, sample: &Sample) -> usize {
        let used = self.used();
        if used.is_some() == self.has_numbers {
            self.against = 0;
        } else {
            self.against += 1;
            if self.against == PATIENCE {
                // What was learnt is in the other unit.
                (self.has_numbers, self.against) = (used.is_some(), 0);
                self.climb = HillClimb::new();
            }
        }
        match (self.has_numbers, used) {
            (true, Some(joules)) => {
                let merit = self.merit(sample, joules);
                self.climb.by(merit, sample)
            }
            (true, None) => sample.width,
            (false, _) => self.climb.next(sample),
        }
    }

    fn period(&self) -> Duration {
        self.period
    }

    fn goes_by(&self) -> Option<&'static str> {
        Some(match (self.has_numbers, self.objective) {
            (true, Objective::EnergyPerMessage) => "energy per message",
            (true, Objective::EnergyDelayProduct) => "energy-delay product",
            (false, _) => "throughput: the source of joules gives no numbers",
        })
    }
}

impl<S> fmt::Debug for ByEnergy<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { objective, has_numbers, .. } = self;
        f.debug_struct("ByEnergy")
            .field("objective", objective)
            .field("has_numbers", has_numbers)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
