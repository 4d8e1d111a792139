//! What iterative programs on cores and devices reach.

use super::Goal::{
    AtMostFloors, AtMostMicrosecondsAboveFloor, AtMostTimes, AtMostTimesBest, AtMostTimesEnergy,
};
use super::{Group, alone};
use crate::parameter::Setting;
use crate::parameter::Value::{Number, Word};

/// 0.9 of the speed of plain rayon.
const AGAINST_RAYON: f64 = 1.0 / 0.9;
/// 0.85 of the speed of CUDA C.
const AGAINST_DIRECT: f64 = 1.0 / 0.85;
/// 0.95 of the speed of the best configuration.
const AGAINST_BEST: f64 = 1.0 / 0.95;

const QUICK: &[Setting] = &[("rows", Number(2000)), ("rounds", Number(5))];

/// Of what goes on for a time otherwise.
const SHORT: &[Setting] = &[("rows", Number(2000)), ("rounds", Number(5)), ("seconds", Number(0))];

pub(super) const ON_A_GPU: &[Setting] = &[
    ("way", Word("kernel")),
    ("device", Word("gpu")),
    // All of a round in one launch.
    ("pieces", Number(1)),
];

const DIRECT: &[Setting] = &[("way", Word("direct"))];

const EACH: &[Setting] = &[("wait", Word("each"))];
const LAST: &[Setting] = &[("wait", Word("last"))];

/// Where energy is compared.
/// TUNE: s, 2026-11: a counter of a GPU may be off by what it draws at its peak in 0.1 s, 105 J; so
/// that this is a tenth of what all draw, at 200 W and more.
const LONG_ENOUGH_FOR_COUNTERS: u64 = 6;

/// By how much a run of the pool, and one of cores alone, is longer than those of the
/// configurations with a device.
/// TUNE: guessed 2026-11: some 4 s on two cores, so that two pieces of a device that is forty times
/// slower, each of which holds up a round, are less than 2 % of it. Configurations with such a
/// device alone would take minutes for as many rounds.
const LONGER: u64 = 20;

/// How many cores this machine has; two, where it has one, so that there is something to choose.
fn cores_here() -> u64 {
    std::thread::available_parallelism().map_or(2, |cores| cores.get() as u64).clamp(2, 256)
}

/// So many workers on cores, with as many threads, and on a device.
fn configuration(way: &'static str, cores: u64, devices: u64) -> &'static [Setting] {
    Vec::leak(vec![
        ("way", Word(way)),
        ("cpu_workers", Number(cores)),
        ("device_workers", Number(devices)),
        ("workers", Number(cores.max(2))),
        ("pieces", Number(4)),
    ])
}

/// Cases that do the same on cores and devices, for a number of cores.
pub(super) struct Configurations {
    /// Cores alone: up to as many as there are.
    pub(super) on_cores: &'static [&'static [Setting]],
    /// What the pool chooses from, and cores alone without a pool.
    all: &'static [&'static [Setting]],
    /// Those of them without a device. Their runs are as long as those of the pool: what else
    /// happens on a machine comes and goes within seconds.
    as_long: &'static [&'static [Setting]],
    balanced: &'static [Setting],
}

impl Configurations {
    /// WHY leaked: lists of figures refer to settings that live as long as the program, which makes
    /// few lists.
    pub(super) fn of(cores: u64) -> Self {
        let powers = (0..).map(|power| 1 << power).take_while(|count| *count < cores);
        let on_cores: Vec<_> =
            powers.chain([cores]).map(|count| configuration("cpu", count, 0)).collect();
        let all: &[_] = vec![
            configuration("cpu", cores, 0),
            configuration("mixed", cores, 0),
            configuration("mixed", cores, 1),
            configuration("mixed", cores - 1, 1),
            configuration("mixed", 0, 1),
        ]
        .leak();
        Self {
            on_cores: on_cores.leak(),
            all,
            as_long: &all[..2],
            balanced: configuration("balanced", cores, 1),
        }
    }
}

