//! The page with what was measured and simulated, and its plots beside it.

use crate::ScaleLoad;
use crate::outcome::Outcome;
use crate::report;
use crate::way::{CONCURRENT, PLAIN};
use odeon_bench::environment::Machine;
use odeon_bench::error::BenchError;
use odeon_bench::plot::{Axis, Lines};
use std::path::Path;

const HEAD: &str = "# Scaling of one hot actor

How a ledger that many senders enter into scales with the workers of its theater: as a speculative
actor (`adaptive`, `concurrent`), a plain one, sixteen plain ones (`sharded`), or behind a lock.
Each entry computes for as long as the handler says. `odeon bench scale --page docs/scaling.md`
writes this page. What is *measured* ran on real cores; what is *simulated* did not, and says so.

## Measured

Medians; `of plain`: how many times as many messages as a plain actor with as many workers;
`CPU ns beside`: processor time of all threads for a message beside the bare handler. `floor`: the
bare handler on as many threads. `concurrent, width ..` and `transactions`: what the simulation
takes its costs from, beside `concurrent` on one worker.

";

const LAW: &str = "## The law of scaling

The Universal Scalability Law, fitted to medians from two workers on: an actor on one worker has no
shards and handles each message in its own turn, which is less work. In brackets what 95 of 100 fits
to samples drawn from the samples lie between.

";

const SIMULATED: &str = "
## Simulated

A discrete-event simulation of one concurrent actor (`tools/odeon-scale/src/simulation.rs`): its
senders, its shards, the places that these take under the lock of its board, turns by the rules of
the code. Its costs are of this run, the fastest sample of each case; the price of a cache line that
another core has written is the one with which two workers come closest to what was measured. What
is serial is the lock, and each shard by itself: all that one sender sends comes to one of 256, so
that more senders make the busiest shard's part smaller. There are four senders for each worker at
least. `thought long`: places whose shards have waited so long for the lock that in a machine they
would bring their messages to the board, which is not simulated. It also leaves out what more cores
suffer from besides: threads that sleep for a lock are not overtaken, caches have room, workers that
look for work disturb nobody. So a machine may do less.

";

/// Writes the page, and its plots beside it.
///
/// # Errors
/// If a file cannot be written.
pub fn write(path: &Path, outcome: &Outcome, machine: &Machine) -> Result<(), BenchError> {
    let plots = if outcome.extrapolated.is_empty() { String::new() } else { plots(path, outcome)? };
    let text = text(outcome, machine, &plots);
    std::fs::write(path, text).map_err(|error| BenchError::file(path, error))
}

fn text(outcome: &Outcome, machine: &Machine, plots: &str) -> String {
    let commit = machine.commit.as_deref().unwrap_or("unknown");
    let mut text = format!("{HEAD}{}", report::measured(&outcome.measured).to_markdown());
    text += &format!("\nOn {}; commit {commit}.\n\n{LAW}", machine.line());
    text += &list(report::fits(outcome));
    text += "\n## Locks\n\n";
    if outcome.locks.0.is_empty() {
        text += &format!("Not counted: {}.\n", crate::locks::HOW_TO_COUNT);
    } else {
        text += "Of a build that counts (`--cfg odeon_measured`), for a message.\n\n";
        text += &report::locks(&outcome.locks, &outcome.measured.loads()).to_markdown();
    }
    if let Some(demand) = &outcome.demand {
        text += &format!("\n{}\n", report::demand(demand));
    }
    text += SIMULATED;
    match &outcome.calibration {
        Some(Ok(calibration)) => {
            text += &report::checks(calibration).to_markdown();
            text += &format!("\n{}\n", report::verdict(calibration));
        }
        Some(Err(why)) => text += &format!("{why}\n"),
        None => text += "Not asked for.\n",
    }
    if !outcome.extrapolated.is_empty() {
        text += "\nAll of the following is *simulated*.\n\n";
        text += &list(report::ceiling_lines(&outcome.extrapolated));
        text += plots;
        text += &report::extrapolated(&outcome.extrapolated).to_markdown();
    }
    text
}

fn list(lines: Vec<String>) -> String {
    lines.into_iter().map(|line| format!("* {line}\n")).collect()
}

/// Points from which on a course is drawn.
const DRAWN_FROM: usize = 3;

/// Draws what was measured, if there is a course of it, and what was simulated; answers how the
/// page shows that.
fn plots(page: &Path, outcome: &Outcome) -> Result<String, BenchError> {
    let stem =
        page.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let courses: [(&str, Courses); 2] = [("measured", measured), ("simulated", simulated)];
    let quantities: [(&str, &str, Quantity); 2] = [
        ("throughput", "thousand messages a second", |ns, _| 1e6 / ns),
        ("speed-up", "times a plain actor", |ns, plain| plain / ns),
    ];
    let mut shown = String::from("\n");
    for (how, courses) in courses {
        for (what, y_title, quantity) in quantities {
            let series = courses(outcome, quantity);
            if series.iter().all(|(_, points)| points.len() < DRAWN_FROM) {
                continue;
            }
            let title = format!("{what} of a concurrent actor, {how}");
            let lines =
                Lines { title, x_title: "workers", y_title, x: Axis::LOG2, y: Axis::LOG10, series };
            let file = format!("{stem}-{what}-{how}.svg");
            lines.draw(&page.with_file_name(&file))?;
            shown += &format!("![{what} over workers, {how}]({file})\n\n");
        }
    }
    Ok(shown)
}

/// What is shown of a message that takes so many ns, where a plain actor's takes so many.
type Quantity = fn(f64, f64) -> f64;

/// For each load, its name and points.
type Courses = fn(&Outcome, Quantity) -> Vec<(String, Vec<(f64, f64)>)>;

fn measured(outcome: &Outcome, quantity: Quantity) -> Vec<(String, Vec<(f64, f64)>)> {
    of_loads(outcome, |load, plain| {
        let course = outcome.measured.course(CONCURRENT, load);
        course.iter().map(|at| (at.workers as f64, quantity(at.fastest_ns(), plain))).collect()
    })
}

fn simulated(outcome: &Outcome, quantity: Quantity) -> Vec<(String, Vec<(f64, f64)>)> {
    of_loads(outcome, |load, plain| {
        let course = outcome.extrapolated.iter().filter(|at| at.load == load);
        course.map(|at| (at.workers as f64, quantity(at.simulated.ns, plain))).collect()
    })
}

/// Of each load, with what a plain actor takes.
fn of_loads(
    outcome: &Outcome,
    points: impl Fn(ScaleLoad, f64) -> Vec<(f64, f64)>,
) -> Vec<(String, Vec<(f64, f64)>)> {
    let named = |load: ScaleLoad| {
        let plain = outcome.measured.course(PLAIN, load).pop()?.fastest_ns();
        Some((load.name(), points(load, plain)))
    };
    outcome.measured.loads().into_iter().filter_map(named).collect()
}
