//! The seam between counters and what is made of them.

use crate::domain::Domain;
use crate::unavailable::{Cause, Unavailable};

/// Counts the energy of some parts of the machine, each joule once.
///
/// ```
/// use odeon_energy::{Count, Domain, DomainKind, Meter, Unavailable};
/// use std::time::{Duration, Instant};
///
/// /// A board that always draws 5 W.
/// struct Steady { since: Instant, domains: [Domain; 1] }
///
/// impl Meter for Steady {
///     fn domains(&self) -> &[Domain] { &self.domains }
///     fn count(&mut self, _: usize) -> Result<Count, Unavailable> {
///         Ok(Count { joules: 5.0 * self.since.elapsed().as_secs_f64(), run: 0 })
///     }
/// }
///
/// let board = Domain::new(DomainKind::Platform, "board", 0.0, Duration::ZERO, 5.0);
/// let mut meter = Steady { since: Instant::now(), domains: [board] };
/// let before = meter.joules()?;
/// assert!(meter.joules()? >= before);
/// # Ok::<(), Unavailable>(())
/// ```
pub trait Meter: Send {
    /// What is counted; always the same.
    fn domains(&self) -> &[Domain];

    /// What the counter of the domain with this index has come to.
    ///
    /// # Errors
    /// If it cannot be read; [`Cause::Interrupted`](crate::Cause::Interrupted) if energy may have
    /// gone by uncounted since the last time: from then on the count goes on as another run.
    ///
    /// # Panics
    /// If there is no such domain.
    fn count(&mut self, domain: usize) -> Result<Count, Unavailable>;

    /// Joules of all domains together, since some moment: a number that never goes down.
    ///
    /// For whoever wants the energy between two calls as one number, such as
    /// `move || meter.joules().ok()` as the source of a policy. After an error the difference to an
    /// earlier number says nothing; [`Gauge`](crate::Gauge) minds that, and tells the error bounds
    /// too.
    ///
    /// # Errors
    /// If one of them cannot be read, or there are none.
    fn joules(&mut self) -> Result<f64, Unavailable> {
        if self.domains().is_empty() {
            return Err(Unavailable::new(Cause::NotMeasured, "no counter covers it"));
        }
        (0..self.domains().len()).map(|domain| Ok(self.count(domain)?.joules)).sum()
    }
}

/// What a counter has come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Count {
    /// Joules since some moment.
    pub joules: f64,
    /// Counts of different runs have nothing to do with each other: in between energy may have gone
    /// by uncounted.
    pub run: u64,
}

impl<M: Meter + ?Sized> Meter for Box<M> {
    fn domains(&self) -> &[Domain] {
        (**self).domains()
    }

    fn count(&mut self, domain: usize) -> Result<Count, Unavailable> {
        (**self).count(domain)
    }
}
