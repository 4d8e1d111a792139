//! Figure 6.8: what a pool finds out while it profiles, and how long all the work takes, by how
//! many of the workers have a device. If both have the same shape, a short profiling phase tells
//! which numbers are best.

use super::kmeans;
use crate::error::BenchError;
use crate::paper::page::{Drawing, Section};
use crate::paper::{PaperPlan, WatchPaper, not_measured};
use crate::parameter::Params;
use crate::parameter::Value::{Number, Word};
use crate::peers::Peers;
use crate::plot::{Axis, Lines};
use crate::runner::{Case, CasePlan, measure as run};
use crate::statistics::Spread;
use crate::table::{TextTable, short};
use crate::workload::Variant;
use crate::workloads::report_of_kmeans_pool;
use odeon_device::BalancingReport;

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

/// By how much a run of the pool is longer than those of the configurations alone.
/// TUNE: guessed 2026-11: making the workers takes as long as those, and profiling shall be a small
/// part of it.
const LONGER: u64 = 20;

/// One set with what came out.
pub(super) struct SetResult {
    name: &'static str,
    rows: u64,
    workers: u64,
    thesis: &'static str,
    /// For each number of workers with a device.
    teams: Vec<Team>,
    /// How many workers with a device the pool has taken in the end, in each run.
    taken: Vec<u64>,
}

/// So many workers with a device, the others without.
struct Team {
    devices: u64,
    profiled: Profiled,
    /// Seconds for all rounds, by these alone; or what is missing.
    alone: Result<f64, String>,
}

/// What the pool has measured of them while it profiled, in seconds for a piece: medians of its
/// runs.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Profiled {
    For(f64),
    /// It was cut off, as far dearer than others.
    AtLeast(f64),
    Unknown,
}

impl Profiled {
    fn of(reports: &[BalancingReport], devices: u64) -> Self {
        let all = reports.iter().flat_map(|report| &report.configurations);
        let own = all.filter(|one| one.configuration.count("device") as u64 == devices);
        let measured = own.filter_map(|one| Some((one.is_cut_off, one.time_per_piece?)));
        let (cut_off, whole): (Vec<_>, Vec<_>) = measured.partition(|(is_cut_off, _)| *is_cut_off);
        let median = |of: &[(bool, std::time::Duration)]| {
            Spread::of(&of.iter().map(|(_, time)| time.as_secs_f64()).collect::<Vec<_>>()).median
        };
        match (cut_off.len(), whole.len()) {
            (0, 0) => Self::Unknown,
            (cut, whole_ones) if cut > whole_ones => Self::AtLeast(median(&cut_off)),
            _ => Self::For(median(&whole)),
        }
    }

    fn seconds(self) -> Option<f64> {
        match self {
            Self::For(seconds) | Self::AtLeast(seconds) => Some(seconds),
            Self::Unknown => None,
        }
    }

    /// In terms of `unit` seconds.
    fn said(self, unit: f64) -> String {
        match self {
            Self::For(seconds) => short(seconds / unit),
            Self::AtLeast(seconds) => format!("cut off at {}", short(seconds / unit)),
            Self::Unknown => String::new(),
        }
    }
}

pub(super) fn measure(
    plan: &PaperPlan,
    watch: &mut dyn WatchPaper,
) -> Result<Vec<SetResult>, BenchError> {
    SETS.iter().map(|set| one(set, plan, watch)).collect()
}

/// As many workers as cores, as in the thesis; some more where there are few, so that there is
/// something to choose.
fn workers() -> u64 {
    std::thread::available_parallelism().map_or(4, |cores| cores.get() as u64).clamp(4, 8)
}

fn one(set: &Set, plan: &PaperPlan, watch: &mut dyn WatchPaper) -> Result<SetResult, BenchError> {
    let workers = workers();
    let (rows, rounds) = if plan.quick { (600, 60) } else { (set.rows, set.rounds) };
    let of = |way, [devices, cores]: [u64; 2], pieces: u64| -> Params {
        let settings = [
            ("rows", Number(rows)),
            ("rounds", Number(rounds)),
            ("way", Word(way)),
            ("cpu_workers", Number(cores)),
            ("device_workers", Number(devices)),
            ("workers", Number(workers)),
            ("pieces", Number(pieces)),
        ];
        plan.params(kmeans(), &settings, &[])
    };
    let alone = |devices| of("mixed", [devices, workers - devices], 4);
    // It has workers for the first configuration and for the last: twice as many as each, for as
    // many pieces.
    let pool = of("balanced", [workers, workers], 2);
    let pool = match plan.quick {
        true => pool.with("seconds", Number(2)).with("rounds", Number(0)),
        false => pool.with("rounds", Number(LONGER * rounds)),
    };
    let mut runs = CasePlan::default();
    for params in (0..=workers).map(alone).filter(|params| kmeans().missing(params).is_none()) {
        runs.add_odeon(kmeans(), Variant::Pool, &params);
    }
    let pool_runs = if kmeans().missing(&pool).is_none() { plan.rounds.samples } else { 0 };
    watch.part(&format!("figure 6.8, {} set", set.name), plan.rounds.runs(&runs) + pool_runs);
    let results = run(&runs, plan.rounds, &mut Peers::none(), |case: &Case| {
        watch.run(case.params.to_string());
    })?;
    let configurations: Vec<[usize; 2]> =
        (0..=workers).map(|devices| [devices, workers - devices].map(|n| n as usize)).collect();
    let reports = (0..pool_runs).map(|_| {
        watch.run(pool.to_string());
        report_of_kmeans_pool(&pool, configurations.clone())
    });
    let reports: Vec<BalancingReport> = reports.collect::<Result<_, _>>()?;
    let teams = (0..=workers).map(|devices| {
        let params = alone(devices);
        let samples = results.odeon(kmeans(), Variant::Pool, &params);
        let seconds = samples.map(|samples| samples.median() * samples.ops as f64 / 1e9);
        let why = || kmeans().missing(&params).unwrap_or_else(not_measured);
        Team { devices, profiled: Profiled::of(&reports, devices), alone: seconds.ok_or_else(why) }
    });
    let teams = teams.collect();
    let taken = reports.iter().map(|report| report.in_use.count("device") as u64).collect();
    Ok(SetResult { name: set.name, rows, workers, thesis: set.thesis, teams, taken })
}

