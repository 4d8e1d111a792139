//! Other runtimes and libraries doing the same work: one child process each, which answers requests
//! line by line.
//!
//! The program behind them is the package `tools/odeon-peers`, which ordinary builds do not
//! compile.

mod build;
mod process;

use crate::error::BenchError;
use crate::parameter::Params;
use crate::samples::Measured;
use process::Process;
use serde::Deserialize;
use std::path::PathBuf;

/// The actor runtimes that the peers' program knows.
pub const ACTOR_RUNTIMES: [&str; 3] = ["tokio", "kameo", "ractor"];
/// The transactional memories that it knows.
pub const TRANSACTIONAL_MEMORIES: [&str; 2] = ["stm", "fast-stm"];

/// All peers.
pub fn names() -> impl Iterator<Item = &'static str> {
    ACTOR_RUNTIMES.into_iter().chain(TRANSACTIONAL_MEMORIES)
}

/// What a peer says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Hello {
    /// Its name.
    #[serde(rename = "impl")]
    pub implementation: String,
    /// Version of the library.
    pub version: String,
    /// The allocator that its process uses.
    #[serde(default)]
    pub allocator: String,
    /// The compiler that built it.
    #[serde(default)]
    pub rustc: String,
}

fn failed(peer: &str, problem: impl std::fmt::Display) -> BenchError {
    BenchError::Beside(format!("peer {peer}: {problem}"))
}

/// The running peers of one measurement.
pub struct Peers {
    program: Option<PathBuf>,
    running: Vec<(Hello, Process)>,
}

impl Peers {
    /// For measurements without peers.
    pub fn none() -> Self {
        Self { program: None, running: Vec::new() }
    }

    /// Builds the peers' program (unless the environment variable `ODEON_PEERS` names one that is
    /// built) and starts one process per name.
    pub fn start(names: &[String]) -> Result<Self, BenchError> {
        if names.is_empty() {
            return Ok(Self::none());
        }
        let twice = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name));
        if let Some((_, name)) = twice {
            return Err(BenchError::bad_argument("--vs", format!("lists {name} twice")));
        }
        Self::start_program(build::program()?, names)
    }

    fn start_program(program: PathBuf, names: &[String]) -> Result<Self, BenchError> {
        let running = names.iter().map(|name| Process::start(&program, name));
        let running = running.collect::<Result<_, _>>()?;
        Ok(Self { program: Some(program), running })
    }

    /// What the running peers say about themselves.
    pub fn hellos(&self) -> impl Iterator<Item = &Hello> {
        self.running.iter().map(|(hello, _)| hello)
    }

    /// The version of a running peer.
    pub fn version_of(&self, name: &str) -> Option<&str> {
        let hello = self.hellos().find(|hello| hello.implementation == name);
        hello.map(|hello| hello.version.as_str())
    }

    /// One run of a workload.
    pub(crate) fn sample(
        &mut self,
        name: &str,
        workload: &str,
        params: &Params,
    ) -> Result<Measured, BenchError> {
        #[derive(Deserialize)]
        struct SampleAnswer {
            ops: u64,
            ns: u64,
            peak_rss_kib: Option<u64>,
        }
        let running = self.running.iter_mut().find(|(hello, _)| hello.implementation == name);
        let (_, process) = running.ok_or_else(|| failed(name, "is not running"))?;
        let SampleAnswer { ops, ns, peak_rss_kib } = process.ask(workload, params)?;
        Ok(Measured {
            ops,
            ns,
            peak_rss_kib,
            growth_kib_per_minute: None,
            latency: None,
            joules: None,
        })
    }

    /// Resident bytes of an idle actor. WHY in a fresh process: a used one has free memory to fill
    /// first.
    pub fn idle_actor_bytes(&self, name: &str, params: &Params) -> Result<f64, BenchError> {
        #[derive(Deserialize)]
        struct IdleAnswer {
            bytes_per_actor: f64,
        }
        let no_program = || failed(name, "is not running");
        let program = self.program.as_ref().ok_or_else(no_program)?;
        let (_, mut process) = Process::start(program, name)?;
        let IdleAnswer { bytes_per_actor } = process.ask("idle_actor_bytes", params)?;
        Ok(bytes_per_actor)
    }
}

#[cfg(all(test, unix))]
mod tests;
