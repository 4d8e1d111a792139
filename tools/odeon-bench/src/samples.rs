//! What one run measured, and all runs of one case together. No sample is ever dropped.

use crate::energy::Joules;
use crate::latency::Latency;
use crate::statistics::Spread;
use odeon_example_run::Timed;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// The measured part of one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// How many operations it did; each workload says what one is.
    pub ops: u64,
    /// How long they took together.
    pub ns: u64,
    /// Highest resident memory of the process that ran it, where the system tells.
    pub peak_rss_kib: Option<u64>,
    /// How fast resident memory grew in the second half, where the run lasts some time and the
    /// system tells.
    pub growth_kib_per_minute: Option<f64>,
    /// Of its operations, where each was timed.
    pub latency: Option<Latency>,
    /// What the machine has taken meanwhile, where the workload looks at that and the machine
    /// tells.
    pub joules: Option<Joules>,
}

impl Measured {
    /// So many operations in this time.
    pub fn new(ops: u64, elapsed: Duration) -> Self {
        let ns = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        Self {
            ops,
            ns,
            peak_rss_kib: None,
            growth_kib_per_minute: None,
            latency: None,
            joules: None,
        }
    }

    /// Measures `work`, which does `ops` operations.
    pub fn time<T>(ops: u64, work: impl FnOnce() -> T) -> (Self, T) {
        let start = Instant::now();
        let outcome = work();
        (Self::new(ops, start.elapsed()), outcome)
    }

    /// As [`time`](Self::time), and looks at the energy too; `work` says how many operations it
    /// did.
    pub fn time_and_energy<T>(work: impl FnOnce() -> (u64, T)) -> (Self, T) {
        let ((mut measured, (ops, outcome)), joules) =
            crate::energy::joules_of(|| Self::time(0, work));
        (measured.ops, measured.joules) = (ops, joules);
        (measured, outcome)
    }

    /// Time of one operation on average.
    pub fn ns_per_op(&self) -> f64 {
        self.ns as f64 / self.ops.max(1) as f64
    }
}

impl From<Timed> for Measured {
    fn from(timed: Timed) -> Self {
        Self::new(timed.ops, timed.elapsed)
    }
}

/// All samples of one case, in the order in which they were taken.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// Operations of one run.
    pub ops: u64,
    /// Time of one operation in each run.
    pub ns_per_op: Vec<f64>,
    /// The highest of all runs.
    pub peak_rss_kib: Option<u64>,
    /// How fast resident memory grew in each run that looked at it.
    #[serde(default)]
    pub growth_kib_per_minute: Vec<f64>,
    /// Of each run that timed single operations.
    #[serde(default)]
    pub latency: Vec<Latency>,
    /// Energy of one operation in each run that looked at it.
    #[serde(default)]
    pub joules_per_op: Vec<f64>,
    /// How far off each of these may be.
    #[serde(default)]
    pub joules_error_per_op: Vec<f64>,
}

impl Samples {
    /// Adds a run.
    pub fn push(&mut self, measured: Measured) {
        self.ops = measured.ops;
        self.ns_per_op.push(measured.ns_per_op());
        self.peak_rss_kib = self.peak_rss_kib.max(measured.peak_rss_kib);
        self.growth_kib_per_minute.extend(measured.growth_kib_per_minute);
        self.latency.extend(measured.latency);
        if let Some(joules) = measured.joules {
            let Joules { value, error } = joules.times(1.0 / measured.ops.max(1) as f64);
            self.joules_per_op.push(value);
            self.joules_error_per_op.push(error);
        }
    }

    /// Smallest, middle and largest time of one operation.
    pub fn spread(&self) -> Spread {
        Spread::of(&self.ns_per_op)
    }

    /// The middle growth of memory, if runs looked at it.
    pub fn median_growth(&self) -> Option<f64> {
        let growth = &self.growth_kib_per_minute;
        (!growth.is_empty()).then(|| Spread::of(growth).median)
    }

    /// The middle energy of one operation, and the middle error, if runs looked at it and the
    /// machine tells.
    pub fn median_joules(&self) -> Option<Joules> {
        let [values, errors] = [&self.joules_per_op, &self.joules_error_per_op];
        let middle = |of: &[f64]| (!of.is_empty()).then(|| Spread::of(of).median);
        Some(Joules { value: middle(values)?, error: middle(errors)? })
    }

    /// The middle of the runs, for both marks, in ns; if runs timed single operations.
    pub fn median_latency(&self) -> Option<(f64, f64)> {
        let middle = |mark: fn(&Latency) -> u32| {
            let marks: Vec<f64> = self.latency.iter().map(|one| f64::from(mark(one))).collect();
            Spread::of(&marks).median
        };
        (!self.latency.is_empty()).then(|| (middle(|one| one.p50_ns), middle(|one| one.p99_ns)))
    }

    /// The middle time of one operation.
    pub fn median(&self) -> f64 {
        self.spread().median
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_keep_everything() {
        let mut samples = Samples::default();
        for (ns, peak) in [(300, Some(10)), (100, Some(30)), (200, None)] {
            let growth_kib_per_minute = peak.map(|peak| peak as f64);
            let latency = peak.map(|peak| Latency { p50_ns: peak as u32, p99_ns: 70 });
            samples.push(Measured {
                ops: 10,
                ns,
                peak_rss_kib: peak,
                growth_kib_per_minute,
                latency,
                joules: peak
                    .map(|peak| Joules { value: peak as f64 / 4.0, error: peak as f64 / 40.0 }),
            });
        }
        assert_eq!(samples.ns_per_op, [30.0, 10.0, 20.0]);
        assert_eq!(samples.median(), 20.0);
        assert_eq!(samples.peak_rss_kib, Some(30));
        assert_eq!(samples.median_growth(), Some(20.0));
        assert_eq!(samples.median_joules(), Some(Joules { value: 0.5, error: 0.05 }));
        assert_eq!(Samples::default().median_joules(), None);
        assert_eq!(samples.median_latency(), Some((20.0, 70.0)));
    }
}