impl SetResult {
    /// What numbers are divided by: without a device they are 1.
    fn units(&self) -> (Option<f64>, Option<f64>) {
        let first = self.teams.first();
        let profiled = first.and_then(|team| team.profiled.seconds());
        let alone = first.and_then(|team| team.alone.as_ref().ok());
        (profiled, alone.copied())
    }

    /// Which numbers are best, and whether profiling has told so.
    pub(super) fn ours(&self) -> String {
        let measured =
            self.teams.iter().filter_map(|team| Some((team, *team.alone.as_ref().ok()?)));
        let best = measured.min_by(|one, other| one.1.total_cmp(&other.1));
        let name = |devices: u64| format!("{devices} + {}", self.workers - devices);
        let told = match best {
            None => not_measured(),
            Some((team, _)) if self.taken.is_empty() => {
                format!("best (device + core): {}", name(team.devices))
            }
            Some((team, least)) => {
                let taken = self.taken.iter().map(|devices| {
                    let alone = self.teams.get(*devices as usize).map(|team| &team.alone);
                    let longer = alone.and_then(|alone| Some(alone.as_ref().ok()? / least - 1.0));
                    let longer = longer.map_or_else(String::new, |part| {
                        format!(", which alone takes {} % longer", short(part * 100.0))
                    });
                    format!("{}{longer}", name(*devices))
                });
                let taken: Vec<String> = taken.collect();
                let best = name(team.devices);
                format!("best (device + core): {best}; the pool took: {}", taken.join("; "))
            }
        };
        let missing = self.teams.iter().find_map(|team| team.alone.as_ref().err());
        missing
            .map_or_else(|| told.clone(), |why| format!("{told}; with devices not measured: {why}"))
    }

    fn title(&self) -> String {
        format!("{} set, {} points, {} workers", self.name, self.rows, self.workers)
    }

    pub(super) fn section(&self) -> Section {
        Section {
            heading: self.title(),
            is_part: true,
            said: vec![(self.thesis, self.ours())],
            plots: vec![(format!("figure-6.8-{}.svg", self.name), Drawing::Lines(self.chart()))],
            table: Some(table(std::slice::from_ref(self))),
            ..Section::default()
        }
    }

    fn chart(&self) -> Lines {
        let (profiled, alone) = self.units();
        let points = |of: &dyn Fn(&Team) -> Option<f64>| {
            let of = self.teams.iter().filter_map(|team| Some((team.devices as f64, of(team)?)));
            of.collect()
        };
        let whole = |team: &Team| match team.profiled {
            Profiled::For(seconds) => Some(seconds / profiled?),
            _ => None,
        };
        let cut_off = |team: &Team| match team.profiled {
            Profiled::AtLeast(seconds) => Some(seconds / profiled?),
            _ => None,
        };
        Lines {
            title: format!("Figure 6.8: {}", self.title()),
            x_title: "workers that have a device",
            y_title: "time, without a device = 1",
            x: Axis::Linear,
            y: Axis::Linear,
            series: vec![
                ("profiling".to_owned(), points(&whole)),
                ("profiling, cut off: at least".to_owned(), points(&cut_off)),
                (
                    "all the work".to_owned(),
                    points(&|team| Some(team.alone.as_ref().ok()? / alone?)),
                ),
            ],
        }
    }

    pub(super) fn rows(&self) -> Vec<Vec<String>> {
        let (profiled, alone) = self.units();
        let rows = self.teams.iter().map(|team| {
            let name = format!("{} + {}", team.devices, self.workers - team.devices);
            let mut cells = vec![self.name.to_owned(), name, team.profiled.said(1e-6)];
            match &team.alone {
                Ok(seconds) => {
                    cells.push(short(seconds * 1e3));
                    cells.push(profiled.map_or_else(String::new, |by| team.profiled.said(by)));
                    cells.push(alone.map_or_else(String::new, |by| short(seconds / by)));
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
    "profiling, us a piece",
    "all the work, ms",
    "profiling, normalised",
    "all the work, normalised",
];

pub(super) fn table(all: &[SetResult]) -> TextTable {
    let mut table = TextTable::new(HEADINGS);
    all.iter().flat_map(SetResult::rows).for_each(|row| table.row(row));
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::tests::{Counting, quick};

    #[test]
    fn the_pool_tries_what_it_can_and_says_what_it_has_found() {
        let small = one(&SETS[0], &quick(Vec::new()), &mut Counting::default());
        let small = small.expect("it runs");
        let rows = small.rows();
        assert_eq!(rows[0][5], "1.00", "{rows:?}");
        let has_device = !rows[1][3].starts_with("not measured");
        let tried = rows.iter().filter(|row| !row[2].is_empty()).count();
        assert_eq!(tried > 0, has_device, "{rows:?}");
        assert_eq!(small.ours().contains("the pool took: "), has_device);
    }
}
