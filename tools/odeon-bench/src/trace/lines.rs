//! The lines of a trace.

use odeon_speculative::{Conflict, Decision, SpeculationStats};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// One actor at one moment; numbers since its begin.
#[derive(Debug, Serialize)]
pub(super) struct Sample {
    at_ns: u64,
    actor: usize,
    width: usize,
    commits: u64,
    failures: u64,
    rollbacks: BTreeMap<&'static str, u64>,
}

impl Sample {
    pub(super) fn new(at: Duration, actor: usize, stats: &SpeculationStats) -> Self {
        Self {
            at_ns: nanoseconds(at),
            actor,
            width: stats.width,
            commits: stats.commits,
            failures: stats.failures,
            rollbacks: stats.rollbacks.iter().map(|(cause, n)| (cause.name(), *n)).collect(),
        }
    }
}

/// One actor after the run.
#[derive(Debug, Serialize)]
pub(super) struct ActorEnd {
    actor: usize,
    conflicts: Vec<ConflictRow>,
    conflicts_left_out: u64,
    decisions: Vec<Decided>,
}

#[derive(Debug, Serialize)]
struct ConflictRow {
    /// `null`: it has no label.
    variable: Option<&'static str>,
    message: &'static str,
    cause: &'static str,
    rollbacks: u64,
}

#[derive(Debug, Serialize)]
struct Decided {
    /// By the clock of the theater.
    at_ns: u64,
    width: usize,
    /// `null`: it was configured.
    sample: Option<Grounds>,
}

#[derive(Debug, Serialize)]
struct Grounds {
    width: usize,
    elapsed_ns: u64,
    commits: u64,
    rollbacks: u64,
    commits_per_second: f64,
    waiting: usize,
}

impl ActorEnd {
    pub(super) fn new(actor: usize, stats: &SpeculationStats) -> Self {
        Self {
            actor,
            conflicts: stats.conflicts.iter().map(ConflictRow::new).collect(),
            conflicts_left_out: stats.conflicts_left_out,
            decisions: stats.decisions.iter().map(Decided::new).collect(),
        }
    }
}

impl ConflictRow {
    fn new(conflict: &Conflict) -> Self {
        let Conflict { variable, message, cause, rollbacks, .. } = *conflict;
        Self { variable, message, cause: cause.name(), rollbacks }
    }
}

impl Decided {
    fn new(decision: &Decision) -> Self {
        let sample = decision.sample.map(|sample| Grounds {
            width: sample.width,
            elapsed_ns: nanoseconds(sample.elapsed),
            commits: sample.commits,
            rollbacks: sample.rollbacks,
            commits_per_second: sample.throughput(),
            waiting: sample.waiting,
        });
        Self { at_ns: nanoseconds(decision.at), width: decision.width, sample }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
