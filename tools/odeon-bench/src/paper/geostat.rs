//! `odeon bench geostat --reproduce`: figures 5.8 and 5.9 of Hayduk's thesis, the simulation of the
//! hydraulic subsurface with log actors that read in transactions or by relaxed reads, with widths
//! that are fixed or found out.
//!
//! Values are given only where its text gives them; its plots are not read.

use super::courses::{Courses, Every, RunCourse};
use super::page::{Drawing, Page, Section, setting};
use super::{Findings, Paper, PaperPlan, USUAL, WatchPaper, not_measured};
use crate::error::BenchError;
use crate::parameter::{Params, Setting, Value};
use crate::table::{TextTable, factor};
use crate::workload::Workload;
use crate::workloads::{self, record_geostat};
use std::time::Duration;

pub(super) const PAPER: Paper = Paper { name: "geostat", samples: 7, check, run, ..USUAL };

/// What a quick look has instead of the defaults.
const QUICK: &[Setting] = &[("grid", Value::Number(60)), ("log_points", Value::Number(1000))];

/// What the figures differ in.
const COMPARED: [&str; 2] = ["mode", "reads"];

/// A width of one for each worker.
const FIXED: &str = "concurrent";
/// A width that follows the share of attempts that commit, as in the thesis.
const THRESHOLD: &str = "threshold";
/// A width that follows the throughput.
const ADAPTIVE: &str = "adaptive";
const WIDTHS: [&str; 3] = [FIXED, THRESHOLD, ADAPTIVE];

const LOGGED: &str = "logged";
const RELAXED: &str = "relaxed";
const SNAPSHOT: &str = "snapshot";
const READS: [&str; 3] = [LOGGED, RELAXED, SNAPSHOT];

/// What is counted in a course.
const REQUESTS: usize = 0;
const LOOKS: usize = 1;
const REQUESTS_ROLLED_BACK: usize = 2;
const LOOKS_ROLLED_BACK: usize = 3;
const SEARCHES: usize = 4;

/// A chart of each width: its name, what its y axis counts, and the lines of each way to read.
type Chart = (&'static str, &'static str, &'static [(&'static str, usize)]);

const CHARTS: [Chart; 3] = [
    ("requests", "simulation messages answered per second", &[("", REQUESTS)]),
    ("looks", "read-only messages answered per second", &[("", LOOKS)]),
    (
        "rollbacks",
        "rollbacks per second",
        &[
            (", simulation messages", REQUESTS_ROLLED_BACK),
            (", read-only messages", LOOKS_ROLLED_BACK),
        ],
    ),
];

/// TUNE: guessed 2026-11: a run takes some seconds; a chart shows some fifty points.
const EVERY: Every = Every { full: Duration::from_millis(100), quick: Duration::from_millis(2) };

/// The width, and the way to read.
type GeostatKey = (&'static str, &'static str);

/// The workload that is reproduced.
fn geostat() -> &'static Workload {
    workloads::find("geostat").expect("geostat is a workload")
}

/// Refuses several values of a parameter, and any of what the figures compare.
fn check(plan: &PaperPlan) -> Result<(), BenchError> {
    match plan.chosen.iter().find(|(name, _)| COMPARED.contains(name)) {
        Some((name, _)) => {
            let problem = "is what --reproduce compares";
            Err(BenchError::bad_argument(geostat().option(name), problem))
        }
        None => plan.check_chosen(geostat(), &[]),
    }
}

fn base(plan: &PaperPlan) -> Params {
    plan.params(geostat(), &[], QUICK)
}

fn run(plan: &PaperPlan, watch: &mut dyn WatchPaper) -> Result<Findings, BenchError> {
    let keys = WIDTHS.into_iter().flat_map(|width| READS.map(|reads| (width, reads)));
    let case = |(width, reads)| {
        let params = base(plan).with("mode", Value::Word(width));
        ((width, reads), params.with("reads", Value::Word(reads)))
    };
    let cases: Vec<_> = keys.map(case).collect();
    let runs = Courses::record("geostat", &cases, EVERY, plan, watch, |params, every| {
        let course = record_geostat(params, every)?;
        let looks = course.looks.iter().map(|(at, done)| {
            let rolled_back = [done.requests_rolled_back, done.looks_rolled_back];
            (*at, [&[done.requests, done.looks][..], &rolled_back, &[done.searches]].concat())
        });
        Ok(RunCourse { ops: course.points, elapsed: course.elapsed, looks: looks.collect() })
    })?;
    Ok(Findings::new(page(plan, &runs)))
}

