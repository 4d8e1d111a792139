//! What the main actor does in the course of a run.

use super::main_actor::{LOOK, SIMULATE};
use super::running::SimulationRun;
use odeon_example_run::{RunError, watch};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// What has been done at some time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SimulationProgress {
    /// Requests of simulation actors that were answered.
    pub requests: u64,
    /// Looks of log actors that were answered.
    pub looks: u64,
    /// Attempts at requests that were rolled back.
    pub requests_rolled_back: u64,
    /// Attempts at looks that were rolled back.
    pub looks_rolled_back: u64,
    /// Events that were searched for.
    pub searches: u64,
}

/// Looks at a run, the first before its beginning and the last after its end.
#[derive(Debug, Clone)]
pub struct GeostatCourse {
    /// Points that were simulated.
    pub points: u64,
    /// From the first request to the last answer.
    pub elapsed: Duration,
    /// When, and what was done until then.
    pub looks: Vec<(Duration, SimulationProgress)>,
}

impl GeostatCourse {
    /// Of a run, looked at after every `every`.
    ///
    /// # Errors
    /// As [`SimulationRun::simulate`].
    pub fn of(run: &SimulationRun, every: Duration) -> Result<Self, RunError> {
        let mut looks = vec![(Duration::ZERO, SimulationProgress::default())];
        let outcome = run.simulate_and(|simulate| {
            watch(every, |elapsed| looks.push((elapsed, progress(run))), simulate)
        })?;
        looks.push((outcome.elapsed, progress(run)));
        Ok(Self { points: outcome.points, elapsed: outcome.elapsed, looks })
    }

    /// At the end.
    pub fn total(&self) -> SimulationProgress {
        self.looks.last().map_or_else(SimulationProgress::default, |(_, progress)| *progress)
    }
}

fn progress(run: &SimulationRun) -> SimulationProgress {
    let stats = run.main.speculation();
    let rolled_back = |message| {
        let rows = stats.conflicts.iter().filter(|row| row.message == message);
        rows.map(|row| row.rollbacks).sum()
    };
    // ORDERING: Relaxed: counts of what is under way.
    SimulationProgress {
        requests: run.tally.requests.load(Ordering::Relaxed),
        looks: run.tally.looks.load(Ordering::Relaxed),
        requests_rolled_back: rolled_back(SIMULATE),
        looks_rolled_back: rolled_back(LOOK),
        searches: run.tally.searches.load(Ordering::Relaxed),
    }
}
