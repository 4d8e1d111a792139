//! How many messages of one actor are handled at once, decided anew while it runs.
//!
//! A [`Controller`] samples what the actor does; a [`WidthPolicy`] draws the conclusion. `width/` has one file for each
//! policy.

mod hill_climb;
mod threshold;

use crate::processing::Adaptation;
use std::time::Duration;

/// What an actor did between two looks, while it never was without work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sample {
    /// The width meanwhile.
    pub(crate) width: usize,
    /// The largest that makes sense.
    pub(crate) most: usize,
    pub(crate) commits: u64,
    pub(crate) rollbacks: u64,
    pub(crate) elapsed: Duration,
}

impl Sample {
    /// Commits in a second.
    fn throughput(&self) -> f64 {
        self.commits as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Decides on the next width.
pub(crate) trait WidthPolicy: Send {
    /// The width until the next sample, from 1 to `sample.most`.
    fn next(&mut self, sample: &Sample) -> usize;
}

/// TUNE: a sample has at least so many commits and takes at least so long, or it takes [`LONGEST`]: short enough to follow
/// a workload that changes, long enough that a turn more or less does not matter.
const COMMITS: u64 = 256;
const SHORTEST: Duration = Duration::from_millis(2);
/// The period of the thesis (5.3.1).
const LONGEST: Duration = Duration::from_millis(80);

/// Samples one actor.
pub(crate) struct Controller {
    policy: Box<dyn WidthPolicy>,
    most: usize,
    begun: Option<Begun>,
}

#[derive(Clone, Copy)]
struct Begun {
    at: Duration,
    commits: u64,
    rollbacks: u64,
}

impl Controller {
    pub(crate) fn new(adaptation: Adaptation, most: usize) -> Self {
        let policy: Box<dyn WidthPolicy> = match adaptation {
            Adaptation::HillClimb => Box::new(hill_climb::HillClimb::new()),
            Adaptation::Threshold => Box::new(threshold::Threshold::new()),
        };
        Self { policy, most, begun: None }
    }

    /// The actor is without work: what it does now says nothing about its width.
    pub(crate) fn rests(&mut self) {
        self.begun = None;
    }

    /// Looks at the actor's numbers; answers its new width, if a sample is complete.
    pub(crate) fn look(
        &mut self,
        now: Duration,
        width: usize,
        commits: u64,
        rollbacks: u64,
    ) -> Option<usize> {
        let Some(begun) = self.begun else {
            self.begun = Some(Begun { at: now, commits, rollbacks });
            return None;
        };
        let elapsed = now.saturating_sub(begun.at);
        let is_complete = elapsed >= SHORTEST && commits - begun.commits >= COMMITS;
        if !is_complete && elapsed < LONGEST {
            return None;
        }
        let sample = Sample {
            width,
            most: self.most,
            commits: commits - begun.commits,
            rollbacks: rollbacks - begun.rollbacks,
            elapsed,
        };
        self.begun = Some(Begun { at: now, commits, rollbacks });
        Some(self.policy.next(&sample).clamp(1, self.most))
    }
}

#[cfg(test)]
mod tests;
