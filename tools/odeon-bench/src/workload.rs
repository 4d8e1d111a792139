//! What every workload looks like to the runner, the figures and the command line.

use crate::error::BenchError;
use crate::history::History;
use crate::parameter::Setting;
use crate::parameter::{Parameter, Params};
use crate::peers;
use crate::samples::Measured;
use std::path::Path;

/// A benchmark program for actor runtimes, or for the transactional memory that Odeon brings, with the
/// same work done without either as its floor.
pub trait Workload: Sync {
    /// What it is called, what it takes, what it counts.
    fn about(&self) -> &'static About;

    /// Refuses combinations of parameters that make no sense together.
    fn check(&self, _params: &Params) -> Result<(), BenchError> {
        Ok(())
    }

    /// What this machine lacks for a run with these parameters: a device, a broker. Figures that need it are not measured.
    fn missing(&self, _params: &Params) -> Option<String> {
        None
    }

    /// Sets Odeon up, runs once, checks the result, and tears down; only the run is measured.
    fn run(&self, variant: Variant, params: &Params) -> Result<Measured, BenchError>;

    /// The same work with no runtime: a loop, a queue, two atomics.
    fn floor(&self, params: &Params) -> Result<Measured, BenchError>;

    /// The peers that know it.
    fn peers(&self) -> &'static [&'static str] {
        &peers::ACTOR_RUNTIMES
    }

    /// The parameters with which a paper has reported it, where they differ from the defaults.
    fn paper_settings(&self) -> &'static [Setting] {
        &[]
    }

    /// What a reader of the results of these parameters should know.
    fn note(&self, _params: &Params) -> Option<String> {
        None
    }

    /// Whether it has to open devices to find out what is missing. WHY it matters: what has been opened is not quiet. A thread of CubeCL looks for work
    /// 6,000 times a second as long as the process lives, which takes a part of a core from all that is measured afterwards.
    fn opens_devices(&self) -> bool {
        false
    }

    /// Whether its runs are measured in joules too, where the machine tells.
    fn looks_at_energy(&self) -> bool {
        false
    }

    /// How to record what every client of a run saw, where that makes sense.
    fn recorder(&self) -> Option<Recorder> {
        None
    }

    /// How to write pictures of a run, where there is something to be seen.
    fn pictures(&self) -> Option<Pictures> {
        None
    }

    /// Words of the parameter `mode` with which runs have speculative actors, where it makes sense to record what these
    /// [tell](crate::trace).
    fn traced_modes(&self) -> &'static [&'static str] {
        &[]
    }
}

/// Runs Odeon once with every operation recorded.
pub type Recorder = fn(Variant, &Params) -> Result<History, BenchError>;

/// Runs Odeon once with its pictures written into a folder, which is there; answers what there is to say of them.
pub type Pictures = fn(&Params, &Path) -> Result<String, BenchError>;

/// The description of a workload.
#[derive(Debug)]
pub struct About {
    /// The subcommand, and `workload` in JSON.
    pub name: &'static str,
    /// One line for `--help`.
    pub summary: &'static str,
    /// What one operation is, for headings: `ns per <operation>`.
    pub operation: &'static str,
    /// What the floor does.
    pub floor: &'static str,
    /// All parameters, `workers` included where there is a runtime.
    pub parameters: &'static [Parameter],
    /// The ways in which Odeon can run it; the first is the default.
    pub variants: &'static [Variant],
}

/// A way in which Odeon runs a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// On the work-stealing pool.
    Pool,
    /// On pinned stages.
    Pinned,
    /// On the pool, with asynchronous handlers.
    Async,
    /// On threads of the workload's own, in transactions: there is no theater.
    Stm,
}

impl Variant {
    /// The word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pool => "pool",
            Self::Pinned => "pinned",
            Self::Async => "async",
            Self::Stm => "stm",
        }
    }

    /// The name of the implementation in results.
    pub fn implementation(self) -> &'static str {
        match self {
            Self::Pool => "odeon-pool",
            Self::Pinned => "odeon-pinned",
            Self::Async => "odeon-async",
            Self::Stm => "odeon-stm",
        }
    }
}

/// The worker threads of the runtime: a parameter of every workload that has one.
pub const WORKERS: Parameter =
    Parameter::number("workers", "worker threads of the runtime", 1, 256, 2).outside_floor();
