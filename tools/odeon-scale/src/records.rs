//! Lines of JSON: `what` says what a line is of.

use crate::ScaleLoad;
use crate::calibration::{Calibration, CostsByHandler, LineFrom};
use crate::outcome::Outcome;
use odeon_bench::environment::Machine;
use odeon_bench::error::BenchError;
use odeon_bench::json_lines::JsonLines;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// One case with every sample.
#[derive(Serialize)]
struct PointLine<'a> {
    what: &'static str,
    mode: String,
    workers: usize,
    load: ScaleLoad,
    samples_ns_per_op: &'a [f64],
    samples_cpu_ns_per_op: &'a [f64],
    machine: &'a Machine,
}

/// Anything else, which may only be simulated.
#[derive(Serialize)]
struct FoundLine<'a, T: Serialize> {
    what: &'static str,
    is_simulated: bool,
    found: &'a T,
}

/// Costs, and where those come from that one worker does not tell.
#[derive(Serialize)]
struct FoundCosts<'a> {
    #[serde(flatten)]
    costs: &'a CostsByHandler,
    line_from: LineFrom,
    is_lock_counted: bool,
}

/// Writes everything.
///
/// # Errors
/// If the file cannot be written.
pub fn write(json: &mut JsonLines, outcome: &Outcome, machine: &Machine) -> Result<(), BenchError> {
    for point in &outcome.measured.points {
        json.write(&PointLine {
            what: "point",
            mode: point.way.to_string(),
            workers: point.workers,
            load: point.load,
            samples_ns_per_op: &point.ns,
            samples_cpu_ns_per_op: &point.cpu_ns,
            machine,
        })?;
    }
    for (load, fit) in &outcome.fits {
        if let Ok(fit) = fit {
            json.write(&FoundLine { what: "fit", is_simulated: false, found: &(load, fit) })?;
        }
    }
    for lock in &outcome.locks.0 {
        json.write(lock)?;
    }
    if let Some(Ok(demand)) = &outcome.demand {
        json.write(&FoundLine { what: "demand", is_simulated: false, found: demand })?;
    }
    if let Some(Ok(calibration)) = &outcome.calibration {
        let Calibration { costs, line_from, is_lock_counted, .. } = calibration;
        let (line_from, is_lock_counted) = (*line_from, *is_lock_counted);
        let found = FoundCosts { costs, line_from, is_lock_counted };
        json.write(&FoundLine { what: "costs", is_simulated: true, found: &found })?;
        for check in &calibration.checks {
            json.write(&FoundLine { what: "check", is_simulated: true, found: check })?;
        }
    }
    for one in &outcome.extrapolated {
        json.write(&FoundLine { what: "extrapolated", is_simulated: true, found: one })?;
    }
    Ok(())
}

/// The least time for a message of a concurrent actor that such a file tells of.
///
/// # Errors
/// If it tells of none.
pub fn fastest_concurrent(path: &Path) -> Result<f64, BenchError> {
    #[derive(Deserialize)]
    struct ConcurrentLine {
        mode: String,
        samples_ns_per_op: Vec<f64>,
    }
    let text = std::fs::read_to_string(path).map_err(|error| BenchError::file(path, error))?;
    let lines = text.lines().filter_map(|line| serde_json::from_str::<ConcurrentLine>(line).ok());
    let samples =
        lines.filter(|line| line.mode == "concurrent").flat_map(|line| line.samples_ns_per_op);
    let fastest = samples.fold(f64::INFINITY, f64::min);
    if fastest.is_finite() {
        Ok(fastest)
    } else {
        Err(BenchError::Beside("nothing was measured".to_owned()))
    }
}
