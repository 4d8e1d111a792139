//! Goes where the throughput is higher, and stays there unless another width is clearly better.
//!
//! The direction that the thesis leaves to future work (Hayduk, "Exploiting Concurrency and
//! Heterogeneity for Energy-efficient Computing: An Actor-based Approach", 7.2.2). What the
//! constants are for: `docs/decisions/044-how-an-adaptive-actor-decides.md`.

use super::{Sample, WidthPolicy};
use std::mem;

/// TUNE: how much better another width must be to go there, so that noise does not move it.
const BETTER: f64 = 1.07;
/// TUNE: samples between two looks in one direction, at first and at most. Each look in vain
/// doubles them.
const PAUSE: u32 = 6;
const LONGEST_PAUSE: u32 = 192;
/// TUNE: and before a look back to where it has just come from. [`LONGEST_PAUSE`] if that was
/// narrower and worse by this factor: to look back costs some samples of what was won, and a
/// workload that collides at a great width is seen by its throughput; one that would scale is not,
/// at a small one.
const LONG_PAUSE: u32 = 48;
const FAR_BETTER: f64 = 1.4;
/// TUNE: a throughput that has changed by this factor, in two samples one after the other, is
/// another workload. A single one is not believed: the machine may have done something else.
const CHANGED: f64 = 1.5;
/// TUNE: above this share of attempts that commit, what has become slower at several at once is not
/// taken for another workload: messages take longer, or there are fewer cores.
const NEARLY_ALL: f64 = 0.9;
/// TUNE: how fast the highest throughput is forgotten.
const FORGOTTEN: f64 = 0.02;
/// TUNE: samples, from the change to another width on, in which that may be slower than it will be.
/// For a greater one executors have to be woken, which takes milliseconds if their threads sleep.
const SETTLING_UP: u32 = 4;
const SETTLING_DOWN: u32 = 3;
/// TUNE: and from the time on at which a greater one was kept. The pool may take some 20 ms to find
/// that another worker pays; what then becomes faster would be taken for another workload.
const SETTLING_THERE: u32 = 12;

/// By the throughput: another width is tried from time to time, and kept if it is clearly better.
/// The policy of [`Processing::adaptive`](crate::Processing::adaptive).
#[derive(Debug, Clone)]
pub struct HillClimb {
    phase: ClimbPhase,
    /// The throughput of the present width, an average.
    here: f64,
    /// The highest of the present width.
    highest: f64,
    narrower: LookPauses,
    wider: LookPauses,
    /// In which direction it has looked last.
    upwards: bool,
    /// So many samples until the present width shows what it can.
    settling: u32,
    /// Whether the last sample was of another workload, if that is true of the next one as well.
    is_doubtful: bool,
}

/// When it looks in one direction.
#[derive(Debug, Clone, Copy)]
struct LookPauses {
    /// Samples until the next time.
    left: u32,
    /// And from then on until the next one, if that is in vain.
    pause: u32,
}

#[derive(Debug, Clone, Copy)]
enum ClimbPhase {
    /// At the width that is thought best.
    Staying,
    /// The width has just changed from the given one: this sample has some of both.
    Arriving { from: usize },
    /// This sample is of another width than the given one.
    Looking { from: usize },
    /// Back where it was: this sample has some of both.
    Returning,
}

impl LookPauses {
    const SOON: Self = Self { left: 1, pause: PAUSE };

    fn after(pause: u32) -> Self {
        Self { left: pause, pause }
    }

    /// The last one was in vain.
    fn put_off(&mut self) {
        *self = Self { left: self.pause, pause: (self.pause * 2).min(LONGEST_PAUSE) };
    }

    fn at_most(&mut self, pause: u32) {
        *self = Self { left: self.left.min(pause), pause: self.pause.min(pause) };
    }

    fn pass(&mut self) {
        self.left = self.left.saturating_sub(1);
    }
}

