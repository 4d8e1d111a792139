//! The workloads, one file each: what Odeon runs and, below it, its floor.
//!
//! Both use the same state machine, so that floor and runtime do the same work and differ in
//! delivery only.

mod big;
mod chameneos;
mod count;
mod create;
mod fjthrput;
mod forward;
mod list;
mod pingpong;
mod ring;

use crate::workload::Workload;

/// Every workload, in the order of the help text.
pub const ALL: [&dyn Workload; 9] = [
    &ring::Ring,
    &pingpong::PingPong,
    &fjthrput::ForkJoinThroughput,
    &create::Create,
    &chameneos::Chameneos,
    &big::Big,
    &count::Count,
    &forward::Forward,
    &list::List,
];

/// The workload of that name.
pub fn find(name: &str) -> Option<&'static dyn Workload> {
    ALL.into_iter().find(|workload| workload.about().name == name)
}

#[cfg(test)]
mod tests;
