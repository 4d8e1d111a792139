//! The width of one actor over time: what was decided, and on which grounds.

use crate::processing::width::{LONGEST, Sample};
use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

/// TUNE: decisions that are remembered. While an actor works, those that change nothing are put
/// together for 80 ms, so this is about 20 seconds of work at least, or 256 changes.
const REMEMBERED: usize = 256;

/// A decision on the width of an actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// When, by the theater's clock.
    pub at: Duration,
    /// The width from then on.
    pub width: usize,
    /// What it was taken from; `None` if the width was configured: at the spawn or by
    /// [`set_processing`](crate::SpeculativeRef::set_processing). Samples that follow each other
    /// and leave the width as it is are put together.
    pub sample: Option<Sample>,
}

/// The last decisions. Of `std` also in models: nothing waits for it.
#[derive(Debug, Default)]
pub(crate) struct Decisions(Mutex<VecDeque<Decision>>);

impl Decisions {
    /// The width was configured.
    pub(crate) fn configured(&self, at: Duration, width: usize) {
        self.note(Decision { at, width, sample: None });
    }

    /// The width was decided by what a sample shows.
    pub(crate) fn sampled(&self, at: Duration, width: usize, sample: Sample) {
        self.note(Decision { at, width, sample: Some(sample) });
    }

    fn note(&self, decision: Decision) {
        let mut decisions = self.0.lock().expect("no panic happens under this lock");
        if decisions.back_mut().is_some_and(|last| last.take_in(&decision)) {
            return;
        }
        if decisions.len() == REMEMBERED {
            decisions.pop_front();
        }
        decisions.push_back(decision);
    }

    /// The oldest first.
    pub(crate) fn all(&self) -> Vec<Decision> {
        let decisions = self.0.lock().expect("no panic happens under this lock");
        decisions.iter().copied().collect()
    }
}

impl Decision {
    /// Whether it is another width than before, or was configured.
    pub(crate) fn changes(&self) -> bool {
        self.sample.is_none_or(|sample| sample.width != self.width)
    }

    /// Puts the next decision together with this one, if both have left the width as it was;
    /// `false`: nothing was done.
    fn take_in(&mut self, next: &Decision) -> bool {
        let (Some(sample), Some(more)) = (&mut self.sample, &next.sample) else { return false };
        let is_unchanged = [sample.width, more.width, next.width] == [self.width; 3];
        if !is_unchanged || sample.elapsed + more.elapsed > LONGEST {
            return false;
        }
        *sample = sample.followed_by(more);
        self.at = next.at;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(width: usize, millis: u64, waiting: usize) -> Sample {
        Sample {
            width,
            most: 8,
            commits: 100 * millis,
            rollbacks: millis,
            elapsed: Duration::from_millis(millis),
            waiting,
        }
    }

    #[test]
    fn decisions_that_change_nothing_are_put_together_for_a_while() {
        let decisions = Decisions::default();
        let at = Duration::from_millis;
        decisions.configured(at(0), 1);
        decisions.sampled(at(10), 2, sample(1, 10, 0));
        decisions.sampled(at(40), 2, sample(2, 30, 40));
        decisions.sampled(at(50), 2, sample(2, 10, 0));
        decisions.sampled(at(100), 2, sample(2, 50, 0));
        decisions.configured(at(101), 2);
        let all = decisions.all();
        let widths: Vec<_> = all.iter().map(|decision| (decision.at, decision.width)).collect();
        assert_eq!(widths, [(at(0), 1), (at(10), 2), (at(50), 2), (at(100), 2), (at(101), 2)]);
        // Numbers add up, what waits is the mean over the time.
        assert_eq!(all[2].sample, Some(sample(2, 40, 30)));
        assert_eq!(all[4].sample, None);
    }

    #[test]
    fn only_the_last_ones_are_remembered() {
        let decisions = Decisions::default();
        for n in 0..1000 {
            decisions.configured(Duration::from_millis(n), 1 + n as usize);
        }
        let all = decisions.all();
        assert_eq!((all.len(), all[REMEMBERED - 1].width), (REMEMBERED, 1000));
        assert_eq!(all[0].width, 1001 - REMEMBERED);
    }
}
