//! What iterative programs on cores and devices reach.

use super::Goal::{
    AtMostFloors, AtMostMicrosecondsAboveFloor, AtMostTimes, AtMostTimesBest, AtMostTimesEnergy,
};
use super::{Group, Setting, group};
use crate::parameter::Value;
use crate::workload::Variant::Pool;

/// 0.9 of the speed of plain rayon.
const AGAINST_RAYON: f64 = 1.0 / 0.9;
/// 0.85 of the speed of CUDA C.
const AGAINST_DIRECT: f64 = 1.0 / 0.85;
/// 0.95 of the speed of the best configuration.
const AGAINST_BEST: f64 = 1.0 / 0.95;

const QUICK: &[Setting] = &[("rows", Value::Number(2000)), ("rounds", Value::Number(5))];

const ON_A_GPU: &[Setting] = &[
    ("way", Value::Word("kernel")),
    ("device", Value::Word("gpu")),
    // All of a round in one launch.
    ("pieces", Value::Number(1)),
];

const DIRECT: &[Setting] = &[("way", Value::Word("direct"))];

const EACH: &[Setting] = &[("wait", Value::Word("each"))];
const LAST: &[Setting] = &[("wait", Value::Word("last"))];

/// So many workers on cores, with as many threads, and on a device.
macro_rules! configuration {
    ($way:literal, $cores:literal, $devices:literal, $pieces:literal) => {
        &[
            ("way", Value::Word($way)),
            ("cpu_workers", Value::Number($cores)),
            ("device_workers", Value::Number($devices)),
            ("workers", Value::Number(if $cores > 2 { $cores } else { 2 })),
            ("pieces", Value::Number($pieces)),
        ]
    };
}

/// Cores alone.
const ON_CORES: &[&[Setting]] = &[
    configuration!("cpu", 1, 0, 4),
    configuration!("cpu", 2, 0, 4),
    configuration!("cpu", 4, 0, 4),
    configuration!("cpu", 8, 0, 4),
    configuration!("cpu", 16, 0, 4),
];

/// What the pool chooses from.
const CONFIGURATIONS: &[&[Setting]] = &[
    configuration!("cpu", 2, 0, 4),
    configuration!("mixed", 2, 0, 4),
    configuration!("mixed", 2, 1, 4),
    configuration!("mixed", 1, 1, 4),
    configuration!("mixed", 0, 1, 4),
];

const BALANCED: &[Setting] = configuration!("balanced", 2, 1, 4);

pub(super) fn groups() -> Vec<Group> {
    // TUNE: guessed 2026-11: rounds such that a sample takes some 100 ms on two cores; so long, too, where there is
    // something to find out: a driver that stands in for a device takes fifty times that.
    let kmeans = |rows, rounds| {
        let settings = [("rows", Value::Number(rows)), ("rounds", Value::Number(rounds))];
        group("kmeans", QUICK).without_peers().with(&settings)
    };
    let rayon = |rows, rounds| {
        let what = format!("kmeans, {rows} points: actors on cores against plain rayon");
        kmeans(rows, rounds).figure(&what, Pool, &[], AtMostFloors(AGAINST_RAYON))
    };
    let balanced = |rows, rounds| {
        let what = format!("kmeans, {rows} points: balancing pool against its best configuration");
        let goal = AtMostTimesBest(AGAINST_BEST, CONFIGURATIONS);
        kmeans(rows, rounds).figure(&what, Pool, BALANCED, goal)
    };
    let gpu = kmeans(131_072, 200)
        .figure(
            "kmeans, 131072 points: kernels on a GPU against cores",
            Pool,
            ON_A_GPU,
            AtMostTimesBest(0.1, ON_CORES),
        )
        .figure(
            "kmeans, 131072 points: energy with kernels on a GPU against cores",
            Pool,
            ON_A_GPU,
            AtMostTimesEnergy(0.2, ON_CORES),
        )
        .figure(
            "kmeans, 131072 points: CubeCL against direct",
            Pool,
            ON_A_GPU,
            AtMostTimes(AGAINST_DIRECT, DIRECT),
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
        balanced(4096, 2000),
        balanced(10_240, 800),
        balanced(131_072, 80),
        gpu,
    ]
}
