//! From counters to the joules of a run.

use crate::domain::Domain;
use crate::idle::{Idle, IdlePower};
use crate::meter::{Count, Meter};
use crate::reading::{Part, Reading};
use crate::unavailable::{Cause, Unavailable};
use crate::{Estimate, Figure};
use odeon_core::{Clock, SystemClock};
use std::sync::Arc;
use std::time::Duration;

/// Measures what a run takes.
///
/// ```
/// use odeon_energy::{Gauge, Machine};
///
/// let mut gauge = Gauge::new(Machine::look().meter);
/// let (sum, reading) = gauge.measure(|| (0..1_000_000_u64).sum::<u64>());
/// match reading.joules() {
///     Ok(joules) => println!("{sum}: {joules} J, by {}", joules.source),
///     Err(why) => println!("{sum}: energy is {why}"),
/// }
/// ```
///
/// # What is measured
///
/// All that the domains of the meter draw meanwhile, whoever causes it: other programs too.
/// [`Attribution`](crate::Attribution) takes them apart.
///
/// # How far off it may be
///
/// A counter is brought up to date once in a period ([`Domain::updated_every`]). What was drawn in
/// the last one may be missing, what was drawn in the one before the beginning may come in: so each
/// domain is off by [`Domain::error_joules`] at most, its peak power times that period and one step
/// of the counter; above, also by what is drawn while the counters are read. A run of a second at
/// half the peak is known to 0.3 % by counters of processors (1.1 ms), to 20 % by those of GPUs
/// (100 ms). [`Estimate::low`] and [`Estimate::high`] say it in joules.
pub struct Gauge<M> {
    meter: M,
    clock: Arc<dyn Clock>,
    idle: IdlePower,
}

/// A measurement that has begun. Several may be under way at once.
#[must_use]
pub struct Span {
    counts: Vec<Result<Count, Unavailable>>,
    /// Before the first counter was read, and after the last.
    from: Duration,
    to: Duration,
}

impl<M: Meter> Gauge<M> {
    /// By the system's clock; idle power is included.
    pub fn new(meter: M) -> Self {
        Self::with_clock(meter, Arc::new(SystemClock::default()))
    }

    /// By this clock.
    pub fn with_clock(meter: M, clock: Arc<dyn Clock>) -> Self {
        Self { meter, clock, idle: IdlePower::Include }
    }

    /// What is done about idle power from here on.
    pub fn set_idle_power(&mut self, idle: IdlePower) {
        self.idle = idle;
    }

    /// The meter.
    pub fn meter(&mut self) -> &mut M {
        &mut self.meter
    }

    /// Begins to measure.
    pub fn start(&mut self) -> Span {
        let from = self.clock.now();
        let mut counts = self.counts();
        for (domain, count) in counts.iter_mut().enumerate() {
            // What went by uncounted went by before: from here on it is counted.
            if count.as_ref().is_err_and(|why| why.cause() == &Cause::Interrupted) {
                *count = self.meter.count(domain);
            }
        }
        Span { counts, from, to: self.clock.now() }
    }

    /// What was taken since `span` began, which goes on.
    pub fn look(&mut self, span: &Span) -> Reading {
        self.read(span, &self.idle.clone())
    }

    /// What was taken since `span` began.
    pub fn stop(&mut self, span: Span) -> Reading {
        self.look(&span)
    }

    /// What `run` takes.
    pub fn measure<R>(&mut self, run: impl FnOnce() -> R) -> (R, Reading) {
        let span = self.start();
        let returned = run();
        (returned, self.stop(span))
    }

    /// What the machine draws for nothing: `wait` waits for as long as it is told while the
    /// program, and all others, do nothing.
    ///
    /// ```
    /// use odeon_energy::{Gauge, IdlePower, Machine};
    /// use std::time::Duration;
    ///
    /// let mut gauge = Gauge::new(Machine::look().meter);
    /// let idle = gauge.measure_idle(Duration::from_millis(20), std::thread::sleep);
    /// gauge.set_idle_power(IdlePower::Subtract(idle));
    /// ```
    pub fn measure_idle(&mut self, how_long: Duration, wait: impl FnOnce(Duration)) -> Idle {
        let span = self.start();
        wait(how_long);
        Idle::from(&self.read(&span, &IdlePower::Include))
    }

    fn counts(&mut self) -> Vec<Result<Count, Unavailable>> {
        (0..self.meter.domains().len()).map(|domain| self.meter.count(domain)).collect()
    }

    fn read(&mut self, span: &Span, idle: &IdlePower) -> Reading {
        let from = self.clock.now();
        let counts = self.counts();
        let to = self.clock.now();
        let elapsed = from.saturating_sub(span.to);
        let reading_took =
            span.to.saturating_sub(span.from).saturating_add(to.saturating_sub(from));
        let both = span.counts.iter().zip(counts);
        let parts = self.meter.domains().iter().zip(both).map(|(domain, (before, after))| {
            let joules = difference(domain, before, &after, reading_took);
            Part { domain: domain.clone(), joules: idle.taken_from(domain, joules, elapsed) }
        });
        Reading { elapsed, parts: parts.collect() }
    }
}

fn difference(
    domain: &Domain,
    before: &Result<Count, Unavailable>,
    after: &Result<Count, Unavailable>,
    reading_took: Duration,
) -> Figure {
    let (before, after) = (before.clone()?, after.clone()?);
    if before.run != after.run {
        let why = format!("the counter of {domain} had to begin anew meanwhile");
        return Err(Unavailable::new(Cause::Interrupted, why));
    }
    let error = domain.error_joules();
    let while_reading = domain.peak_watts * reading_took.as_secs_f64();
    Ok(Estimate::new(
        after.joules - before.joules,
        error + while_reading,
        error,
        domain.name.clone(),
    ))
}
