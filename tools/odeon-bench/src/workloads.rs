//! The workloads, one file each: what Odeon runs and, below it, its floor.
//!
//! Both use the same state machine, so that floor and runtime do the same work and differ in
//! delivery only.

mod bank;
mod beside;
mod big;
mod chameneos;
mod count;
mod create;
mod fjthrput;
mod forward;
#[cfg(feature = "full")]
mod front;
#[cfg(feature = "devices")]
mod geostat;
#[cfg(feature = "devices")]
mod kept;
#[cfg(feature = "devices")]
mod kmeans;
#[cfg(feature = "devices")]
mod launch;
mod list;
#[cfg(feature = "devices")]
mod logreg;
pub mod phases;
mod pingpong;
mod pressure;
mod restart;
mod ring;
mod savina;
mod shared_state;
mod stm;
#[cfg(feature = "theaters")]
pub mod theaters;
mod timers;
mod transfer;

use crate::workload::Workload;

#[cfg(feature = "devices")]
pub(crate) use geostat::record_course as record_geostat;
#[cfg(feature = "devices")]
pub(crate) use kmeans::report_of_pool as report_of_kmeans_pool;
pub(crate) use list::record_course;

/// Every workload, in the order of the help text.
pub const ALL: &[&Workload] = &[
    &ring::RING,
    &pingpong::PING_PONG,
    &fjthrput::FORK_JOIN_THROUGHPUT,
    &create::CREATE,
    &chameneos::CHAMENEOS,
    &big::BIG,
    &count::COUNT,
    &forward::FORWARD,
    &list::LIST,
    #[cfg(feature = "full")]
    &front::FRONT,
    &shared_state::LEDGER,
    &beside::BESIDE,
    &shared_state::ACCOUNTS,
    &shared_state::SESSION_DIRECTORY,
    &transfer::TRANSFER,
    #[cfg(feature = "devices")]
    &geostat::GEOSTAT,
    &timers::TIMERS,
    &bank::BANK,
    &savina::BANKING,
    &savina::LOGISTIC_MAP,
    &savina::BOUNDED_BUFFER,
    &savina::ADDER_JOIN,
    &savina::FILTER_BANK,
    &restart::RESTART,
    &pressure::PRESSURE,
    &stm::STM,
    &savina::N_QUEENS,
    &savina::A_STAR,
    &savina::PHILOSOPHERS,
    &savina::BARBER,
    &savina::CIGARETTE_SMOKERS,
    &savina::DICTIONARY,
    &savina::SORTED_LIST,
    #[cfg(feature = "theaters")]
    &theaters::THREAD_RING,
    #[cfg(feature = "theaters")]
    &theaters::THEATER_RINGS,
    #[cfg(feature = "theaters")]
    &theaters::MIGRATION_RINGS,
    #[cfg(feature = "theaters")]
    &theaters::REMOTE_THROUGHPUT,
    #[cfg(feature = "theaters")]
    &theaters::REMOTE_ASK,
    #[cfg(feature = "theaters")]
    &theaters::REMOTE_CREATE,
    #[cfg(feature = "devices")]
    &kmeans::KMEANS,
    #[cfg(feature = "devices")]
    &logreg::LOGREG,
    #[cfg(feature = "devices")]
    &launch::LAUNCHES,
];

/// The workload of that name.
pub fn find(name: &str) -> Option<&'static Workload> {
    ALL.iter().copied().find(|workload| workload.name == name)
}

/// Which feature of this crate has what is not in this build, by the name of the benchmark; `None`
/// if all of it is here, or there is no such benchmark.
pub fn feature_of(benchmark: &str) -> Option<&'static str> {
    let (_, feature) = FEATURES.iter().find(|(names, _)| names.contains(&benchmark))?;
    let is_here = match *feature {
        DEVICES => cfg!(feature = "devices"),
        THEATERS => cfg!(feature = "theaters"),
        _ => cfg!(feature = "full"),
    };
    (!is_here).then_some(feature)
}

/// The names of all benchmarks that need a feature.
pub fn with_features() -> impl Iterator<Item = &'static str> {
    FEATURES.iter().flat_map(|(names, _)| names.iter().copied())
}

const DEVICES: &str = "devices";
const THEATERS: &str = "theaters";

/// Benchmarks, and the feature that has them.
const FEATURES: &[(&[&str], &str)] = &[
    (&["geostat", "kmeans", "logreg", "launch", "heterogeneous"], DEVICES),
    (
        &[
            "threadring",
            "theaterrings",
            "migrationrings",
            "remotethroughput",
            "remoteask",
            "remotecreate",
            "theaters",
        ],
        THEATERS,
    ),
    (&["figures", "front"], "full"),
];

#[cfg(test)]
mod tests;
