//! Figure 6.8: how long profiling and the remaining work take, by how many of the workers have a device. If both have the same shape, a short
//! profiling phase tells which numbers are best.

use super::{HeterogeneousPlan, WatchHeterogeneous, kmeans, params};
use crate::error::BenchError;
use crate::parameter::{Params, Value};
use crate::peers::Peers;
use crate::plot::Lines;
use crate::runner::{Case, Plan, measure as run};
use crate::table::{Table, short};
use crate::workload::Variant;

/// A set of points. The thesis runs 450 of 5,000 rounds to profile each configuration.
struct Set {
    name: &'static str,
    rows: u64,
    /// TUNE: guessed 2026-11: such that a device which the processor stands in for takes some 20 s.
    rounds: u64,
    thesis: &'static str,
}

const SETS: &[Set] = &[
    Set {
        name: "small",
        rows: 4096,
        rounds: 2000,
        thesis: "The problem is too small for the costs of a GPU: cores alone are best.",
    },
    Set {
        name: "medium",
        rows: 10_240,
        rounds: 1000,
        thesis: "3 GPU actors and 5 CPU actors are best.",
    },
    Set { name: "large", rows: 131_072, rounds: 100, thesis: "GPU actors alone are always best." },
];

/// The part of the rounds that profiling has: 450 of 5,000.
const PROFILING: u64 = 11;

/// One set with its times.
pub(super) struct Shared {
    name: &'static str,
    rows: u64,
    workers: u64,
    pub(super) thesis: &'static str,
    /// For each number of workers with a device: seconds of profiling, and of the rest; or what is missing.
    times: Vec<Result<(f64, f64), String>>,
}

pub(super) fn measure(
    plan: &HeterogeneousPlan,
    watch: &mut dyn WatchHeterogeneous,
) -> Result<Vec<Shared>, BenchError> {
    SETS.iter().map(|set| one(set, plan, watch)).collect()
}

/// As many workers as cores, as in the thesis; some more where there are few, so that there is something to choose.
fn workers() -> u64 {
    std::thread::available_parallelism().map_or(4, |cores| cores.get() as u64).clamp(4, 8)
}

fn one(
    set: &Set,
    plan: &HeterogeneousPlan,
    watch: &mut dyn WatchHeterogeneous,
) -> Result<Shared, BenchError> {
    let workers = workers();
    let (rows, rounds) = if plan.quick { (600, 22) } else { (set.rows, set.rounds) };
    let parts = [(rounds / PROFILING).max(1), rounds - (rounds / PROFILING).max(1)];
    let case = |devices: u64, rounds: u64| -> Params {
        params(&[
            ("rows", Value::Number(rows)),
            ("rounds", Value::Number(rounds)),
            ("way", Value::Word("mixed")),
            ("cpu_workers", Value::Number(workers - devices)),
            ("device_workers", Value::Number(devices)),
            ("workers", Value::Number(workers)),
        ])
    };
    let cases = || (0..=workers).map(|devices| parts.map(|rounds| case(devices, rounds)));
    let mut runs = Plan::default();
    for params in cases().flatten().filter(|params| kmeans().missing(params).is_none()) {
        runs.add_odeon(kmeans(), Variant::Pool, &params);
    }
    watch.part(&format!("figure 6.8, {} set", set.name), plan.rounds.runs(&runs));
    let results = run(&runs, plan.rounds, &mut Peers::none(), |case: &Case| {
        watch.run(case.params.to_string());
    })?;
    let seconds = |params: &Params| {
        let samples = results.odeon(kmeans(), Variant::Pool, params)?;
        Some(samples.median() * samples.ops as f64 / 1e9)
    };
    let times = cases().map(|[profiling, rest]| {
        let both = seconds(&profiling).zip(seconds(&rest));
        both.ok_or_else(|| kmeans().missing(&rest).unwrap_or_else(|| "not measured".to_owned()))
    });
    let times = times.collect();
    Ok(Shared { name: set.name, rows, workers, thesis: set.thesis, times })
}

impl Shared {
    /// By the number of workers with a device: both times, as multiples of those without.
    fn normalised(&self) -> Vec<(u64, f64, f64)> {
        let Some(Ok((first, first_rest))) = self.times.first() else { return Vec::new() };
        let measured = (0..).zip(&self.times).filter_map(|(devices, times)| {
            let (profiling, rest) = times.as_ref().ok()?;
            Some((devices, profiling / first, rest / first_rest))
        });
        measured.collect()
    }

    /// Which numbers are best, and whether profiling has told so.
    pub(super) fn ours(&self) -> String {
        let all = self.normalised();
        let best = |of: fn(&(u64, f64, f64)) -> f64| {
            all.iter().min_by(|one, other| of(one).total_cmp(&of(other)))
        };
        let missing = self.times.iter().find_map(|times| times.as_ref().err());
        let told = match (best(|it| it.1), best(|it| it.2)) {
            (Some(chosen), Some(best)) => {
                let name = |devices: u64| format!("{devices} + {}", self.workers - devices);
                let dearer = (chosen.2 / best.2 - 1.0) * 100.0;
                format!(
                    "best (device + core): {}; by profiling: {}, which takes {} % longer",
                    name(best.0),
                    name(chosen.0),
                    short(dearer)
                )
            }
            _ => "not measured".to_owned(),
        };
        missing
            .map_or_else(|| told.clone(), |why| format!("{told}; with devices not measured: {why}"))
    }

    pub(super) fn title(&self) -> String {
        format!("{} set, {} points, {} workers", self.name, self.rows, self.workers)
    }

    pub(super) fn file(&self) -> String {
        format!("figure-6.8-{}.svg", self.name)
    }

    pub(super) fn chart(&self) -> Lines {
        let all = self.normalised();
        let points =
            |of: fn(&(u64, f64, f64)) -> f64| all.iter().map(|it| (it.0 as f64, of(it))).collect();
        Lines {
            title: format!("Figure 6.8: {}", self.title()),
            x_title: "workers that have a device",
            y_title: "time, without a device = 1",
            is_logarithmic: false,
            series: vec![
                ("profiling".to_owned(), points(|it| it.1)),
                ("remaining work".to_owned(), points(|it| it.2)),
            ],
        }
    }

    pub(super) fn rows(&self) -> Vec<Vec<String>> {
        let normalised = self.normalised();
        let rows = (0..).zip(&self.times).map(|(devices, times)| {
            let team = format!("{devices} + {}", self.workers - devices);
            let mut cells = vec![self.name.to_owned(), team];
            match times {
                Ok((profiling, rest)) => {
                    cells.extend([profiling, rest].map(|seconds| short(seconds * 1e3)));
                    let own = normalised.iter().find(|it| it.0 == devices);
                    let own = own.map_or([f64::NAN; 2], |it| [it.1, it.2]);
                    cells.extend(own.map(short));
                }
                Err(why) => cells.push(format!("not measured: {why}")),
            }
            cells.resize(HEADINGS.len(), String::new());
            cells
        });
        rows.collect()
    }
}

pub(super) const HEADINGS: [&str; 6] = [
    "set",
    "device + core",
    "profiling ms",
    "rest ms",
    "profiling, normalised",
    "rest, normalised",
];

pub(super) fn table(all: &[Shared]) -> Table {
    let mut table = Table::new(HEADINGS);
    all.iter().flat_map(Shared::rows).for_each(|row| table.row(row));
    table
}