fn page(plan: &PaperPlan, runs: &Courses<GeostatKey>) -> Page {
    let base = base(plan);
    let number = |name| base.number(name).to_string();
    let (edge, points) = (base.number("grid"), base.number("points"));
    let requests = (edge * edge).div_ceil(points);
    let rows = [
        ("worker threads", number("workers"), "as many as the actors' framework chooses"),
        ("grid", format!("{edge} x {edge}"), "750 x 750"),
        ("neighbours of a point", number("neighbours"), "15"),
        ("training image", base.word("ti").to_owned(), "the one that comes with MPDS"),
        ("simulation actors", number("simulators"), "32 actors together with log actors"),
        ("points of a request", format!("{points}: {requests} requests"), "30; 167 messages"),
        ("log actors", number("logs"), "8"),
        (
            "nodes that a read-only message sees",
            format!("{}; the next one goes on behind them", number("log_points")),
            "not said",
        ),
        (
            "threshold of commits to rollbacks (alpha)",
            "profiled by the actor itself".to_owned(),
            "1.2, profiled by hand",
        ),
    ];
    let theirs = ["48 cores: four AMD Opteron 6172 at 2.1 GHz", "2017", "not said"];
    Page {
        title: "Odeon: the simulation of the hydraulic subsurface",
        heading: "The simulation of the hydraulic subsurface, beside the thesis",
        who: "the thesis",
        is_quick: plan.quick,
        setting: setting(plan, "thesis", theirs, rows),
        intro: Vec::new(),
        sections: vec![fixed(runs), following(runs), medians(runs)],
    }
}

fn fixed(runs: &Courses<GeostatKey>) -> Section {
    let logged = (FIXED, LOGGED);
    Section {
        heading: "Hayduk's thesis, figure 5.8".to_owned(),
        shows: "Throughput and rollbacks of simulation messages and of read-only messages over time; a fixed share of the threads for each. Here: one message at once for each worker.",
        said: vec![
            (
                "Read-only messages by direct reads (singleRelaxedGet) instead of in transactions (atomic): some 40 s less of execution time.",
                faster(runs, (FIXED, RELAXED), logged),
            ),
            ("More read-only messages are processed.", looks(runs, (FIXED, RELAXED), logged)),
            (
                "The total number of rollbacks stays about the same.",
                rollbacks(runs, &[logged, (FIXED, RELAXED)]),
            ),
            (
                "(Snapshots are what Odeon has between the two: consistent, and never rolled back.)",
                faster(runs, (FIXED, SNAPSHOT), logged),
            ),
        ],
        plots: charts(runs, &[FIXED]),
        ..Section::default()
    }
}

fn following(runs: &Courses<GeostatKey>) -> Section {
    let both = |one: fn(&'static str) -> GeostatKey, other: fn(&'static str) -> GeostatKey| {
        let [threshold, adaptive] =
            [THRESHOLD, ADAPTIVE].map(|width| faster(runs, one(width), other(width)));
        format!("threshold: {threshold}; adaptive: {adaptive}")
    };
    Section {
        heading: "Hayduk's thesis, figure 5.9".to_owned(),
        shows: "The same with a number of threads that follows the ratio of commits to rollbacks.",
        said: vec![
            (
                "By direct reads another 20 s less of execution time than with fixed shares.",
                both(|width| (width, RELAXED), |_| (FIXED, RELAXED)),
            ),
            (
                "Fewer rollbacks than with fixed shares.",
                rollbacks(runs, &WIDTHS.map(|width| (width, RELAXED))),
            ),
            (
                "In all cases direct reads with a number of threads that adapts are the fastest.",
                both(|width| (width, RELAXED), |width| (width, LOGGED)),
            ),
        ],
        plots: charts(runs, &[THRESHOLD, ADAPTIVE]),
        ..Section::default()
    }
}

