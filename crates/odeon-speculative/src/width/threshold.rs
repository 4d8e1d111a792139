//! Doubles the width while commits outweigh rollbacks, and halves it otherwise (Hayduk, 5.3.1).
//!
//! The thesis gives the threshold, called alpha, by hand after profiling; here it is profiled at the start: the share
//! of commits among attempts that the first samples with more than one message at once had, less a margin.

use super::{Sample, WidthPolicy};

/// TUNE: samples from which alpha is taken.
const PROFILE: u32 = 4;
/// TUNE: what is left of the profiled share: a little less is no reason to halve.
const MARGIN: f64 = 0.9;
/// The bounds of alpha: at least as many commits as rollbacks; never all of them.
const ALPHA: (f64, f64) = (0.5, 0.95);

/// See the module.
pub(crate) struct Threshold {
    profiled: u32,
    /// The sum of the profiled shares, then alpha.
    alpha: f64,
}

impl Threshold {
    pub(crate) fn new() -> Self {
        Self { profiled: 0, alpha: 0.0 }
    }
}

impl WidthPolicy for Threshold {
    fn next(&mut self, sample: &Sample) -> usize {
        let share = sample.commits as f64 / (sample.commits + sample.rollbacks).max(1) as f64;
        if self.profiled < PROFILE {
            if sample.width == 1 {
                // One at a time never rolls back, and tells nothing.
                return 2;
            }
            self.profiled += 1;
            self.alpha += share;
            if self.profiled == PROFILE {
                self.alpha = (self.alpha / f64::from(PROFILE) * MARGIN).clamp(ALPHA.0, ALPHA.1);
            }
            return sample.width;
        }
        if share < self.alpha { sample.width / 2 } else { sample.width * 2 }
    }
}
