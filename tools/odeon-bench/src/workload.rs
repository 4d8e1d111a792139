//! What every workload looks like to the runner, the figures and the command line.

use crate::error::BenchError;
use crate::parameter::{Parameter, Params, Setting};
use crate::samples::Measured;
use odeon_example_sorted_list::history::History;
use std::path::Path;

/// What nearly every workload needs to be declared and run.
pub(crate) mod prelude {
    pub(crate) use super::{Variant, WORKERS, Workload};
    pub(crate) use crate::error::BenchError;
    pub(crate) use crate::parameter::{Parameter, Params, Value};
    pub(crate) use crate::peers::ACTOR_RUNTIMES;
    pub(crate) use crate::samples::Measured;
    pub(crate) use crate::theater::{Post, pinned_stage, runtime, theater};
    pub(crate) use odeon_example_run::{Finish, FloorActor, FloorQueue, finish_line};
}

/// A benchmark program for actor runtimes, or for the transactional memory that Odeon brings, with
/// the same work done without either as its floor.
///
/// It is declared by what is not as with most of them, and `..Workload::new(name, run, floor)`.
pub struct Workload {
    /// The subcommand, and `workload` in JSON.
    pub name: &'static str,
    /// One line for `--help`.
    pub summary: &'static str,
    /// What one operation is, for headings: `ns per <operation>`.
    pub operation: &'static str,
    /// What the floor does.
    pub floor_is: &'static str,
    /// All parameters, `workers` included where there is a runtime.
    pub parameters: &'static [Parameter],
    /// The ways in which Odeon can run it; the first is the default.
    pub variants: &'static [Variant],
    /// The peers that know it.
    pub peers: &'static [&'static str],
    /// The parameters with which a paper has reported it, where they differ from the defaults.
    pub paper: &'static [Setting],
    /// Whether it has to open devices to find out what is missing. WHY it matters: what has been
    /// opened is not quiet. A thread of CubeCL looks for work 6,000 times a second as long as the
    /// process lives, which takes a part of a core from all that is measured afterwards.
    pub opens_devices: bool,
    /// Whether its runs are measured in joules too, where the machine tells.
    pub looks_at_energy: bool,
    /// How to record what every client of a run saw, where that makes sense.
    pub recorder: Option<Recorder>,
    /// How to write pictures of a run, where there is something to be seen.
    pub pictures: Option<Pictures>,
    /// Words of the parameter `mode` with which runs have speculative actors, where it makes sense
    /// to record what these [tell](crate::trace).
    pub traced_modes: &'static [&'static str],
    pub(crate) check: fn(&Params) -> Result<(), BenchError>,
    pub(crate) missing: fn(&Params) -> Option<String>,
    pub(crate) note: fn(&Params) -> Option<String>,
    pub(crate) run: fn(Variant, &Params) -> Result<Measured, BenchError>,
    pub(crate) floor: fn(&Params) -> Result<Measured, BenchError>,
}

/// Runs Odeon once with every operation recorded.
pub type Recorder = fn(Variant, &Params) -> Result<History, BenchError>;

/// Runs Odeon once with its pictures written into a folder, which is there; answers what there is
/// to say of them.
pub type Pictures = fn(&Params, &Path) -> Result<String, BenchError>;

impl Workload {
    /// As most are. `run` sets Odeon up, runs once, checks the result, and tears down; only the run
    /// is measured. `floor` does the same work with no runtime: a loop, a queue, two atomics.
    pub(crate) const fn new(
        name: &'static str,
        run: fn(Variant, &Params) -> Result<Measured, BenchError>,
        floor: fn(&Params) -> Result<Measured, BenchError>,
    ) -> Self {
        Self {
            name,
            summary: "",
            operation: "",
            floor_is: "",
            parameters: &[],
            variants: &[Variant::Pool],
            peers: &[],
            paper: &[],
            opens_devices: false,
            looks_at_energy: false,
            recorder: None,
            pictures: None,
            traced_modes: &[],
            check: |_| Ok(()),
            missing: |_| None,
            note: |_| None,
            run,
            floor,
        }
    }

    /// Its parameters at their defaults.
    pub fn defaults(&self) -> Params {
        Params::defaults(self.parameters)
    }

    /// The option of a parameter on the command line; empty if there is none.
    pub(crate) fn option(&self, name: &str) -> String {
        let parameter = self.parameters.iter().find(|parameter| parameter.name == name);
        parameter.map_or_else(String::new, Parameter::option)
    }

    /// Refuses combinations of parameters that make no sense together.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn check(&self, params: &Params) -> Result<(), BenchError> {
        (self.check)(params)
    }

    /// What this machine lacks for a run with these parameters: a device, a broker. Figures that
    /// need it are not measured.
    pub fn missing(&self, params: &Params) -> Option<String> {
        (self.missing)(params)
    }

    /// What a reader of the results of these parameters should know.
    pub fn note(&self, params: &Params) -> Option<String> {
        (self.note)(params)
    }

    /// One run of Odeon, checked.
    ///
    /// # Errors
    /// Whatever ends it early.
    pub fn run(&self, variant: Variant, params: &Params) -> Result<Measured, BenchError> {
        (self.run)(variant, params)
    }

    /// The same work with no runtime.
    ///
    /// # Errors
    /// If it comes to a wrong result.
    pub fn floor(&self, params: &Params) -> Result<Measured, BenchError> {
        (self.floor)(params)
    }
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