/// So many rounds.
fn lasting(rounds: u64) -> &'static [Setting] {
    Vec::leak(vec![("rounds", Number(rounds))])
}

fn kmeans(rows: u64, rounds: u64) -> Group {
    let settings = [("rows", Number(rows)), ("rounds", Number(rounds))];
    alone("kmeans", QUICK).with(&settings)
}

/// The pool finds the best of all configurations; its runs are `longer` times those with a device.
pub(super) fn balanced(configurations: &Configurations, longer: u64) -> [Group; 3] {
    // TUNE: guessed 2026-11: rounds such that a sample takes some 100 ms on two cores; so long,
    // too, where there is something to find out: a driver that stands in for a device takes fifty
    // times that.
    [(4096, 2000), (10_240, 800), (131_072, 80)].map(|(rows, rounds)| {
        let what = format!("kmeans, {rows} points: balancing pool against its best configuration");
        let goal = AtMostTimesBest(AGAINST_BEST, configurations.all);
        kmeans(rows, rounds)
            .figure(&what, configurations.balanced, goal)
            .longer(lasting(longer * rounds), configurations.as_long)
    })
}

/// Kernels against cores, and against CUDA C.
pub(super) fn gpu(configurations: &Configurations) -> Group {
    kmeans(131_072, 200)
        .figure(
            "kmeans, 131072 points: kernels on a GPU against cores",
            ON_A_GPU,
            AtMostTimesBest(0.1, configurations.on_cores),
        )
        .figure(
            "kmeans, 131072 points: CubeCL against direct",
            ON_A_GPU,
            AtMostTimes(AGAINST_DIRECT, DIRECT),
        )
}

/// Where energy is compared: runs that are long enough for the counters.
fn with_energy() -> Group {
    alone("kmeans", SHORT)
        .with(&[("rows", Number(131_072))])
        .with(&[("seconds", Number(LONG_ENOUGH_FOR_COUNTERS))])
}

/// The same in joules.
pub(super) fn energy(configurations: &Configurations) -> Group {
    with_energy().figure(
        "kmeans, 131072 points: energy with kernels on a GPU against cores",
        ON_A_GPU,
        AtMostTimesEnergy(0.2, configurations.on_cores),
    )
}

/// The pool that looks for the least energy takes no more than the fastest configuration does.
pub(super) fn balanced_by_energy(configurations: &Configurations) -> Group {
    with_energy().with(&[("objective", Word("energy"))]).figure(
        "kmeans, 131072 points: energy of a balancing pool against the fastest configuration",
        configurations.balanced,
        AtMostTimesEnergy(1.0, configurations.all),
    )
}

/// What a device actor adds to a launch.
pub(super) fn launch(way: &'static str, launches: u64) -> Group {
    let settings = [("way", Word(way)), ("launches", Number(launches))];
    let few = &[("launches", Number(50))];
    let group = alone("launch", few).with(&settings);
    let figure = |group: Group, settings, waited_for| {
        let what = format!("a launch by a device actor, {way}, {waited_for} waited for");
        group.figure(&what, settings, AtMostMicrosecondsAboveFloor(5.0))
    };
    figure(figure(group, EACH, "each"), LAST, "the last")
}

pub(super) fn groups() -> Vec<Group> {
    let configurations = Configurations::of(cores_here());
    let rayon = |rows, rounds| {
        let what = format!("kmeans, {rows} points: actors on cores against plain rayon");
        kmeans(rows, rounds).figure(&what, &[], AtMostFloors(AGAINST_RAYON))
    };
    let logreg = alone("logreg", QUICK).with(&[("rounds", Number(100))]).figure(
        "logreg: actors on cores against plain rayon",
        &[],
        AtMostFloors(AGAINST_RAYON),
    );
    let mut groups = vec![
        launch("host", 20_000),
        launch("kernel", 500),
        rayon(65_536, 100),
        rayon(4096, 1000),
        logreg,
    ];
    groups.extend(balanced(&configurations, LONGER));
    groups.extend([gpu(&configurations), energy(&configurations)]);
    groups
}
