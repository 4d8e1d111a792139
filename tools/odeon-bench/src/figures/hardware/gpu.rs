//! Programs on cores and devices where one of these is a GPU.

use super::super::Goal::AtMostTimesBest;
use super::super::heterogeneous::{self, Configurations, ON_A_GPU};
use super::super::sweep::Sweep;
use super::super::{Group, Setting, alone};
use crate::parameter::Value::{Number, Word};
use crate::workload::Variant::Pool;

/// By how much a run of the pool is longer than those with a device.
/// TUNE: guessed 2026-11: with a GPU and sixteen cores some 0.5 s. No device holds up a round for
/// as long as one that the processor stands in for.
const LONGER: u64 = 10;

const QUICK: &[Setting] = &[("rows", Number(2000)), ("rounds", Number(5))];
const QUICK_GRID: &[Setting] = &[("grid", Number(12)), ("log_points", Number(100))];

/// Those with counters last: their runs are long, and many machines tell no joules.
pub(super) fn groups(cores: u64) -> Vec<Group> {
    let configurations = Configurations::of(cores);
    let mut groups = vec![
        heterogeneous::launch("kernel", 500),
        heterogeneous::gpu(&configurations),
        logreg(&configurations),
        geostat(cores),
    ];
    groups.extend(heterogeneous::balanced(&configurations, LONGER));
    groups.extend([
        heterogeneous::energy(&configurations),
        heterogeneous::balanced_by_energy(&configurations),
    ]);
    groups
}

/// A GPU is worth it.
fn logreg(configurations: &Configurations) -> Group {
    let settings = [("rows", Number(131_072)), ("rounds", Number(100))];
    alone("logreg", QUICK).with(&settings).figure(
        "logreg, 131072 points: kernels on a GPU against cores",
        ON_A_GPU,
        AtMostTimesBest(1.0, configurations.on_cores),
    )
}

/// WHY not judged: nobody has promised that kernels search faster than cores do.
fn geostat(cores: u64) -> Group {
    let search = |word| [("search", Word(word)), ("device", Word("gpu"))];
    let sweep = Sweep::new("geostat, a grid of 200 x 200 points", Pool, "workers")
        .row("search on cores", &search("cpu"), &[1, cores])
        .row("search by kernels", &search("kernel"), &[1, cores]);
    alone("geostat", QUICK_GRID)
        .with(&[("grid", Number(200)), ("workers", Number(cores))])
        .shown(sweep)
}
