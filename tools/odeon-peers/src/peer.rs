//! What a peer brings: its name, and how it runs each workload that it knows.

use std::time::Duration;

use crate::host::Host;
use crate::params::{
    Bank, Big, Chameneos, Count, Create, Fjthrput, Forward, Front, IdleActors, List, Pingpong,
    Ring, Stm,
};

/// Runs one workload once. The driving thread calls it, outside the runtime.
pub type Run<P, R> = fn(&Host, &P) -> Result<R, String>;

#[derive(Clone, Copy)]
pub enum Peer {
    Runtime(Runtime),
    Memory(Memory),
}

impl Peer {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Runtime(runtime) => runtime.name,
            Self::Memory(memory) => memory.name,
        }
    }

    pub fn version(&self) -> &'static str {
        match self {
            Self::Runtime(runtime) => runtime.version,
            Self::Memory(memory) => memory.version,
        }
    }
}

/// An actor runtime. A table of functions rather than a trait: a peer has no state and no behaviour
/// of its own.
#[derive(Clone, Copy)]
pub struct Runtime {
    pub name: &'static str,
    pub version: &'static str,
    pub ring: Run<Ring, Sample>,
    pub pingpong: Run<Pingpong, Sample>,
    pub fjthrput: Run<Fjthrput, Sample>,
    pub create: Run<Create, Sample>,
    pub chameneos: Run<Chameneos, Sample>,
    pub big: Run<Big, Sample>,
    pub count: Run<Count, Sample>,
    pub forward: Run<Forward, Sample>,
    pub list: Run<List, Sample>,
    pub bank: Run<Bank, Sample>,
    pub front: Run<Front, Sample>,
    /// Growth of the resident size by idle actors that have each handled one message.
    pub idle_growth_bytes: Run<IdleActors, u64>,
}

/// A transactional memory; its threads are the workload's own.
#[derive(Clone, Copy)]
pub struct Memory {
    pub name: &'static str,
    pub version: &'static str,
    pub stm: fn(&Stm) -> Result<Sample, String>,
}

/// What was measured.
pub struct Sample {
    pub ops: u64,
    pub elapsed: Duration,
}
