//! `kmeans`: the thesis's application, see [`odeon_example_kmeans`].

use super::kept::LastByParams;
use crate::devices::{self, DEVICE};
use crate::team::{
    BALANCED, CPU, CPU_WORKERS, DEVICE_WORKERS, KERNEL, MIXED, OBJECTIVE, PIECES, Team,
};
use crate::workload::prelude::*;
use odeon::prelude::*;
use odeon_device::BalancingReport;
use odeon_example_iterative::{Crew, CrewRun};
use odeon_example_kmeans::{
    Broker, ByCuda, ByKernels, Clustering, Clusters, KmeansTask, OnCores, PointsPiece, ServedBy,
    Servers, Stop, Threads, Tolerance, balanced, generate, on_one_thread, read,
};
use odeon_example_run::standard_error;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// What several runs need.
static TASKS: LastByParams<KmeansTask> = LastByParams::new();

/// The one of this process.
static BROKER: Broker = Broker::new();

/// What a task depends on.
const TASK: &[&str] =
    &["input", "rows", "dims", "centres", "seed", "rounds", "seconds", "threshold_ppm"];

/// TUNE: guessed 2026-11: runs in a row whose worker processes end meanwhile.
const MOST_LOST: usize = 3;

const DIRECT: &str = "direct";
const MIDDLEWARE: &str = "middleware";
const PROCESSES: &str = "processes";
const GENERATED: &str = "generated";

