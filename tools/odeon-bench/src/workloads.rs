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
mod geostat;
mod kept;
mod kmeans;
mod launch;
mod ledger;
mod list;
mod logmap;
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
pub mod theaters;
mod timers;
mod tmap;
mod transfer;

use crate::workload::Workload;

pub(crate) use geostat::record_course as record_geostat;
pub(crate) use geostat::{Course as GeostatCourse, Progress as GeostatProgress};
pub(crate) use kmeans::report_of_pool as report_of_kmeans_pool;
pub(crate) use list::{Course, Progress, record_course};

/// Every workload, in the order of the help text.
pub const ALL: [&dyn Workload; 41] = [
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
    &theaters::ThreadRing,
    &theaters::TheaterRings,
    &theaters::MigrationRings,
    &theaters::RemoteThroughput,
    &theaters::RemoteAsk,
    &theaters::RemoteCreate,
    &kmeans::KMEANS,
    &logreg::LOGREG,
    &launch::Launches,
];

/// The workload of that name.
pub fn find(name: &str) -> Option<&'static dyn Workload> {
    ALL.into_iter().find(|workload| workload.about().name == name)
}

#[cfg(test)]
mod tests;
