//! What iterative programs on cores and devices reach.

use super::Goal::{
    AtMostFloors, AtMostMicrosecondsAboveFloor, AtMostTimes, AtMostTimesBest, AtMostTimesEnergy,
};
use super::{Group, Setting, group};
use crate::parameter::Value;
use crate::workload::Variant::Pool;
use std::sync::LazyLock;

/// 0.9 of the speed of plain rayon.
const AGAINST_RAYON: f64 = 1.0 / 0.9;
/// 0.85 of the speed of CUDA C.
const AGAINST_DIRECT: f64 = 1.0 / 0.85;
/// 0.95 of the speed of the best configuration.
const AGAINST_BEST: f64 = 1.0 / 0.95;

const QUICK: &[Setting] = &[("rows", Value::Number(2000)), ("rounds", Value::Number(5))];

/// Of what goes on for a time otherwise.
const SHORT: &[Setting] =
    &[("rows", Value::Number(2000)), ("rounds", Value::Number(5)), ("seconds", Value::Number(0))];

const ON_A_GPU: &[Setting] = &[
    ("way", Value::Word("kernel")),
    ("device", Value::Word("gpu")),
    // All of a round in one launch.
    ("pieces", Value::Number(1)),
];

const DIRECT: &[Setting] = &[("way", Value::Word("direct"))];

const EACH: &[Setting] = &[("wait", Value::Word("each"))];
const LAST: &[Setting] = &[("wait", Value::Word("last"))];

/// Where energy is compared.
/// TUNE: s, 2026-11: a counter of a GPU may be off by what it draws at its peak in 0.1 s, 105 J; so that this is a tenth of what all draw, at 200 W and more.
const LONG_ENOUGH_FOR_COUNTERS: u64 = 6;

/// By how much a run of the pool, and one of cores alone, is longer than those of the configurations with a device.
/// TUNE: guessed 2026-11: some 4 s on two cores, so that two pieces of a device that is forty times slower, each of which holds up a round, are less
/// than 2 % of it. Configurations with such a device alone would take minutes for as many rounds.
const LONGER: u64 = 20;

/// How many cores this machine has; two, where it has one, so that there is something to choose.
fn cores() -> u64 {
    std::thread::available_parallelism().map_or(2, |cores| cores.get() as u64).clamp(2, 256)
}

/// So many workers on cores, with as many threads, and on a device.
fn configuration(way: &'static str, cores: u64, devices: u64) -> &'static [Setting] {
    Vec::leak(vec![
        ("way", Value::Word(way)),
        ("cpu_workers", Value::Number(cores)),
        ("device_workers", Value::Number(devices)),
        ("workers", Value::Number(cores.max(2))),
        ("pieces", Value::Number(4)),
    ])
}

/// Cores alone: up to as many as there are.
static ON_CORES: LazyLock<Vec<&[Setting]>> = LazyLock::new(|| {
    let powers = (0..).map(|power| 1 << power).take_while(|count| *count < cores());
    powers.chain([cores()]).map(|count| configuration("cpu", count, 0)).collect()
});

/// What the pool chooses from, and cores alone without a pool.
static CONFIGURATIONS: LazyLock<[&[Setting]; 5]> = LazyLock::new(|| {
    [
        configuration("cpu", cores(), 0),
        configuration("mixed", cores(), 0),
        configuration("mixed", cores(), 1),
        configuration("mixed", cores() - 1, 1),
        configuration("mixed", 0, 1),
    ]
});

/// Those of them without a device. Their runs are as long as those of the pool: what else happens on a machine comes and goes within seconds.
static AS_LONG: LazyLock<&[&[Setting]]> = LazyLock::new(|| &CONFIGURATIONS[..2]);

static BALANCED: LazyLock<&[Setting]> = LazyLock::new(|| configuration("balanced", cores(), 1));

/// So many rounds.
fn lasting(rounds: u64) -> &'static [Setting] {
    Vec::leak(vec![("rounds", Value::Number(rounds))])
}

pub(super) fn groups() -> Vec<Group> {
    // TUNE: guessed 2026-11: rounds such that a sample takes some 100 ms on two cores; so long, too, where there is
    // something to find out: a driver that stands in for a device takes fifty times that.
    static LENGTHS: LazyLock<[&[Setting]; 3]> =
        LazyLock::new(|| [2000, 800, 80].map(|rounds| lasting(LONGER * rounds)));
    let kmeans = |rows, rounds| {
        let settings = [("rows", Value::Number(rows)), ("rounds", Value::Number(rounds))];
        group("kmeans", QUICK).without_peers().with(&settings)
    };
    let rayon = |rows, rounds| {
        let what = format!("kmeans, {rows} points: actors on cores against plain rayon");
        kmeans(rows, rounds).figure(&what, Pool, &[], AtMostFloors(AGAINST_RAYON))
    };
    let balanced = |rows, rounds, longer| {
        let what = format!("kmeans, {rows} points: balancing pool against its best configuration");
        let goal = AtMostTimesBest(AGAINST_BEST, &*CONFIGURATIONS);
        kmeans(rows, rounds).figure(&what, Pool, &BALANCED, goal).longer(longer, *AS_LONG)
    };
    let gpu = kmeans(131_072, 200)
        .figure(
            "kmeans, 131072 points: kernels on a GPU against cores",
            Pool,
            ON_A_GPU,
            AtMostTimesBest(0.1, &ON_CORES),
        )
        .figure(
            "kmeans, 131072 points: CubeCL against direct",
            Pool,
            ON_A_GPU,
            AtMostTimes(AGAINST_DIRECT, DIRECT),
        );
    let energy = group("kmeans", SHORT)
        .without_peers()
        .with(&[("rows", Value::Number(131_072))])
        .with(&[("seconds", Value::Number(LONG_ENOUGH_FOR_COUNTERS))])
        .figure(
            "kmeans, 131072 points: energy with kernels on a GPU against cores",
            Pool,
            ON_A_GPU,
            AtMostTimesEnergy(0.2, &ON_CORES),
        );
    let logreg =
        group("logreg", QUICK).without_peers().with(&[("rounds", Value::Number(100))]).figure(
            "logreg: actors on cores against plain rayon",
            Pool,
            &[],
            AtMostFloors(AGAINST_RAYON),
        );
    let launch = |way, launches| {
        let settings = [("way", Value::Word(way)), ("launches", Value::Number(launches))];
        let few = &[("launches", Value::Number(50))];
        let group = group("launch", few).without_peers().with(&settings);
        let figure = |group: Group, settings, waited_for| {
            let what = format!("a launch by a device actor, {way}, {waited_for} waited for");
            group.figure(&what, Pool, settings, AtMostMicrosecondsAboveFloor(5.0))
        };
        figure(figure(group, EACH, "each"), LAST, "the last")
    };
    vec![
        launch("host", 20_000),
        launch("kernel", 500),
        rayon(65_536, 100),
        rayon(4096, 1000),
        logreg,
        balanced(4096, 2000, LENGTHS[0]),
        balanced(10_240, 800, LENGTHS[1]),
        balanced(131_072, 80, LENGTHS[2]),
        gpu,
        energy,
    ]
}
