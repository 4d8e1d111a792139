use super::*;
use crate::image_source::GENERATED;
use crate::search::{DataEvent, FoundPlace, ImageSearch, KernelSearch, Limits};
use crate::simulation::{Settings, SimulationTask};
use crate::statistics::Statistics;
use crate::{gslib, png_image};
use odeon_example_iterative::devices::device_for;
use std::path::Path;
use std::time::Duration;

const MODES: [fn() -> Processing; 4] =
    [Processing::adaptive, Processing::concurrent, Processing::sequential, || {
        Processing::adaptive_with(odeon_speculative::Threshold::new)
    }];

const SETTINGS: Settings = Settings {
    neighbours: 15,
    radius: 50,
    limits: Limits { threshold: 0.0, fraction: 0.5 },
    seed: 1,
};

fn setup() -> SimulationSetup {
    SimulationSetup {
        workers: 2,
        processing: Processing::adaptive(),
        reads: Reads::Relaxed,
        is_point_by_point: false,
        simulators: 6,
        points: 10,
        logs: 2,
        log_points: 1000,
    }
}

fn task(edge: usize) -> SimulationTask {
    SimulationTask::load(edge, GENERATED, None, SETTINGS).expect("nothing is read")
}

fn by_kernels(task: SimulationTask) -> Option<SimulationTask> {
    let which = device_for("simulation with the search by kernels")?;
    let search = KernelSearch::on(which, task.model.image().clone(), SETTINGS.limits);
    let search = Box::new(search.expect("the device was there"));
    Some(SimulationTask { model: task.model.searched_by(search), ..task })
}

fn run(task: SimulationTask, setup: SimulationSetup) -> SimulationRun {
    SimulationRun::new(task, setup).expect("the theater starts")
}

/// However requests and looks come between each other, one thread could have done it, and what was
/// seen was there.
#[test]
fn whatever_the_interleaving_there_is_a_serial_order() {
    for mode in MODES {
        for reads in [Reads::Relaxed, Reads::Logged, Reads::Snapshot] {
            for is_point_by_point in [false, true] {
                let setup =
                    SimulationSetup { processing: mode(), reads, is_point_by_point, ..setup() };
                let outcome = run(task(60), setup).checked().simulate();
                let outcome = outcome.unwrap_or_else(|e| panic!("{reads:?}: {e}"));
                assert_eq!(outcome.serial_order.map(|order| order.len()), Some(3600));
            }
        }
    }
}

/// One request at a time: the path itself is the order, whoever asks, on however many workers,
/// whoever looks. By kernels the same is found, so the same comes out.
#[test]
fn in_sequence_the_grid_is_that_of_one_thread() {
    let expected = task(60).simulate();
    for (simulators, workers, is_point_by_point) in
        [(1, 1, false), (24, 1, false), (24, 1, true), (7, 4, false)]
    {
        for task in [Some(task(60)), by_kernels(task(60))].into_iter().flatten() {
            let processing = Processing::sequential();
            let setup =
                SimulationSetup { processing, simulators, workers, is_point_by_point, ..setup() };
            let outcome = run(task, setup).simulate().expect("it runs");
            assert!(outcome.grid == expected, "{simulators} simulators, {workers} workers");
        }
    }
}

/// Workers that search at the same time, and requests that are rolled back.
#[test]
fn with_kernels_there_is_a_serial_order_too() {
    let Some(task) = by_kernels(task(60)) else { return };
    let setup = SimulationSetup { processing: Processing::concurrent(), ..setup() };
    let outcome = run(task, setup).checked().simulate().expect("it runs");
    assert_eq!(outcome.serial_order.map(|order| order.len()), Some(3600));
}

#[test]
fn a_search_that_fails_ends_the_run() {
    struct Failing;
    impl ImageSearch for Failing {
        fn find(&self, _events: &[DataEvent], _answers: &mut [FoundPlace]) {
            panic!("the device is lost");
        }
    }
    let task = task(60);
    let task = SimulationTask { model: task.model.searched_by(Box::new(Failing)), ..task };
    let outcome =
        run(task, SimulationSetup { simulators: 1, logs: 0, ..setup() }).simulate().map(|_| ());
    let error = outcome.expect_err("nothing was found").to_string();
    assert!(error.contains("a request was lost"), "{error}");
}

#[test]
fn what_actors_simulate_is_like_the_training_image() {
    let run = run(task(200), SimulationSetup { points: 30, ..setup() });
    let outcome = run.simulate().expect("it runs");
    let image = run.task().model.image();
    let (ours, theirs) = (Statistics::of(&outcome.grid, image), Statistics::of_image(image));
    let difference = ours.difference(&theirs);
    // As for the simulation without actors, whose tests say why not less.
    assert!(difference.proportion < 0.1, "{difference:?}");
    assert!(difference.variogram < 0.2 && difference.connectivity < 0.5, "{difference:?}");
}

#[test]
fn searches_are_repeated_only_for_events_that_have_changed() {
    let setup = SimulationSetup { processing: Processing::concurrent(), workers: 4, ..setup() };
    let total = GeostatCourse::of(&run(task(60), setup), Duration::from_millis(1));
    let total = total.expect("it runs").total();
    assert_eq!(total.requests, 360);
    // Each attempt that was rolled back may have had all of its 10 events changed; of many hardly
    // all had, however long the machine let them stand still.
    let repeated = total.searches - 3600;
    assert!(repeated <= total.requests_rolled_back * 10, "{total:?}");
    assert!(
        total.requests_rolled_back < 20 || repeated < total.requests_rolled_back * 10,
        "{total:?}"
    );
}

#[test]
fn pictures_and_conditioning_data() {
    let out = std::env::temp_dir().join(format!("odeon-drawn-{}", std::process::id()));
    std::fs::create_dir_all(&out).expect("a folder");
    let data = out.join("wells.txt");
    let lines: String = (0..60).map(|x| format!("{x} 30 1\n")).collect();
    std::fs::write(&data, lines).expect("it can be written");
    let load = |data: &Path| SimulationTask::load(60, GENERATED, Some(data), SETTINGS);
    let task = load(&data).expect("60 points");
    assert_eq!(task.path.len(), 3540);
    let drawn = draw(run(task, setup()), &out).expect("it runs");
    assert_eq!(drawn.order, "there is a serial order of all 3540 points");
    let result = gslib::read(&out.join("result.dat")).expect("it was written");
    assert!((0..60).all(|x| result.at(x, 30) == 1.0));
    let picture = png_image::read(&out.join("result.png")).expect("it was drawn");
    assert_eq!((picture.width(), picture.height(), picture.at(0, 30)), (60, 60, 255.0));
    let _ = std::fs::remove_dir_all(&out);
}
