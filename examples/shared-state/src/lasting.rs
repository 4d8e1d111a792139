//! A run once, or again and again for some time while somebody looks at the memory.

use super::{Looks, SharedState};
use odeon_example_run::{RunError, Timed, watch};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often memory is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// How often each sender has done all of its deeds, and whether it begins again.
pub struct Runs {
    until: Option<Instant>,
    of_senders: Vec<AtomicU64>,
}

impl Runs {
    /// Each of so many senders once.
    pub fn once(senders: usize) -> Self {
        Self { until: None, of_senders: (0..senders).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Counts a run of a sender; answers whether there is to be another.
    pub(super) fn goes_on(&self, sender: usize) -> bool {
        // ORDERING: Relaxed, here and below: a count of one sender, read when the finish line or
        // the end of its thread has ordered everything.
        self.of_senders[sender].fetch_add(1, Ordering::Relaxed);
        self.until.is_some_and(|until| Instant::now() < until)
    }

    /// How long another run is to be begun.
    pub(super) fn left(&self) -> Duration {
        self.until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()))
    }

    fn counts(&self) -> Vec<u64> {
        self.of_senders.iter().map(|count| count.load(Ordering::Relaxed)).collect()
    }
}

/// Has all senders run as long as they shall: what they did, and how often each.
pub(super) fn run<S: SharedState>(
    shared: &S,
    lasting: Duration,
    looks: &mut impl Looks,
    run: impl FnOnce(&Arc<Runs>) -> Result<Timed, RunError>,
) -> Result<(Timed, Vec<u64>), RunError> {
    let mut runs = Runs::once(shared.senders());
    if lasting.is_zero() {
        let runs = runs.into();
        return run(&runs).map(|timed| (timed, runs.counts()));
    }
    runs.until = Some(Instant::now() + lasting);
    let runs = runs.into();
    let timed = watch(LOOK, |elapsed| looks.passes(elapsed), || run(&runs))?;
    let counts = runs.counts();
    let ops = counts.iter().sum::<u64>() * shared.deeds() / shared.senders() as u64;
    Ok((Timed { ops, ..timed }, counts))
}
