//! What a peer brings: its name, and how it runs each workload.

use std::time::Duration;

use crate::host::Host;
use crate::params::{
    Bank, Big, Chameneos, Count, Create, Fjthrput, Forward, IdleActors, List, Pingpong, Ring,
};

/// Runs one workload once. The driving thread calls it, outside the runtime.
pub type Run<P, R> = fn(&Host, &P) -> Result<R, String>;

/// A table of functions rather than a trait: a peer has no state and no behaviour of its own.
#[derive(Clone, Copy)]
pub struct Peer {
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
    /// Growth of the resident size by idle actors that have each handled one message.
    pub idle_growth_bytes: Run<IdleActors, u64>,
}

/// What was measured.
pub struct Sample {
    pub ops: u64,
    pub elapsed: Duration,
}
