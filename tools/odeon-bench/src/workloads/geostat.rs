//! `geostat`: multiple-point geostatistics by Direct Sampling, of which the package
//! [`odeon_example_geostat`] tells.
//!
//! The same seed makes the same path and the same draws. The grid is the same too as long as
//! requests are handled one at a time (`--mode sequential`): that of the floor, with any number of
//! simulation actors and workers.

mod pictures;

use crate::devices::{self, DEVICE};
use crate::trace;
use crate::workload::prelude::*;
use odeon_example_geostat::actors::{GeostatCourse, Reads, SimulationRun, SimulationSetup};
use odeon_example_geostat::image_source::GENERATED;
use odeon_example_geostat::search::{KernelSearch, Limits};
use odeon_example_geostat::simulation::{Settings, SimulationTask};
use odeon_speculative::{Processing, Threshold};
use std::path::Path;
use std::time::Duration;

/// See the module.
pub(super) static GEOSTAT: Workload = Workload {
    summary: "points of a grid simulated from a training image, while others look at the grid",
    operation: "point",
    floor_is: "one thread that simulates all points in an array, with nobody looking",
    parameters: &[
        Parameter::word("mode", "how the main actor processes its messages", MODES).outside_floor(),
        Parameter::word(
            "reads",
            "how log actors read the grid: as it is, in a transaction, in a snapshot",
            &["relaxed", "logged", "snapshot"],
        )
        .outside_floor(),
        Parameter::word(
            "step",
            "what is one transaction: a request, or each of its points",
            &["request", "point"],
        )
        .outside_floor(),
        Parameter::word(
            "search",
            "how events are searched for: on cores, by kernels on a device",
            &[CPU, KERNEL],
        )
        .outside_floor(),
        DEVICE,
        Parameter::number("grid", "nodes along each edge of the grid", 2, 10_000, 750),
        Parameter::number("neighbours", "informed neighbours of a point, at most", 1, 100, 15),
        Parameter::number("radius", "how far they lie away, at most", 1, 1000, 50),
        Parameter::number("threshold", "neighbours that may differ, in per cent", 0, 100, 0),
        Parameter::number("scan", "share of the image that is searched, in per cent", 1, 100, 50),
        Parameter::file("ti", "training image: GSLIB or PNG, or made from the seed", GENERATED),
        Parameter::file("conditioning", "what is known before: lines of 'x y value'", NO_DATA),
        Parameter::number("simulators", "actors that have points simulated", 1, 10_000, 24)
            .outside_floor(),
        Parameter::number("points", "points of a request", 1, 100_000, 30).outside_floor(),
        Parameter::number("logs", "actors that look at the grid", 0, 1000, 8).outside_floor(),
        Parameter::number(
            "log_points",
            "nodes that a look sees; beyond 65,536 relaxed reads become a snapshot",
            1,
            100_000_000,
            65_536,
        )
        .outside_floor(),
        Parameter::number(
            "seed",
            "seed of all random draws; with --mode sequential the grid is the same for it, with others the order of conflicts is different in each run",
            0,
            u64::MAX,
            1,
        ),
        WORKERS,
    ],
    opens_devices: true,
    missing,
    note,
    traced_modes: MODES,
    pictures: Some(pictures::write),
    ..Workload::new("geostat", run, floor)
};

const MODES: &[&str] = &["adaptive", "concurrent", "sequential", "threshold"];
const NO_DATA: &str = "none";
const CPU: &str = "cpu";
const KERNEL: &str = "kernel";

fn processing(mode: &str) -> Processing {
    match mode {
        "threshold" => Processing::adaptive_with(Threshold::new),
        mode => odeon_example_shared_state::processing(mode),
    }
}

/// What is to be simulated.
fn task(params: &Params) -> Result<SimulationTask, BenchError> {
    let data = params.word("conditioning");
    let data = (data != NO_DATA).then(|| Path::new(data));
    SimulationTask::load(params.count("grid"), params.word("ti"), data, settings(params))
}

/// The same, searched as the parameters say.
fn searched_task(params: &Params) -> Result<SimulationTask, BenchError> {
    let task = task(params)?;
    if params.word("search") == CPU {
        return Ok(task);
    }
    let which = devices::chosen(params).map_err(BenchError::Runtime)?;
    let (image, limits) = (task.model.image().clone(), settings(params).limits);
    let search = KernelSearch::on(which, image, limits).map_err(runtime)?;
    Ok(SimulationTask { model: task.model.searched_by(Box::new(search)), ..task })
}

/// A run with these parameters, that has not begun.
fn set_up(params: &Params) -> Result<SimulationRun, BenchError> {
    let setup = SimulationSetup {
        workers: params.count("workers"),
        processing: processing(params.word("mode")),
        reads: match params.word("reads") {
            "logged" => Reads::Logged,
            "snapshot" => Reads::Snapshot,
            _ => Reads::Relaxed,
        },
        is_point_by_point: params.word("step") == "point",
        simulators: params.count("simulators"),
        points: params.count("points"),
        logs: params.count("logs"),
        log_points: params.count("log_points"),
    };
    let run = SimulationRun::new(searched_task(params)?, setup)?;
    trace::watch(run.main_actor());
    Ok(run)
}

/// One run, looked at after every `every`.
pub(crate) fn record_course(params: &Params, every: Duration) -> Result<GeostatCourse, BenchError> {
    GeostatCourse::of(&set_up(params)?, every)
}

fn settings(params: &Params) -> Settings {
    let share = |name| params.number(name) as f32 / 100.0;
    Settings {
        neighbours: params.count("neighbours"),
        radius: params.count("radius"),
        limits: Limits { threshold: share("threshold"), fraction: share("scan") },
        seed: params.number("seed"),
    }
}

fn missing(params: &Params) -> Option<String> {
    (params.word("search") == KERNEL).then(|| devices::chosen(params).err()).flatten()
}

fn note(params: &Params) -> Option<String> {
    (params.word("search") == KERNEL).then(|| devices::told(params)).flatten()
}

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let outcome = set_up(params)?.simulate()?;
    Ok(Measured::new(outcome.points, outcome.elapsed))
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let task = task(params)?;
    let (measured, result) = Measured::time(task.path.len() as u64, || task.simulate());
    task.check(&result).map_err(BenchError::WrongResult).map(|()| measured)
}

#[cfg(test)]
mod tests;
