//! What a machine draws for nothing.

use crate::domain::Domain;
use crate::reading::Reading;
use crate::unavailable::{Cause, Unavailable};
use crate::{Estimate, Figure};
use std::time::Duration;

/// Whether what a machine draws when idle counts as drawn by a run. Both are right answers, to
/// different questions.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum IdlePower {
    /// It counts: what the run takes of a machine that is there for it.
    #[default]
    Include,
    /// It does not count: what the run takes beyond what the machine would have taken anyhow. Idle
    /// power is taken as measured; that it is the same during the run is an assumption (a warm chip
    /// draws more when idle than a cold one).
    Subtract(Idle),
}

/// Idle power, as measured: [`Gauge::measure_idle`](crate::Gauge::measure_idle).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Idle {
    /// How long it was measured.
    pub over: Duration,
    /// W of each domain.
    pub watts: Vec<(Domain, Figure)>,
}

impl From<&Reading> for Idle {
    /// Of a run in which nothing happened.
    fn from(reading: &Reading) -> Self {
        let watts = reading.parts.iter().map(|part| {
            let joules = part.joules.clone();
            (part.domain.clone(), joules.and_then(|joules| joules.over(reading.elapsed)))
        });
        Self { over: reading.elapsed, watts: watts.collect() }
    }
}

impl Estimate {
    /// W, if this is J.
    ///
    /// # Errors
    /// [`Cause::NotMeasured`] if it took no time.
    pub fn over(&self, elapsed: Duration) -> Figure {
        if elapsed.is_zero() {
            let why = "no time has passed between the two readings";
            return Err(Unavailable::new(Cause::NotMeasured, why));
        }
        Ok(self.times(1.0 / elapsed.as_secs_f64()))
    }
}

impl IdlePower {
    /// What counts of what `domain` has taken.
    pub(crate) fn taken_from(&self, domain: &Domain, joules: Figure, elapsed: Duration) -> Figure {
        let Self::Subtract(idle) = self else { return joules };
        let watts = idle.watts.iter().find(|(of, _)| of.name == domain.name);
        let (_, watts) = watts.ok_or_else(|| {
            let why = format!("the idle power of {domain} was not measured");
            Unavailable::new(Cause::NotMeasured, why)
        })?;
        Ok(joules?.minus(&watts.clone()?.times(elapsed.as_secs_f64())))
    }
}
