//! `kmeans`: the thesis's application, see [`kmeans`](crate::kmeans).

use super::kept::Kept;
use crate::devices::DEVICE;
use crate::error::BenchError;
use crate::iterative::{
    BALANCED, CPU, CPU_WORKERS, Crew, DEVICE_WORKERS, KERNEL, MIXED, OBJECTIVE, PIECES, Run, Team,
};
use crate::kmeans::{
    ByKernels, Centres, Clustering, Clusters, OnCores, Piece, Points, Stop, Threads, Tolerance,
    balanced, check, generate, on_one_thread, read, sequential,
};
use crate::parameter::{Parameter, Params};
use crate::samples::Measured;
use crate::theater::theater;
use crate::workload::{About, Variant, Workload};
use odeon::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// See the module.
pub(super) struct KMeans {
    tasks: Kept<Task>,
}

/// The workload.
pub(super) static KMEANS: KMeans = KMeans { tasks: Kept::new() };

/// What is clustered, and what must come out.
struct Task {
    points: Arc<Points>,
    first: Centres,
    stop: Stop,
    expected: Clusters,
}

/// What a task depends on.
const TASK: &[&str] = &["input", "rows", "dims", "centres", "seed", "rounds", "threshold_ppm"];

const GENERATED: &str = "generated";

static ABOUT: About = About {
    name: "kmeans",
    summary: "k-means as in STAMP: an iteration actor, and workers on cores and devices",
    operation: "point and round",
    floor: "no actors: plain rayon on as many threads, or one loop (--floor sequential)",
    parameters: &[
        Parameter::file("input", "points, in STAMP's format", GENERATED).odeon_only(),
        Parameter::number("rows", "points that are generated", 1, 100_000_000, 65_536),
        Parameter::number("dims", "their dimensions", 1, 10_000, 32),
        Parameter::number("centres", "clusters, generated and found", 1, 10_000, 16),
        Parameter::number("seed", "of points and first centres", 0, u64::MAX, 7),
        Parameter::number("rounds", "rounds; 0 until points stay", 0, 1_000_000, 0),
        Parameter::number(
            "threshold_ppm",
            "points that may not stay, in a million",
            0,
            1_000_000,
            10,
        ),
        PIECES,
        Parameter::word(
            "way",
            "how pieces are done: on cores, by kernels on a device, by both in fixed numbers, by who is best",
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
    variants: &[Variant::Pool],
};

impl KMeans {
    fn task(&self, params: &Params) -> Result<Arc<Task>, BenchError> {
        self.tasks.get(params.only(TASK), Task::new)
    }
}

impl Task {
    fn new(params: &Params) -> Result<Self, BenchError> {
        let (centres, seed) = (params.count("centres"), params.number("seed"));
        let points = match params.word("input") {
            GENERATED => generate(params.count("rows"), params.count("dims"), centres, seed),
            path => read(Path::new(path))?,
        };
        if centres > points.rows() {
            let problem = format!("{centres} centres need as many points, not {}", points.rows());
            return Err(BenchError::bad_argument("--centres", problem));
        }
        let stop = match params.number("rounds") {
            0 => Stop::Changes(params.number("threshold_ppm")),
            rounds => Stop::After(rounds),
        };
        let first = Centres::drawn(&points, centres, seed);
        let expected = sequential(&points, &first, stop);
        Ok(Self { points: Arc::new(points), first, stop, expected })
    }

    /// Measures a way to cluster, and checks what comes out.
    fn measure(
        &self,
        within: Tolerance,
        cluster: impl FnOnce() -> Result<Clusters, BenchError>,
    ) -> Result<Measured, BenchError> {
        let (measured, clusters) = Measured::time_and_energy(|| {
            let clusters = cluster();
            let rounds = clusters.as_ref().map_or(0, |clusters| clusters.rounds);
            (self.points.rows() as u64 * rounds, clusters)
        });
        let clusters = clusters?;
        check(&clusters, &self.expected, within).map(|()| measured)
    }
}

impl Workload for KMeans {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, params: &Params) -> Result<(), BenchError> {
        Team::of(params).check()?;
        self.task(params).map(|_| ())
    }

    fn missing(&self, params: &Params) -> Option<String> {
        Team::of(params).missing(params)
    }

    fn run(&self, _variant: Variant, params: &Params) -> Result<Measured, BenchError> {
        let task = self.task(params)?;
        let theater = theater(params)?;
        let team = Team::of(params);
        let pieces = params.count("pieces") * team.size();
        let rounds = Clustering::new(task.points.clone(), task.first.clone(), pieces, task.stop);
        let crew = hire(team, &theater, params)?;
        let within = if team.devices > 0 { Tolerance::DEVICES } else { Tolerance::CORES };
        let run = Run::new(&theater, rounds, crew);
        task.measure(within, || run.complete().map(Clustering::into_clusters))
    }

    fn floor(&self, params: &Params) -> Result<Measured, BenchError> {
        let task = self.task(params)?;
        let Task { points, first, stop, .. } = &*task;
        if params.word("floor") == "sequential" {
            return task.measure(Tolerance::CORES, || Ok(on_one_thread(points, first, *stop)));
        }
        let threads = Threads::new(params.count("workers"))?;
        task.measure(Tolerance::CORES, || Ok(threads.cluster(points, first, *stop)))
    }

    fn looks_at_energy(&self) -> bool {
        true
    }

    fn peers(&self) -> &'static [&'static str] {
        &[]
    }
}

/// Who does the pieces.
fn hire(team: Team, theater: &Theater, params: &Params) -> Result<Crew<Piece>, BenchError> {
    let which = team.which(params)?;
    match params.word("way") {
        CPU => team.on_cores(theater, || OnCores),
        KERNEL => team.on_devices(theater, || ByKernels::on(which)),
        _ => team.pooled(theater, params, balanced(which, team.devices, team.cores)),
    }
}
