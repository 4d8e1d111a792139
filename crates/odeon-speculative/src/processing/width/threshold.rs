//! Doubles the width while commits outweigh rollbacks, and halves it otherwise (Hayduk, 5.3.1).
//!
//! The thesis gives the threshold, called alpha, by hand after profiling; here it is profiled at
//! the start: the share of commits among attempts that the first samples with more than one message
//! at once had, less a margin.

use super::{LONGEST, Sample, WidthPolicy};
use std::time::Duration;

/// TUNE: samples from which alpha is taken.
const PROFILE: u32 = 4;
/// TUNE: what is left of the profiled share: a little less is no reason to halve.
const MARGIN: f64 = 0.9;
/// The bounds of alpha: at least as many commits as rollbacks; never all of them.
const ALPHA: (f64, f64) = (0.5, 0.95);

/// By the share of attempts that commit, looked at every 80 ms: the width is doubled while that is
/// above a threshold, alpha, which is found at the start, and halved below (Hayduk's
/// thesis, 5.3.1).
#[derive(Debug, Clone)]
pub struct Threshold {
    profiled: u32,
    /// The sum of the profiled shares, then alpha.
    alpha: f64,
}

impl Threshold {
    /// Alpha is to be found.
    pub fn new() -> Self {
        Self { profiled: 0, alpha: 0.0 }
    }
}

impl Default for Threshold {
    fn default() -> Self {
        Self::new()
    }
}

impl WidthPolicy for Threshold {
    fn next(&mut self, sample: &Sample) -> usize {
        let share = sample.share_of_commits();
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

    fn period(&self) -> Duration {
        LONGEST
    }

    fn goes_by(&self) -> Option<&'static str> {
        Some("the share of attempts that commit")
    }
}
