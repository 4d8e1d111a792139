//! All that a run of `odeon bench scale` found out.

use crate::ScaleLoad;
use crate::calibration::Calibration;
use crate::extrapolation::Extrapolated;
use crate::law::{Fit, NoFit, fit};
use crate::locks::{CountedLocks, LockLine, uses};
use crate::measurements::Measurements;
use crate::serial_demand::SerialDemand;
use crate::way::CONCURRENT;

/// See the module.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// What was measured.
    pub measured: Measurements,
    /// The law of a concurrent actor, with each load.
    pub fits: Vec<(ScaleLoad, Result<Fit, NoFit>)>,
    /// Of the simulation; why there is none; nothing if none was asked for.
    pub calibration: Option<Result<Calibration, String>>,
    /// Simulated, all of it.
    pub extrapolated: Vec<Extrapolated>,
    /// Counted in this run, or in another one.
    pub locks: CountedLocks,
    /// Of the board's lock, in a build that counts; why that is not known; nothing if this build or
    /// this run does not ask.
    pub demand: Option<Result<SerialDemand, String>>,
}

/// The law of a concurrent actor, with each load that one was measured with.
pub fn fits(measured: &Measurements, seed: u64) -> Vec<(ScaleLoad, Result<Fit, NoFit>)> {
    let of_load = |load: ScaleLoad| {
        let course = measured.course(CONCURRENT, load);
        (!course.is_empty()).then(|| (load, fit(&course, seed)))
    };
    measured.loads().into_iter().filter_map(of_load).collect()
}

/// What this run has counted of its locks, by mode, workers and load.
pub fn counted(measured: &Measurements, clock_ns: f64) -> CountedLocks {
    let of_point = measured.points.iter().flat_map(|point| {
        uses(&point.locks, point.messages, clock_ns).into_iter().map(|lock| LockLine {
            what: "lock".to_owned(),
            mode: point.way.to_string(),
            workers: point.workers,
            load: point.load,
            lock,
        })
    });
    CountedLocks(of_point.collect())
}