fn charts(runs: &Courses<GeostatKey>, widths: &[&'static str]) -> Vec<(String, Drawing)> {
    let of_width = |width: &&'static str| {
        let width = *width;
        CHARTS.map(|(chart, y_title, counters)| {
            let lines = READS.into_iter().flat_map(|reads| {
                let line = move |(name, counter): &(&str, usize)| {
                    (format!("{reads}{name}"), (width, reads), *counter)
                };
                counters.iter().map(line)
            });
            let drawn = runs.chart(format!("{width}: {chart}"), y_title, lines);
            (format!("{chart}-{width}.svg"), Drawing::Lines(drawn))
        })
    };
    widths.iter().flat_map(of_width).collect()
}

fn seconds(runs: &Courses<GeostatKey>, of: GeostatKey) -> Option<f64> {
    runs.median(of, |course| course.elapsed.as_secs_f64())
}

fn total(runs: &Courses<GeostatKey>, of: GeostatKey, counter: usize) -> Option<f64> {
    runs.median(of, |course| course.total(counter))
}

fn faster(runs: &Courses<GeostatKey>, one: GeostatKey, other: GeostatKey) -> String {
    seconds(runs, one).zip(seconds(runs, other)).map_or_else(not_measured, |(ours, others)| {
        format!(
            "{} with {} reads is {} as fast as {} with {} reads ({ours:.3} s against {others:.3} s)",
            one.0,
            one.1,
            factor(others / ours),
            other.0,
            other.1
        )
    })
}

fn looks(runs: &Courses<GeostatKey>, one: GeostatKey, other: GeostatKey) -> String {
    let of = |key| Some((total(runs, key, LOOKS)?, seconds(runs, key)?));
    of(one).zip(of(other)).map_or_else(not_measured, |((ours, our_time), (others, their_time))| {
        format!(
            "{:.0} a second against {:.0}; in the whole run {ours:.0} against {others:.0}",
            ours / our_time,
            others / their_time
        )
    })
}

fn rollbacks(runs: &Courses<GeostatKey>, cases: &[GeostatKey]) -> String {
    let each = cases.iter().map(|key| {
        let (requests, looks) =
            (total(runs, *key, REQUESTS_ROLLED_BACK), total(runs, *key, LOOKS_ROLLED_BACK));
        let said = requests.zip(looks).map(|(requests, looks)| {
            format!("{:.0} ({requests:.0} of simulation messages)", requests + looks)
        });
        format!("{}, {} reads: {}", key.0, key.1, said.unwrap_or_else(not_measured))
    });
    each.collect::<Vec<_>>().join("; ")
}

fn medians(runs: &Courses<GeostatKey>) -> Section {
    let mut table = TextTable::new([
        "width",
        "reads",
        "seconds",
        "read-only messages",
        "simulation messages rolled back",
        "read-only messages rolled back",
        "events searched for again, % of points",
    ]);
    for key in WIDTHS.iter().flat_map(|width| READS.map(|reads| (*width, reads))) {
        let again =
            runs.median(key, |course| course.total(SEARCHES) / course.ops as f64 * 100.0 - 100.0);
        let counters = [LOOKS, REQUESTS_ROLLED_BACK, LOOKS_ROLLED_BACK];
        let counted =
            counters.map(|counter| total(runs, key, counter).map(|it| format!("{it:.0}")));
        let seconds = seconds(runs, key).map(|seconds| format!("{seconds:.3}"));
        let cells =
            [seconds].into_iter().chain(counted).chain([again.map(|it| format!("{it:.2}"))]);
        if let Some(cells) = cells.collect::<Option<Vec<_>>>() {
            table.row([key.0.to_owned(), key.1.to_owned()].into_iter().chain(cells));
        }
    }
    let heading = "All runs, medians".to_owned();
    Section { heading, table: Some(table), ..Section::default() }
}

#[cfg(test)]
mod tests;
