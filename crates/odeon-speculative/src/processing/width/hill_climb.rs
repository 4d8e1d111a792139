//! Goes where the throughput is higher, and stays there unless another width is clearly better.
//!
//! The direction that the thesis leaves to future work (Hayduk, "Exploiting Concurrency and
//! Heterogeneity for Energy-efficient Computing: An Actor-based Approach", 7.2.2).

use super::{Sample, WidthPolicy};
use std::mem;

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
/// TUNE: a throughput that has changed by this factor, in two samples one after the other, is
/// another workload. A single one is not believed: the machine may have done something else.
const CHANGED: f64 = 1.5;
/// TUNE: from this share of attempts that commit on nothing speaks for fewer at once. Where nearly
/// all do, several at once that have become slower take longer, or have fewer cores.
const NEARLY_ALL: f64 = 0.9;

/// TUNE: samples, from the change to a greater width on, in which that may be slower than it will
/// be: executors have to be woken, which takes milliseconds if their threads sleep.
const SETTLING: u32 = 4;

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
    /// The highest of the present width.
    highest: f64,
    pause: u32,
    upwards: bool,
    /// So many samples until the present width shows what it can.
    settling: u32,
    /// Whether the last sample was of another workload, if that is true of the next one as well.
    is_doubtful: bool,
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
        Self {
            phase: ClimbPhase::Staying(1),
            here: 0.0,
            highest: 0.0,
            pause: PAUSE,
            upwards: true,
            settling: 0,
            is_doubtful: false,
        }
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

    /// Whether this is the second sample of another workload.
    fn has_changed(&mut self, sample: &Sample, now: f64) -> bool {
        let may_be_narrower = sample.width > 1 && sample.share_of_commits() < NEARLY_ALL;
        let is_slower = now * CHANGED < self.here && (sample.width == 1 || may_be_narrower);
        let is_other = is_slower || now > self.highest * CHANGED;
        let was_doubtful = mem::replace(&mut self.is_doubtful, is_other);
        is_other && was_doubtful
    }

    /// Answers the width that it goes to.
    fn goes(&mut self, from: usize, to: usize) -> usize {
        self.settling = if to > from { SETTLING } else { 0 };
        self.is_doubtful = false;
        to
    }

    fn stay(&mut self, sample: &Sample, now: f64, left: u32) -> usize {
        if self.settling > 0 || self.here == 0.0 {
            self.here = self.here.max(now);
            self.highest = self.highest.max(now);
        } else if self.has_changed(sample, now) {
            // What was learnt is void.
            *self = Self { here: now, highest: now, upwards: self.upwards, ..Self::new() };
            return sample.width;
        } else if !self.is_doubtful {
            self.here = self.here * 0.7 + now * 0.3;
            self.highest = self.highest.max(now);
        }
        if left > 1 {
            self.phase = ClimbPhase::Staying(left - 1);
            return sample.width;
        }
        let is_too_short = sample.width == 1 && sample.throughput() > TOO_SHORT;
        match self.neighbour(sample).filter(|_| !is_too_short) {
            Some(next) => {
                self.phase = ClimbPhase::Arriving { from: sample.width };
                self.goes(sample.width, next)
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
        self.settling = self.settling.saturating_sub(1);
        match self.phase {
            ClimbPhase::Staying(left) => self.stay(sample, throughput, left),
            ClimbPhase::Arriving { from } => {
                self.phase = ClimbPhase::Looking { from };
                sample.width
            }
            ClimbPhase::Looking { .. } if throughput > self.here * BETTER => {
                // Better: on in this direction, soon. The other direction is known.
                let is_far_better = self.upwards && throughput > self.here * FAR_BETTER;
                self.pause = if is_far_better { LONGEST_PAUSE } else { LONG_PAUSE };
                (self.here, self.highest) = (throughput, throughput);
                let left = if self.is_last(sample) { self.pause } else { 1 };
                self.phase = ClimbPhase::Staying(left);
                sample.width
            }
            ClimbPhase::Looking { .. } if self.settling > 0 => sample.width,
            ClimbPhase::Looking { from } => {
                self.upwards = !self.upwards;
                self.phase = ClimbPhase::Returning;
                self.goes(sample.width, from)
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