/// See the module.
pub(super) static KMEANS: Workload = Workload {
    summary: "k-means as in STAMP: an iteration actor, and workers on cores and devices",
    operation: "point and round",
    floor_is: "no actors: plain rayon on as many threads, or one loop (--floor sequential)",
    parameters: &[
        Parameter::file("input", "points, in STAMP's format", GENERATED).odeon_only(),
        Parameter::number("rows", "points that are generated", 1, 100_000_000, 65_536),
        Parameter::number("dims", "their dimensions", 1, 10_000, 32),
        Parameter::number("centres", "clusters, generated and found", 1, 10_000, 16),
        Parameter::number("seed", "of points and first centres", 0, u64::MAX, 7),
        Parameter::number("rounds", "rounds; 0 until points stay", 0, 1_000_000, 0),
        Parameter::number("seconds", "rounds for so long, whatever their number", 0, 3600, 0),
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
            "how pieces are done: on cores, by CUDA C, by processes behind a RabbitMQ broker, by kernels on a device, by cores and kernels in fixed numbers, by who is best",
            &[CPU, DIRECT, MIDDLEWARE, KERNEL, MIXED, BALANCED],
        )
        .outside_floor(),
        Parameter::word(
            "served_by",
            "how the processes of --way middleware do pieces",
            &[CPU, DIRECT, KERNEL],
        )
        .outside_floor(),
        Parameter::word(
            "members",
            "where those that serve the broker are: in processes of their own, or on threads of this one",
            &[PROCESSES, "threads"],
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
    check,
    missing,
    note,
    ..Workload::new("kmeans", |_, params| unless_lost(|| sample(params)), floor)
};

fn kept_task(params: &Params) -> Result<Arc<KmeansTask>, BenchError> {
    TASKS.get(params.only(TASK), task)
}

fn task(params: &Params) -> Result<KmeansTask, BenchError> {
    let (centres, seed) = (params.count("centres"), params.number("seed"));
    let points = match params.word("input") {
        GENERATED => {
            let (rows, dims) = (params.count("rows"), params.count("dims"));
            // WHY not left to who makes them: a program whose memory ends is killed without a
            // sentence.
            if Vec::<f32>::new().try_reserve_exact(rows.saturating_mul(dims)).is_err() {
                let problem = format!("no memory for {rows} points of {dims} dimensions");
                return Err(BenchError::bad_argument("--rows", problem));
            }
            generate(rows, dims, centres, seed)
        }
        path => read(Path::new(path))?,
    };
    let stop = match (params.number("seconds"), params.number("rounds")) {
        (0, 0) => Stop::Changes(params.number("threshold_ppm")),
        (0, rounds) => Stop::After(rounds),
        (seconds, _) => Stop::Lasting(Duration::from_secs(seconds)),
    };
    KmeansTask::new(points, centres, seed, stop)
}

/// Measures a way to cluster, and checks what comes out.
fn measure(
    task: &KmeansTask,
    within: Tolerance,
    cluster: impl FnOnce() -> Result<Clusters, BenchError>,
) -> Result<Measured, BenchError> {
    let (measured, clusters) = Measured::time_and_energy(|| {
        let clusters = cluster();
        let rounds = clusters.as_ref().map_or(0, |clusters| clusters.rounds);
        (task.points.rows() as u64 * rounds, clusters)
    });
    task.check(&clusters?, within).map(|()| measured)
}

fn check(params: &Params) -> Result<(), BenchError> {
    team(params).check()?;
    let task = kept_task(params)?;
    let too_large = || ByCuda::is_too_large(task.first.count(), task.points.dims());
    match (worker(params) == DIRECT).then(too_large).flatten() {
        Some(problem) => Err(BenchError::bad_argument("--centres", problem)),
        None => Ok(()),
    }
}

fn missing(params: &Params) -> Option<String> {
    let broker = (params.word("way") == MIDDLEWARE).then(Broker::missing).flatten();
    broker.or_else(|| match worker(params) {
        DIRECT => devices::cuda_missing(),
        _ => team(params).missing(params).or_else(|| too_many_rounds(params)),
    })
}

fn note(params: &Params) -> Option<String> {
    (worker(params) != DIRECT && team(params).devices > 0).then(|| devices::told(params)).flatten()
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let task = kept_task(params)?;
    let KmeansTask { points, first, stop, .. } = &*task;
    if params.word("floor") == "sequential" {
        return measure(&task, Tolerance::Cores, || Ok(on_one_thread(points, first, *stop)));
    }
    let threads = Threads::new(params.count("workers"))?;
    measure(&task, Tolerance::Cores, || Ok(threads.cluster(points, first, *stop)))
}

/// One run. Within it an error, if one of those that the pieces go to has ended meanwhile.
fn sample(params: &Params) -> Result<Result<Measured, BenchError>, BenchError> {
    let task = kept_task(params)?;
    let theater = theater(params)?;
    let team = team(params);
    let pieces = params.count("pieces") * team.size();
    let rounds = Clustering::new(task.points.clone(), task.first.clone(), pieces, task.stop);
    let mut servers = serve(team, params)?;
    let crew = hire(team, &theater, servers.as_ref(), params)?;
    let within = if team.devices > 0 { Tolerance::Devices } else { Tolerance::Cores };
    let run = CrewRun::new(&theater, rounds, crew);
    let mut check = || servers.as_mut().map_or(Ok(()), Servers::check);
    let measured =
        measure(&task, within, || run.complete_if(&mut check).map(Clustering::into_clusters));
    match check() {
        Ok(()) => measured.map(Ok),
        Err(ended) => Ok(Err(ended)),
    }
}

/// Those at the other end of the broker, if the pieces go there.
fn serve(team: Team, params: &Params) -> Result<Option<Servers>, BenchError> {
    if params.word("way") != MIDDLEWARE {
        return Ok(None);
    }
    let by = match worker(params) {
        CPU => ServedBy::Cores,
        DIRECT => ServedBy::Cuda,
        _ => ServedBy::Kernels { must_be_gpu: devices::must_be_gpu(params) },
    };
    let (count, pieces) = (team.size(), params.count("pieces"));
    let in_processes = params.word("members") == PROCESSES;
    Servers::start(BROKER.queue()?, by, count, in_processes, pieces).map(Some)
}

/// One run by a pool that has these configurations to choose from, of workers with a device and of
/// others. What the pool says of it.
///
/// # Panics
/// If the parameters are not those of a pool with both kinds of workers.
pub(crate) fn report_of_pool(
    params: &Params,
    configurations: Vec<[usize; 2]>,
) -> Result<BalancingReport, BenchError> {
    let (task, theater, team) = (kept_task(params)?, theater(params)?, team(params));
    let pieces = params.count("pieces") * team.size();
    let rounds = Clustering::new(task.points.clone(), task.first.clone(), pieces, task.stop);
    let pool = balanced(team.which(params)?, team.devices, team.cores);
    let crew = team.pooled(&theater, params, pool.configurations(configurations))?;
    let Crew::Pool(pool) = &crew else { panic!("a pool is asked for") };
    let pool = pool.clone();
    let run = CrewRun::new(&theater, rounds, crew);
    measure(&task, Tolerance::Devices, || run.complete().map(Clustering::into_clusters))?;
    Ok(pool.report())
}

/// What `sample` measures; once more, with worker processes started anew, if one of them has ended.
/// A sample that one was missing in does not count.
fn unless_lost(
    mut sample: impl FnMut() -> Result<Result<Measured, BenchError>, BenchError>,
) -> Result<Measured, BenchError> {
    for _ in 1..MOST_LOST {
        match sample()? {
            Ok(measured) => return Ok(measured),
            Err(ended) => standard_error::say(format_args!("{ended}: this run is done once more")),
        }
    }
    sample()?
}

/// Who does the pieces.
fn hire(
    team: Team,
    theater: &Theater,
    servers: Option<&Servers>,
    params: &Params,
) -> Result<Crew<PointsPiece>, BenchError> {
    if let Some(servers) = servers {
        let mut crew = Crew::new();
        (0..team.size()).try_for_each(|_| crew.add(theater, servers.client()?))?;
        return Ok(crew);
    }
    match params.word("way") {
        CPU => team.on_cores(theater, || OnCores),
        DIRECT => team.on_devices(theater, ByCuda::open),
        KERNEL => {
            let which = team.which(params)?;
            team.on_devices(theater, || ByKernels::on(which))
        }
        _ => {
            let pool = balanced(team.which(params)?, team.devices, team.cores);
            team.pooled(theater, params, pool)
        }
    }
}

/// A driver by which the processor computes kernels may end all loops of a thread early, without an
/// error: Mesa's llvmpipe after 65,535 rounds (its `LP_MAX_TGSI_LOOP_ITERATIONS`). A kernel of
/// k-means goes once through all values of the centres.
fn too_many_rounds(params: &Params) -> Option<String> {
    let team = team(params);
    let ends_early = || team.which(params).is_ok_and(devices::is_processor);
    let values = params.count("centres").saturating_mul(params.count("dims"));
    (team.devices > 0 && values > 65_535 && ends_early()).then(|| {
        format!(
            "no GPU here, and what stands in for one has no room for {values} values of centres"
        )
    })
}

/// Who does a piece in the end: the way, or that of the processes that it leads to.
fn worker(params: &Params) -> &'static str {
    match params.word("way") {
        MIDDLEWARE => params.word("served_by"),
        way => way,
    }
}

