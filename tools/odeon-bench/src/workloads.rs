//! The workloads, one file each: what Odeon runs and, below it, its floor.
//!
//! Both use the same state machine, so that floor and runtime do the same work and differ in
//! delivery only.

mod accounts;
mod adderjoin;
mod astar;
mod bank;
mod bank_transfers;
mod banking;
mod barber;
mod beside;
mod big;
mod bndbuffer;
mod book;
mod chameneos;
mod cigsmok;
mod clients;
mod count;
mod create;
mod dictionary;
mod filterbank;
mod fjthrput;
mod forward;
#[cfg(feature = "devices")]
mod geostat;
#[cfg(feature = "devices")]
mod kept;
#[cfg(feature = "devices")]
mod kmeans;
#[cfg(feature = "devices")]
mod launch;
mod ledger;
mod list;
mod logmap;
#[cfg(feature = "devices")]
mod logreg;
mod nqueens;
pub mod phases;
mod philosophers;
mod pingpong;
mod pressure;
mod restart;
mod ring;
mod shared_state;
mod sortedlist;
mod stm;
#[cfg(feature = "theaters")]
pub mod theaters;
mod timers;
mod tmap;
mod transfer;

use crate::workload::Workload;

#[cfg(feature = "devices")]
pub(crate) use geostat::record_course as record_geostat;
#[cfg(feature = "devices")]
pub(crate) use kmeans::report_of_pool as report_of_kmeans_pool;
pub(crate) use list::{Course, Progress, record_course};

/// Every workload, in the order of the help text.
pub const ALL: &[&dyn Workload] = &[
    &ring::Ring,
    &pingpong::PingPong,
    &fjthrput::ForkJoinThroughput,
    &create::Create,
    &chameneos::Chameneos,
    &big::Big,
    &count::Count,
    &forward::Forward,
    &list::List,
    &ledger::Ledger,
    &beside::Beside,
    &accounts::Accounts,
    &tmap::SessionDirectory,
    &transfer::Transfer,
    #[cfg(feature = "devices")]
    &geostat::Geostat,
    &timers::Timers,
    &bank::Bank,
    &banking::Banking,
    &logmap::LogisticMap,
    &bndbuffer::BoundedBuffer,
    &adderjoin::AdderJoin,
    &filterbank::FilterBank,
    &restart::Restart,
    &pressure::Pressure,
    &stm::Stm,
    &nqueens::NQueens,
    &astar::AStar,
    &philosophers::Philosophers,
    &barber::Barber,
    &cigsmok::CigaretteSmokers,
    &dictionary::Dictionary,
    &sortedlist::SortedListOfNumbers,
    #[cfg(feature = "theaters")]
    &theaters::ThreadRing,
    #[cfg(feature = "theaters")]
    &theaters::TheaterRings,
    #[cfg(feature = "theaters")]
    &theaters::MigrationRings,
    #[cfg(feature = "theaters")]
    &theaters::RemoteThroughput,
    #[cfg(feature = "theaters")]
    &theaters::RemoteAsk,
    #[cfg(feature = "theaters")]
    &theaters::RemoteCreate,
    #[cfg(feature = "devices")]
    &kmeans::KMEANS,
    #[cfg(feature = "devices")]
    &logreg::LOGREG,
    #[cfg(feature = "devices")]
    &launch::Launches,
];

/// The workload of that name.
pub fn find(name: &str) -> Option<&'static dyn Workload> {
    ALL.iter().copied().find(|workload| workload.about().name == name)
}

/// Which feature of this crate has what is not in this build, by the name of the benchmark; `None` if all of it is here, or
/// there is no such benchmark.
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
    (&["figures"], "full"),
];

#[cfg(test)]
mod tests;
