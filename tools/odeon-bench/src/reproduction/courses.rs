//! Throughput and rollbacks in the course of a run: a fixed width and a width that adapts, each with every way to add up a
//! list actor's values.

use super::{ReproductionPlan, WatchReproduction};
use crate::error::BenchError;
use crate::parameter::{Params, Value};
use crate::plot::Lines;
use crate::statistics::Spread;
use crate::workloads::{Course, Progress, record_course};
use std::time::Duration;

/// The thesis' 5.4.1: eight list actors, 500 requesters.
const LIST_ACTORS: u64 = 8;
const REQUESTERS: u64 = 500;
const QUICK_LIST_ACTORS: u64 = 2;
const QUICK_REQUESTERS: u64 = 20;
const MIXES: [&str; 2] = ["write", "mixed"];
const WIDTHS: [&str; 3] = [FIXED, ADAPTIVE, THRESHOLD];
/// The width of each list actor stays as it is.
pub(super) const FIXED: &str = "concurrent";
/// It follows the throughput.
pub(super) const ADAPTIVE: &str = "adaptive";
/// It follows the share of attempts that commit, as in the thesis.
pub(super) const THRESHOLD: &str = "threshold";
const SUMS: [&str; 3] = [TRANSACTION, SNAPSHOT, KEPT];
pub(super) const TRANSACTION: &str = "transaction";
pub(super) const SNAPSHOT: &str = "snapshot";
pub(super) const KEPT: &str = "kept";

/// TUNE: guessed 2026-11: a run takes a second or so; a chart shows some fifty points.
const EVERY: Duration = Duration::from_millis(20);
const QUICK_EVERY: Duration = Duration::from_millis(1);

/// All runs.
pub(super) struct Courses {
    runs: Vec<Run>,
}

/// The runs of one case.
struct Run {
    mix: &'static str,
    width: &'static str,
    sum: &'static str,
    courses: Vec<Course>,
}

/// Medians over the runs of one case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Medians {
    pub(super) seconds: f64,
    pub(super) per_second: f64,
    pub(super) rollbacks: f64,
}

impl Courses {
    pub(super) fn run(
        plan: &ReproductionPlan,
        watch: &mut dyn WatchReproduction,
    ) -> Result<Self, BenchError> {
        let mut runs = Vec::new();
        for mix in MIXES {
            for width in WIDTHS {
                runs.extend(SUMS.map(|sum| Run { mix, width, sum, courses: Vec::new() }));
            }
        }
        let rounds = plan.rounds.warmup + plan.rounds.samples;
        watch.part("courses", rounds * runs.len());
        let every = if plan.quick { QUICK_EVERY } else { EVERY };
        let count = runs.len();
        for round in 0..rounds {
            for turn in 0..count {
                // WHY: every round begins with another case, as in the runner.
                let run = &mut runs[(round + turn) % count];
                watch.run(format!("{}, {}, sum {}", run.mix, run.width, run.sum));
                let course = record_course(&run.params(plan), every)?;
                if round >= plan.rounds.warmup {
                    run.courses.push(course);
                }
            }
        }
        Ok(Self { runs })
    }

    /// What came out for one case.
    pub(super) fn medians(&self, mix: &str, width: &str, sum: &str) -> Option<Medians> {
        let is_it = |run: &&Run| run.mix == mix && run.width == width && run.sum == sum;
        let run = self.runs.iter().find(is_it)?;
        let seconds: Vec<f64> =
            run.courses.iter().map(|course| course.measured.ns as f64 / 1e9).collect();
        let rollbacks: Vec<f64> =
            run.courses.iter().map(|course| course.total().rollbacks as f64).collect();
        let ops = run.courses.first()?.measured.ops as f64;
        let seconds = Spread::of(&seconds).median;
        let per_second = ops / seconds;
        Some(Medians { seconds, per_second, rollbacks: Spread::of(&rollbacks).median })
    }

    /// The file of a chart with a line for each way to sum; `what` is `throughput` or `rollbacks`.
    pub(super) fn file(what: &str, mix: &str, width: &str) -> String {
        format!("{what}-{mix}-{width}.svg")
    }

    /// Files and what is drawn there: the first run of each case.
    pub(super) fn charts(&self) -> Vec<(String, Lines)> {
        let mut charts = Vec::new();
        for (mix, width) in MIXES.iter().flat_map(|mix| WIDTHS.map(|width| (*mix, width))) {
            let lines = |steps: fn(&Course) -> Vec<(f64, f64)>| {
                let runs = self.runs.iter().filter(|run| run.mix == mix && run.width == width);
                let line = |run: &Run| {
                    let course = run.courses.first()?;
                    Some((format!("sum: {}", run.sum), steps(course)))
                };
                runs.filter_map(line).collect()
            };
            let chart = |title, y_title, series| Lines {
                title,
                x_title: "seconds",
                y_title,
                is_logarithmic: false,
                series,
            };
            let throughput = chart(
                format!("{mix}, {width}: throughput"),
                "requests answered per second",
                lines(throughput),
            );
            charts.push((Self::file("throughput", mix, width), throughput));
            let rollbacks = chart(
                format!("{mix}, {width}: rollbacks"),
                "rollbacks per second",
                lines(rollbacks),
            );
            charts.push((Self::file("rollbacks", mix, width), rollbacks));
        }
        charts
    }
}

impl Run {
    fn params(&self, plan: &ReproductionPlan) -> Params {
        let (list_actors, requesters) = if plan.quick {
            (QUICK_LIST_ACTORS, QUICK_REQUESTERS)
        } else {
            (LIST_ACTORS, REQUESTERS)
        };
        plan.base()
            .with("workload", Value::Word(self.mix))
            .with("mode", Value::Word(self.width))
            .with("sum", Value::Word(self.sum))
            .with("list_actors", Value::Number(list_actors))
            .with("requesters", Value::Number(requesters))
    }
}

fn throughput(course: &Course) -> Vec<(f64, f64)> {
    per_second(course, |progress| progress.answered)
}

fn rollbacks(course: &Course) -> Vec<(f64, f64)> {
    per_second(course, |progress| progress.rollbacks)
}

/// At the end of the time between two looks: what was done meanwhile, in a second.
fn per_second(course: &Course, count: fn(&Progress) -> u64) -> Vec<(f64, f64)> {
    let steps = course.looks.windows(2).filter_map(|pair| {
        let [(begin, before), (end, after)] = pair else { return None };
        let elapsed = (*end - *begin).as_secs_f64();
        let done = count(after) - count(before);
        // The last look may follow at once.
        (elapsed > 1e-4).then(|| (end.as_secs_f64(), done as f64 / elapsed))
    });
    steps.collect()
}
