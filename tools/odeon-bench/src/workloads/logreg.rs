//! `logreg`: see [`odeon_example_logreg`].

use super::kept::LastByParams;
use crate::devices::{self, DEVICE};
use crate::team::{
    BALANCED, CPU, CPU_WORKERS, DEVICE_WORKERS, KERNEL, MIXED, OBJECTIVE, PIECES, Team,
};
use crate::workload::prelude::*;
use odeon::prelude::*;
use odeon_example_iterative::{Crew, CrewRun};
use odeon_example_logreg::{
    ByKernels, Descent, Fitted, Labelled, OnCores, SamplesPiece, Steps, Threads, balanced, check,
    generate, on_one_thread, sequential,
};
use std::sync::Arc;

/// What several runs need.
static TASKS: LastByParams<RegressionTask> = LastByParams::new();

/// What is fitted, and what must come out.
struct RegressionTask {
    samples: Arc<Labelled>,
    steps: Steps,
    expected: Fitted,
}

/// What a task depends on.
const TASK: &[&str] = &["rows", "dims", "seed", "rounds", "rate_percent"];

/// See the module.
pub(super) static LOGREG: Workload = Workload {
    summary: "logistic regression by gradient descent: an iteration actor, and workers",
    operation: "point and round",
    floor_is: "no actors: plain rayon on as many threads, or one loop (--floor sequential)",
    parameters: &[
        Parameter::number("rows", "points", 1, 100_000_000, 65_536),
        Parameter::number("dims", "their dimensions", 1, 10_000, 32),
        Parameter::number("seed", "of points and labels", 0, u64::MAX, 7),
        Parameter::number("rounds", "steps of the descent", 1, 1_000_000, 50),
        Parameter::number("rate_percent", "how far a step goes, in hundredths", 1, 10_000, 50),
        PIECES,
        Parameter::word(
            "way",
            "how pieces are done, as of kmeans",
            &[CPU, KERNEL, MIXED, BALANCED],
        )
        .outside_floor(),
        CPU_WORKERS,
        DEVICE_WORKERS,
        DEVICE,
        OBJECTIVE,
        Parameter::word("floor", "what the floor is", &["rayon", "sequential"]),
        Parameter::number("workers", "threads of runtime and floor", 1, 256, 2),
    ],
    opens_devices: true,
    looks_at_energy: true,
    check: |params| Team::of(params).check(),
    missing: |params| Team::of(params).missing(params),
    note: |params| (Team::of(params).devices > 0).then(|| devices::told(params)).flatten(),
    ..Workload::new("logreg", |_, params| run(params), floor)
};

fn task(params: &Params) -> Result<Arc<RegressionTask>, BenchError> {
    TASKS.get(params.only(TASK), |params| {
        let (rows, dims) = (params.count("rows"), params.count("dims"));
        let (samples, _) = generate(rows, dims, params.number("seed"));
        let rate = params.number("rate_percent") as f64 / 100.0;
        let steps = Steps { rounds: params.number("rounds"), rate };
        let expected = sequential(&samples, steps);
        Ok(RegressionTask { samples: Arc::new(samples), steps, expected })
    })
}

impl RegressionTask {
    /// Measures a way to descend, and checks what comes out.
    fn measure(
        &self,
        descend: impl FnOnce() -> Result<Fitted, BenchError>,
    ) -> Result<Measured, BenchError> {
        let ops = self.samples.points.rows() as u64 * self.steps.rounds;
        let (measured, fitted) = Measured::time_and_energy(|| (ops, descend()));
        check(&fitted?, &self.expected).map(|()| measured)
    }
}

fn run(params: &Params) -> Result<Measured, BenchError> {
    let task = task(params)?;
    let theater = theater(params)?;
    let team = Team::of(params);
    let crew = hire(team, &theater, params)?;
    let pieces = params.count("pieces") * team.size();
    let run = CrewRun::new(&theater, Descent::new(task.samples.clone(), pieces, task.steps), crew);
    task.measure(|| run.complete().map(Descent::into_fitted))
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let task = task(params)?;
    let RegressionTask { samples, steps, .. } = &*task;
    if params.word("floor") == "sequential" {
        return task.measure(|| Ok(on_one_thread(samples, *steps)));
    }
    let threads = Threads::new(params.count("workers"))?;
    task.measure(|| Ok(threads.descend(samples, *steps)))
}

/// Who does the pieces.
fn hire(team: Team, theater: &Theater, params: &Params) -> Result<Crew<SamplesPiece>, BenchError> {
    let which = team.which(params)?;
    match params.word("way") {
        CPU => team.on_cores(theater, || OnCores),
        KERNEL => team.on_devices(theater, || ByKernels::on(which)),
        _ => team.pooled(theater, params, balanced(which, team.devices, team.cores)),
    }
}
