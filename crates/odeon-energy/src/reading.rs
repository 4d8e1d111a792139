//! What a run has taken.

use crate::domain::Domain;
use crate::{Estimate, Figure};
use std::fmt;
use std::time::Duration;

/// What a run has taken, as a [`Gauge`](crate::Gauge) has measured it.
///
/// Shown, it is a table for people.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    /// How long it took.
    pub elapsed: Duration,
    /// What each domain has taken.
    pub parts: Vec<Part>,
}

/// What one domain has taken.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Part {
    /// Which one.
    pub domain: Domain,
    /// J; without what the domain takes when idle if the gauge subtracts that. Then it may come out
    /// below 0, as far as it may be off.
    pub joules: Figure,
}

impl Reading {
    /// J of all domains together.
    ///
    /// # Errors
    /// If one of them is unavailable, or nothing is covered.
    pub fn joules(&self) -> Figure {
        self.joules_of(|_| true)
    }

    /// J of the packages and their memory.
    ///
    /// # Errors
    /// As [`joules`](Self::joules).
    pub fn processor_joules(&self) -> Figure {
        self.joules_of(Domain::is_processor)
    }

    /// J of the devices.
    ///
    /// # Errors
    /// As [`joules`](Self::joules).
    pub fn device_joules(&self) -> Figure {
        self.joules_of(Domain::is_device)
    }

    /// J of those domains together that `chosen` says.
    ///
    /// # Errors
    /// As [`joules`](Self::joules).
    pub fn joules_of(&self, chosen: impl Fn(&Domain) -> bool) -> Figure {
        let parts = self.parts.iter().filter(|part| chosen(&part.domain));
        Estimate::sum(parts.map(|part| part.joules.clone()))
    }

    /// The average power of all domains together, in W.
    ///
    /// # Errors
    /// As [`joules`](Self::joules).
    pub fn watts(&self) -> Figure {
        self.joules()?.over(self.elapsed)
    }

    /// J for each of `count` things that were done.
    ///
    /// # Errors
    /// As [`joules`](Self::joules), and if nothing was done.
    pub fn per(&self, count: u64) -> Figure {
        self.joules()?.per(count)
    }

    /// Energy times time, in Js: what is low only if both are.
    ///
    /// # Errors
    /// As [`joules`](Self::joules).
    pub fn energy_delay_product(&self) -> Figure {
        Ok(self.joules()?.times(self.elapsed.as_secs_f64()))
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widest = self.parts.iter().map(|part| part.domain.name.chars().count()).max();
        let width = widest.unwrap_or(0).max("together".len());
        for Part { domain, joules } in &self.parts {
            match joules {
                Ok(joules) => writeln!(f, "{:width$}  {joules} J", domain.name)?,
                Err(why) => writeln!(f, "{:width$}  {why}", domain.name)?,
            }
        }
        match (self.joules(), self.watts()) {
            (Ok(joules), Ok(watts)) => {
                let seconds = self.elapsed.as_secs_f64();
                write!(f, "{:width$}  {joules} J in {seconds:.3} s: {watts:.1} W", "together")
            }
            (Err(why), _) | (_, Err(why)) => write!(f, "{:width$}  {why}", "together"),
        }
    }
}