impl HillClimb {
    /// Knows nothing yet.
    pub fn new() -> Self {
        Self {
            phase: ClimbPhase::Staying,
            here: 0.0,
            highest: 0.0,
            narrower: LookPauses::SOON,
            wider: LookPauses::SOON,
            upwards: true,
            settling: 0,
            is_doubtful: false,
        }
    }

    fn looks(&mut self, upwards: bool) -> &mut LookPauses {
        if upwards { &mut self.wider } else { &mut self.narrower }
    }

    /// The next width to look at, if it is time to.
    fn next_look(&mut self, sample: &Sample) -> Option<usize> {
        for upwards in [self.upwards, !self.upwards] {
            let next = if upwards { sample.width * 2 } else { sample.width / 2 };
            let next = next.clamp(1, sample.most);
            if next != sample.width && self.looks(upwards).left == 0 {
                self.upwards = upwards;
                return Some(next);
            }
        }
        None
    }

    /// Takes a sample of the present width; answers whether it is the second one that shows another
    /// workload.
    fn learn(&mut self, sample: &Sample, now: f64) -> bool {
        if self.settling > 0 || self.here == 0.0 {
            (self.here, self.highest) = (self.here.max(now), self.highest.max(now));
            return false;
        }
        let is_slower = now * CHANGED < self.here;
        let is_other = is_slower || now > self.highest * CHANGED;
        let was_doubtful = mem::replace(&mut self.is_doubtful, is_other);
        if is_other && was_doubtful {
            self.is_doubtful = false;
            self.here = now;
            if is_slower && sample.width > 1 && sample.share_of_commits() > NEARLY_ALL {
                self.narrower.at_most(LONG_PAUSE);
                return false;
            }
            self.highest = now;
            return true;
        }
        if !is_other {
            self.here = self.here * 0.7 + now * 0.3;
            self.highest = now.max(self.highest + (self.here - self.highest) * FORGOTTEN);
        }
        false
    }

    fn stay(&mut self, sample: &Sample, now: f64) -> usize {
        if self.learn(sample, now) {
            // What was learnt is void.
            (self.narrower, self.wider) = (LookPauses::SOON, LookPauses::SOON);
            return sample.width;
        }
        self.narrower.pass();
        self.wider.pass();
        if self.is_doubtful {
            return sample.width;
        }
        let Some(next) = self.next_look(sample) else { return sample.width };
        self.settling = if self.upwards { SETTLING_UP } else { SETTLING_DOWN };
        self.phase = ClimbPhase::Arriving { from: sample.width };
        next
    }

    /// The width that it looks at is better: on in this direction, soon. The other one is known.
    fn goes_on(&mut self, now: f64) {
        let is_far_better = self.upwards && now > self.here * FAR_BETTER;
        *self.looks(self.upwards) = LookPauses::SOON;
        *self.looks(!self.upwards) =
            LookPauses::after(if is_far_better { LONGEST_PAUSE } else { LONG_PAUSE });
        (self.here, self.highest) = (now, now);
        if self.upwards {
            self.settling = SETTLING_THERE;
        }
        self.phase = ClimbPhase::Staying;
    }
}

impl Default for HillClimb {
    fn default() -> Self {
        Self::new()
    }
}

impl WidthPolicy for HillClimb {
    fn next(&mut self, sample: &Sample) -> usize {
        let now = sample.throughput();
        self.settling = self.settling.saturating_sub(1);
        match self.phase {
            ClimbPhase::Staying => return self.stay(sample, now),
            ClimbPhase::Arriving { from } => self.phase = ClimbPhase::Looking { from },
            ClimbPhase::Looking { .. } if now > self.here * BETTER => self.goes_on(now),
            ClimbPhase::Looking { .. } if self.settling > 0 => {}
            ClimbPhase::Looking { from } => {
                self.looks(self.upwards).put_off();
                self.settling = if from > sample.width { SETTLING_UP } else { 0 };
                self.phase = ClimbPhase::Returning;
                return from;
            }
            ClimbPhase::Returning => self.phase = ClimbPhase::Staying,
        }
        sample.width
    }

    fn goes_by(&self) -> Option<&'static str> {
        Some("throughput")
    }
}
