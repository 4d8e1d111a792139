//! Throughput and rollbacks in the course of a simulation: each way to find the width with each way to read the grid.

use super::GeostatPlan;
use crate::error::BenchError;
use crate::parameter::{Params, Value};
use crate::plot::Lines;
use crate::reproduction::WatchReproduction;
use crate::statistics::Spread;
use crate::workloads::record_geostat;
use odeon_example_geostat::actors::{Course, Progress};
use std::time::Duration;

/// A width of one for each worker.
pub(super) const FIXED: &str = "concurrent";
/// A width that follows the share of attempts that commit, as in the thesis.
pub(super) const THRESHOLD: &str = "threshold";
/// A width that follows the throughput.
pub(super) const ADAPTIVE: &str = "adaptive";
pub(super) const WIDTHS: [&str; 3] = [FIXED, THRESHOLD, ADAPTIVE];

pub(super) const LOGGED: &str = "logged";
pub(super) const RELAXED: &str = "relaxed";
pub(super) const SNAPSHOT: &str = "snapshot";
pub(super) const READS: [&str; 3] = [LOGGED, RELAXED, SNAPSHOT];

/// What is drawn for each width, a line for each way to read.
pub(super) const CHARTS: [&str; 3] = ["requests", "looks", "rollbacks"];

/// TUNE: guessed 2026-11: a run takes some seconds; a chart shows some fifty points.
const EVERY: Duration = Duration::from_millis(100);
const QUICK_EVERY: Duration = Duration::from_millis(2);

/// All runs.
pub(super) struct Runs(Vec<Case>);

struct Case {
    width: &'static str,
    reads: &'static str,
    courses: Vec<Course>,
}

/// Medians over the runs of one case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Medians {
    pub(super) seconds: f64,
    pub(super) looks: f64,
    pub(super) requests_rolled_back: f64,
    pub(super) looks_rolled_back: f64,
    /// Events that were searched for again, in terms of all points.
    pub(super) searched_again: f64,
}

impl Medians {
    pub(super) fn rolled_back(&self) -> f64 {
        self.requests_rolled_back + self.looks_rolled_back
    }
}

impl Runs {
    pub(super) fn run(
        plan: &GeostatPlan,
        watch: &mut dyn WatchReproduction,
    ) -> Result<Self, BenchError> {
        let case = |width| READS.map(|reads| Case { width, reads, courses: Vec::new() });
        let mut cases: Vec<Case> = WIDTHS.into_iter().flat_map(case).collect();
        let rounds = plan.rounds.warmup + plan.rounds.samples;
        let count = cases.len();
        watch.part("geostat", rounds * count);
        let every = if plan.quick { QUICK_EVERY } else { EVERY };
        for round in 0..rounds {
            for turn in 0..count {
                // WHY: every round begins with another case, as in the runner.
                let case = &mut cases[(round + turn) % count];
                watch.run(format!("{}, {} reads", case.width, case.reads));
                let course = record_geostat(&case.params(plan), every)?;
                if round >= plan.rounds.warmup {
                    case.courses.push(course);
                }
            }
        }
        Ok(Self(cases))
    }

    /// What came out for one case.
    pub(super) fn medians(&self, width: &str, reads: &str) -> Option<Medians> {
        let is_it = |case: &&Case| case.width == width && case.reads == reads;
        let courses = &self.0.iter().find(is_it)?.courses;
        let median = |of: &dyn Fn(&Course) -> f64| {
            Spread::of(&courses.iter().map(of).collect::<Vec<_>>()).median
        };
        let points = courses.first()?.points as f64;
        Some(Medians {
            seconds: median(&|course| course.elapsed.as_secs_f64()),
            looks: median(&|course| course.total().looks as f64),
            requests_rolled_back: median(&|course| course.total().requests_rolled_back as f64),
            looks_rolled_back: median(&|course| course.total().looks_rolled_back as f64),
            searched_again: median(&|course| course.total().searches as f64 / points - 1.0),
        })
    }

    /// The file of a chart.
    pub(super) fn file(chart: &str, width: &str) -> String {
        format!("{chart}-{width}.svg")
    }

    /// Files and what is drawn there: the first run of each case.
    pub(super) fn charts(&self) -> Vec<(String, Lines)> {
        let charts = WIDTHS.into_iter().flat_map(|width| CHARTS.map(|chart| (chart, width)));
        charts.map(|(chart, width)| (Self::file(chart, width), self.chart(chart, width))).collect()
    }

    fn chart(&self, chart: &str, width: &str) -> Lines {
        type Count = fn(&Progress) -> u64;
        let (y_title, counts): (_, &[(&str, Count)]) = match chart {
            "requests" => {
                ("simulation messages answered per second", &[("", |progress| progress.requests)])
            }
            "looks" => {
                ("read-only messages answered per second", &[("", |progress| progress.looks)])
            }
            _ => (
                "rollbacks per second",
                &[
                    (", simulation messages", |progress| progress.requests_rolled_back),
                    (", read-only messages", |progress| progress.looks_rolled_back),
                ],
            ),
        };
        let cases = self.0.iter().filter(|case| case.width == width);
        let series = cases.flat_map(|case| {
            let first = case.courses.first();
            counts.iter().filter_map(move |(name, count)| {
                Some((format!("{}{name}", case.reads), per_second(first?, *count)))
            })
        });
        let title = format!("{width}: {chart}");
        Lines {
            title,
            x_title: "seconds",
            y_title,
            is_logarithmic: false,
            series: series.collect(),
        }
    }
}

impl Case {
    fn params(&self, plan: &GeostatPlan) -> Params {
        let words = [("mode", self.width), ("reads", self.reads)];
        words.iter().fold(plan.base(), |params, (name, word)| params.with(name, Value::Word(word)))
    }
}

/// At the end of the time between two looks: what was done meanwhile, in a second.
fn per_second(course: &Course, count: fn(&Progress) -> u64) -> Vec<(f64, f64)> {
    let steps = course.looks.windows(2).filter_map(|pair| {
        let [(begin, before), (end, after)] = pair else { return None };
        let elapsed = (*end - *begin).as_secs_f64();
        let done = count(after).saturating_sub(count(before));
        // The last look may follow at once.
        (elapsed > 1e-4).then(|| (end.as_secs_f64(), done as f64 / elapsed))
    });
    steps.collect()
}
