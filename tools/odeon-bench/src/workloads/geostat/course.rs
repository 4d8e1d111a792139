//! What the main actor does in the course of a run.

use super::main_actor::{LOOK, SIMULATE};
use super::running::Run;
use crate::error::BenchError;
use crate::parameter::Params;
use crate::samples::Measured;
use crate::watching::watch;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// What has been done at some time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Requests of simulation actors that were answered.
    pub(crate) requests: u64,
    /// Looks of log actors that were answered.
    pub(crate) looks: u64,
    /// Attempts at requests that were rolled back.
    pub(crate) requests_rolled_back: u64,
    /// Attempts at looks that were rolled back.
    pub(crate) looks_rolled_back: u64,
    /// Events that were searched for.
    pub(crate) searches: u64,
}

/// Looks at a run, the first before its beginning and the last after its end.
#[derive(Debug, Clone)]
pub(crate) struct Course {
    pub(crate) measured: Measured,
    pub(crate) looks: Vec<(Duration, Progress)>,
}

impl Course {
    /// At the end.
    pub(crate) fn total(&self) -> Progress {
        self.looks.last().map_or_else(Progress::default, |(_, progress)| *progress)
    }
}

/// One run, looked at after every `every`.
pub(crate) fn record_course(params: &Params, every: Duration) -> Result<Course, BenchError> {
    let run = Run::new(params)?;
    let mut looks = vec![(Duration::ZERO, Progress::default())];
    let outcome = run.simulate_and(|simulate| {
        watch(every, |elapsed| looks.push((elapsed, progress(&run))), simulate)
    })?;
    let measured = outcome.measured;
    looks.push((Duration::from_nanos(measured.ns), progress(&run)));
    Ok(Course { measured, looks })
}

fn progress(run: &Run) -> Progress {
    let stats = run.main.speculation();
    let rolled_back = |message| {
        let rows = stats.conflicts.iter().filter(|row| row.message == message);
        rows.map(|row| row.rollbacks).sum()
    };
    // ORDERING: Relaxed: counts of what is under way.
    Progress {
        requests: run.tally.requests.load(Ordering::Relaxed),
        looks: run.tally.looks.load(Ordering::Relaxed),
        requests_rolled_back: rolled_back(SIMULATE),
        looks_rolled_back: rolled_back(LOOK),
        searches: run.tally.searches.load(Ordering::Relaxed),
    }
}
