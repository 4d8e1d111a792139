//! Lines of JSON: `what` says what a line is of.

use crate::outcome::HotOutcome;
use odeon_bench::environment::Machine;
use odeon_bench::error::BenchError;
use odeon_bench::json_lines::JsonLines;
use serde::Serialize;

#[derive(Serialize)]
struct HotLine<'a, T: Serialize> {
    what: &'static str,
    workers: usize,
    file_system: Option<&'a str>,
    #[serde(flatten)]
    found: &'a T,
    machine: &'a Machine,
}

/// Writes everything, with every sample.
///
/// # Errors
/// If the file cannot be written.
pub fn write(
    json: &mut JsonLines,
    outcome: &HotOutcome,
    machine: &Machine,
) -> Result<(), BenchError> {
    write_each(json, "disk", &outcome.disk, outcome, machine)?;
    write_each(json, "point", &outcome.points, outcome, machine)?;
    write_each(json, "log", &outcome.logs, outcome, machine)
}

fn write_each<T: Serialize>(
    json: &mut JsonLines,
    what: &'static str,
    all: &[T],
    outcome: &HotOutcome,
    machine: &Machine,
) -> Result<(), BenchError> {
    let (workers, file_system) = (outcome.workers, outcome.file_system.as_deref());
    let mut lines = all.iter().map(|found| HotLine { what, workers, file_system, found, machine });
    lines.try_for_each(|line| json.write(&line))
}

/// Writes what was measured over the network.
///
/// # Errors
/// If the file cannot be written.
#[cfg(feature = "network")]
pub fn write_network(
    json: &mut JsonLines,
    measured: &crate::network::NetworkOutcome,
    outcome: &HotOutcome,
    machine: &Machine,
) -> Result<(), BenchError> {
    write_each(json, "network", &measured.points, outcome, machine)
}
