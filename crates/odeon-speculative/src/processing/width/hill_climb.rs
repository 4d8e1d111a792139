//! Goes where the throughput is higher, and stays there unless another width is clearly better.
//!
//! The direction that the thesis leaves to future work (Hayduk, "Exploiting Concurrency and
//! Heterogeneity for Energy-efficient Computing: An Actor-based Approach", 7.2.2).

use super::{Sample, WidthPolicy};

/// TUNE: how much better another width must be to go there, so that noise does not move it.
const BETTER: f64 = 1.07;
/// TUNE: samples between two looks at other widths, at first and at most.
const PAUSE: u32 = 6;
const LONGEST_PAUSE: u32 = 192;
/// TUNE: and when it has just come from there. [`LONGEST_PAUSE`] if that was narrower and worse by
/// this factor: to look back costs three samples of what was won, and a workload that collides at a
/// great width is seen by its throughput; one that would scale is not, at a small one.
const LONG_PAUSE: u32 = 48;
const FAR_BETTER: f64 = 1.4;
/// TUNE: a throughput that has changed by this factor is another workload.
const CHANGED: f64 = 1.5;

/// TUNE: messages a second, one at a time, above which no other width is looked at: each takes less
/// than what is paid for one that is handled beside others (its way over the board and the log of
/// its attempt, some 250 ns), so that looking costs and never finds.
const TOO_SHORT: f64 = 5e6;

/// By the throughput: another width is tried from time to time, and kept if it is clearly better.
/// The policy of [`Processing::adaptive`](crate::Processing::adaptive).
#[derive(Debug, Clone)]
pub struct HillClimb {
    phase: ClimbPhase,
    /// The throughput of the present width, an average.
    here: f64,
    pause: u32,
    upwards: bool,
}

#[derive(Debug, Clone, Copy)]
enum ClimbPhase {
    /// At the width that is thought best; so many samples until the next look elsewhere.
    Staying(u32),
    /// The width has just changed from the given one: this sample has some of both.
    Arriving { from: usize },
    /// This sample is of another width than the given one.
    Looking { from: usize },
    /// Back where it was: this sample has some of both.
    Returning,
}

impl HillClimb {
    /// Knows nothing yet.
    pub fn new() -> Self {
        Self { phase: ClimbPhase::Staying(1), here: 0.0, pause: PAUSE, upwards: true }
    }

    /// The next width to look at; the last one in a direction turns round.
    fn neighbour(&mut self, sample: &Sample) -> Option<usize> {
        for _ in 0..2 {
            let next = if self.upwards { sample.width * 2 } else { sample.width / 2 };
            let next = next.clamp(1, sample.most);
            if next != sample.width {
                return Some(next);
            }
            self.upwards = !self.upwards;
        }
        None
    }

    /// Whether there is no other width in this direction.
    fn is_last(&self, sample: &Sample) -> bool {
        sample.width == if self.upwards { sample.most } else { 1 }
    }

    fn stay(&mut self, sample: &Sample, now: f64, left: u32) -> usize {
        if self.here > 0.0 && (now > self.here * CHANGED || now * CHANGED < self.here) {
            // Another workload: what was learnt is void.
            self.pause = PAUSE;
            self.here = now;
            self.phase = ClimbPhase::Staying(1);
            return sample.width;
        }
        self.here = if self.here > 0.0 { self.here * 0.7 + now * 0.3 } else { now };
        if left > 1 {
            self.phase = ClimbPhase::Staying(left - 1);
            return sample.width;
        }
        let is_too_short = sample.width == 1 && sample.throughput() > TOO_SHORT;
        match self.neighbour(sample).filter(|_| !is_too_short) {
            Some(next) => {
                self.phase = ClimbPhase::Arriving { from: sample.width };
                next
            }
            None => {
                self.phase = ClimbPhase::Staying(LONGEST_PAUSE);
                sample.width
            }
        }
    }
}

impl Default for HillClimb {
    fn default() -> Self {
        Self::new()
    }
}

impl WidthPolicy for HillClimb {
    fn next(&mut self, sample: &Sample) -> usize {
        let throughput = sample.throughput();
        match self.phase {
            ClimbPhase::Staying(left) => self.stay(sample, throughput, left),
            ClimbPhase::Arriving { from } => {
                self.phase = ClimbPhase::Looking { from };
                sample.width
            }
            ClimbPhase::Looking { from: _ } if throughput > self.here * BETTER => {
                // Better: on in this direction, soon. The other direction is known.
                let is_far_better = self.upwards && throughput > self.here * FAR_BETTER;
                let pause = if is_far_better { LONGEST_PAUSE } else { LONG_PAUSE };
                self.here = throughput;
                self.pause = PAUSE;
                self.phase = ClimbPhase::Staying(if self.is_last(sample) { pause } else { 1 });
                sample.width
            }
            ClimbPhase::Looking { from } => {
                self.upwards = !self.upwards;
                self.phase = ClimbPhase::Returning;
                from
            }
            ClimbPhase::Returning => {
                self.phase = ClimbPhase::Staying(self.pause);
                self.pause = (self.pause * 2).min(LONGEST_PAUSE);
                sample.width
            }
        }
    }

    fn goes_by(&self) -> Option<&'static str> {
        Some("throughput")
    }
}
