//! The simulation by actors, as in Hayduk's thesis (5.4.2). A *main actor* holds the simulation
//! grid in transactional variables; *simulation actors* have it simulate some points for each
//! request; *log actors* have it show the grid, again and again, until all points are simulated.
//!
//! WHY a request is one transaction: what a point's search has to be protected from are commits
//! between its look at the neighbours and its own commit. A transaction of 30 points looks at more
//! and for longer, so it is rolled back more often; but a request that is handled again searches
//! only for events that have changed ([`Batch`](crate::simulation::Batch)), so that a rollback
//! costs looks, which are cheap, and 30 points share one message, one commit and one answer.
//! [`SimulationSetup::is_point_by_point`] is the other way, for comparison.
//!
//! The same seed makes the same path and the same draws. The grid is the same too as long as
//! requests are handled one at a time ([`Processing::sequential`]): that of one thread, with any
//! number of simulation actors and workers. Otherwise points are simulated in the order in which
//! transactions commit, which is the order of a run, as in the thesis; what comes out is judged by
//! there being a serial order that leads to it, and by statistics.

mod course;
mod log_actor;
mod main_actor;
mod pictures;
mod running;
mod simulator;

use odeon_speculative::{Access, Processing};

pub use course::{GeostatCourse, SimulationProgress};
pub use pictures::{Drawn, draw};
pub use running::{SimulationOutcome, SimulationRun};

/// Who simulates, and how.
#[derive(Clone)]
pub struct SimulationSetup {
    /// Worker threads of the theater.
    pub workers: usize,
    /// How the main actor processes its messages.
    pub processing: Processing,
    /// How log actors read.
    pub reads: Reads,
    /// Whether each point is a transaction of its own, instead of each request.
    pub is_point_by_point: bool,
    /// Simulation actors.
    pub simulators: usize,
    /// Points of a request.
    pub points: usize,
    /// Log actors.
    pub logs: usize,
    /// Nodes that a look sees.
    pub log_points: usize,
}

/// How log actors read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// As it is.
    Relaxed,
    /// In a transaction.
    Logged,
    /// In a snapshot.
    Snapshot,
}

impl Reads {
    fn access(self) -> Access {
        match self {
            Self::Relaxed => Access::Relaxed,
            Self::Logged => Access::Update,
            Self::Snapshot => Access::Snapshot,
        }
    }
}

#[cfg(test)]
mod tests;