fn team(params: &Params) -> Team {
    Team::that_works(worker(params), params)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::Value;
    use crate::workload::Variant;

    #[test]
    fn a_run_that_has_lost_a_process_is_done_once_more_and_not_for_ever() {
        let ended = || BenchError::WrongResult("worker process 1 ended".to_owned());
        let after = |lost: usize| {
            let mut runs = 0;
            let outcome = unless_lost(|| {
                runs += 1;
                Ok(if runs > lost {
                    Ok(Measured::new(runs as u64, Duration::ZERO))
                } else {
                    Err(ended())
                })
            });
            (outcome.map(|measured| measured.ops).map_err(|error| error.to_string()), runs)
        };
        assert_eq!(after(0), (Ok(1), 1));
        assert_eq!(after(2), (Ok(3), 3));
        assert_eq!(after(3), (Err("wrong result: worker process 1 ended".to_owned()), 3));
        let mut runs = 0;
        let outcome = unless_lost(|| {
            runs += 1;
            Err(ended())
        });
        assert!(outcome.is_err() && runs == 1, "what else goes wrong is told at once");
    }

    /// Before nothing changes any more, and long after that.
    #[test]
    fn rounds_go_on_for_a_time() {
        let start = KMEANS.defaults();
        let params = |settings: &[(&'static str, u64)]| {
            settings.iter().fold(start.clone(), |params, (name, value)| {
                params.with(name, Value::Number(*value))
            })
        };
        let params = params(&[("rows", 300), ("dims", 2), ("seconds", 1)]);
        for measured in [KMEANS.run(Variant::Pool, &params), KMEANS.floor(&params)] {
            let measured = measured.expect("it comes to what it should");
            assert!(measured.ns >= 1_000_000_000 && measured.ns < 30_000_000_000, "{measured:?}");
            assert!(measured.ops % 300 == 0 && measured.ops > 30 * 300, "{measured:?}");
        }
    }
}
