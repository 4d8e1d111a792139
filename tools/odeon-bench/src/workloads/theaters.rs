//! Workloads of several theaters, each in a process of its own, on the loopback interface.
//!
//! | question | file |
//! |---|---|
//! | who takes part beside the driving process, and how do they come and go? | `members.rs` |
//! | what is one told, and what does it run? | `seat.rs` |
//! | a theater that the others reach | `place.rs` |
//! | actors that others may have created there | `tally.rs`, `echo.rs`, `ring_member.rs`, `created.rs`, `keeper.rs` |
//! | actors that move | `wanderer.rs`, `ring_member.rs` |
//! | the floors: Zenoh alone, TCP alone | `bare_zenoh.rs`, `tcp.rs` |

mod bare_zenoh;
mod created;
mod echo;
mod keeper;
mod members;
mod migrationrings;
mod payload;
mod place;
mod remoteask;
mod remotecreate;
mod remotethroughput;
mod ring_member;
mod seat;
mod tally;
mod tcp;
mod theaterrings;
mod threadring;
mod wanderer;

#[cfg(test)]
mod tests;

pub(super) use migrationrings::MIGRATION_RINGS;
pub(super) use remoteask::REMOTE_ASK;
pub(super) use remotecreate::REMOTE_CREATE;
pub(super) use remotethroughput::REMOTE_THROUGHPUT;
pub use seat::run_member;
pub(super) use theaterrings::THEATER_RINGS;
pub(super) use threadring::THREAD_RING;

use crate::parameter::Parameter;

/// The hidden subcommand of members that are processes.
const MEMBER: &str = "member";

/// Where the members are: by default in processes of their own.
const MEMBERS: Parameter = Parameter::word(
    "members",
    "where the other members are: in processes of their own, or on threads of this one",
    &[PROCESSES, THREADS],
);
const PROCESSES: &str = "processes";
const THREADS: &str = "threads";
