//! How many messages of one actor are handled at once, decided anew while it runs.
//!
//! A [`Controller`] samples what the actor does; a [`WidthPolicy`] draws the conclusion. `width/`
//! has one file for each policy.

mod fixed;
mod hill_climb;
mod threshold;

pub use fixed::Fixed;
pub use hill_climb::HillClimb;
pub use threshold::Threshold;

use std::time::Duration;

/// What an actor did between two decisions on its width, while it never was without work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Sample {
    /// The width meanwhile.
    pub width: usize,
    /// The largest that makes sense.
    pub most: usize,
    /// Messages that have committed.
    pub commits: u64,
    /// Attempts that were rolled back.
    pub rollbacks: u64,
    /// How long it took.
    pub elapsed: Duration,
    /// Messages that waited, on average, off by 32 or less.
    pub waiting: usize,
}

impl Sample {
    /// Commits in a second.
    pub fn throughput(&self) -> f64 {
        self.commits as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// The share of attempts that have committed, from 0 to 1.
    pub fn share_of_commits(&self) -> f64 {
        self.commits as f64 / (self.commits + self.rollbacks).max(1) as f64
    }

    /// How long a message has waited before it was handled, on average: as many messages as waited,
    /// at this throughput (Little's law).
    pub fn waiting_time(&self) -> Duration {
        let waiting = u32::try_from(self.waiting).unwrap_or(u32::MAX);
        let commits = u32::try_from(self.commits.max(1)).unwrap_or(u32::MAX);
        self.elapsed.saturating_mul(waiting) / commits
    }

    /// This sample and the next one together.
    pub(crate) fn followed_by(&self, next: &Self) -> Self {
        let elapsed = self.elapsed + next.elapsed;
        let waited = |sample: &Self| sample.waiting as f64 * sample.elapsed.as_secs_f64();
        let mean = (waited(self) + waited(next)) / elapsed.as_secs_f64().max(1e-9);
        Self {
            commits: self.commits + next.commits,
            rollbacks: self.rollbacks + next.rollbacks,
            elapsed,
            waiting: mean.round() as usize,
            ..*next
        }
    }
}

/// Decides how many messages of an actor may be handled at once: [`HillClimb`], [`Threshold`],
/// [`Fixed`], or one of your own, by
/// [`Processing::adaptive_with`](crate::Processing::adaptive_with).
///
/// ```
/// use odeon_core::{Message, Theater};
/// use odeon_speculative::*;
/// use odeon_stm::{TVar, Tx};
/// use std::time::Duration;
///
/// /// Wider while messages wait for long and few attempts are in vain.
/// struct InTime { at_most: Duration }
///
/// impl WidthPolicy for InTime {
///     fn next(&mut self, sample: &Sample) -> usize {
///         if sample.share_of_commits() < 0.5 {
///             sample.width / 2
///         } else if sample.waiting_time() > self.at_most {
///             sample.width * 2
///         } else {
///             sample.width
///         }
///     }
/// }
///
/// # struct Add(u64);
/// # impl Message for Add {}
/// # struct Sum(TVar<u64>);
/// # impl SpeculativeActor for Sum {
/// #     type Msg = Add;
/// #     fn handle<'t>(
/// #         &'t self, Add(n): &'t Add, tx: &mut Tx<'t>, _: &mut SpeculativeContext<'_, Self>,
/// #     ) -> TxResult {
/// #         Ok(self.0.update(tx, |sum| sum + n)?)
/// #     }
/// # }
/// let theater = Theater::new()?;
/// let at_most = Duration::from_micros(200);
/// let in_time = Processing::adaptive_with(move || InTime { at_most }).width(4);
/// let sum = theater.spawn_speculative(Sum(TVar::new(0)), in_time);
/// (0..1000).try_for_each(|n| sum.send(Add(n)))?;
///
/// let mut sample = Sample::default();
/// (sample.width, sample.commits, sample.waiting) = (2, 500, 100);
/// sample.elapsed = Duration::from_millis(2);
/// assert_eq!(sample.waiting_time(), Duration::from_micros(400));
/// assert_eq!(InTime { at_most }.next(&sample), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Its functions are called by whoever executes messages of the actor: they should only compute.
/// They may look at the actor's statistics. One that changes the actor's processing is replaced by
/// that. One that panics is not asked any more, and the width stays as it is.
pub trait WidthPolicy: Send {
    /// The width to begin with, from 1 to `most`.
    fn first(&mut self, most: usize) -> usize {
        let _ = most;
        1
    }

    /// The width until the next sample. What is less than 1 counts as 1, what is more than
    /// [`most`](Sample::most) as that.
    fn next(&mut self, sample: &Sample) -> usize;

    /// How long a sample takes at least: 2 ms unless said otherwise. A sample has 256 commits too,
    /// or takes 80 ms.
    fn period(&self) -> Duration {
        SHORTEST
    }

    /// What decides at present, in a few words for [`SpeculationStats`](crate::SpeculationStats).
    fn goes_by(&self) -> Option<&'static str> {
        None
    }
}

/// TUNE: a sample has at least so many commits and takes at least so long, or it takes [`LONGEST`]:
/// short enough to follow a workload that changes, long enough that a turn more or less does not
/// matter.
const COMMITS: u64 = 256;
const SHORTEST: Duration = Duration::from_millis(2);
/// The period of the thesis (5.3.1).
pub(crate) const LONGEST: Duration = Duration::from_millis(80);

/// What the actor shows at a look.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WidthSample {
    pub(crate) at: Duration,
    pub(crate) width: usize,
    /// So far.
    pub(crate) commits: u64,
    pub(crate) rollbacks: u64,
    /// At this moment.
    pub(crate) waiting: usize,
}

/// Samples one actor.
pub(crate) struct Controller {
    policy: Box<dyn WidthPolicy>,
    most: usize,
    begun: Option<Begun>,
    has_sampled: bool,
}

/// A sample that is not complete.
#[derive(Clone, Copy)]
struct Begun {
    with: WidthSample,
    /// The sum of what waited, and how many looks there were.
    waited: usize,
    looks: usize,
}

impl Controller {
    /// Answers the width to begin with, too.
    pub(crate) fn new(mut policy: Box<dyn WidthPolicy>, most: usize) -> (usize, Self) {
        let first = policy.first(most).clamp(1, most);
        (first, Self { policy, most, begun: None, has_sampled: false })
    }

    /// The largest width that may come of it as long as the policy has not been asked: then any
    /// may.
    pub(crate) fn most_unasked(&self) -> Option<usize> {
        (!self.has_sampled).then_some(self.most)
    }

    /// The actor is without work: what it does now says nothing about its width.
    pub(crate) fn rests(&mut self) {
        self.begun = None;
    }

    /// Looks at the actor's numbers; answers a sample, if one is complete.
    pub(crate) fn look(&mut self, look: WidthSample) -> Option<Sample> {
        let Some(begun) = &mut self.begun else {
            self.begin(look);
            return None;
        };
        begun.waited += look.waiting;
        begun.looks += 1;
        let Begun { with, waited, looks } = *begun;
        let elapsed = look.at.saturating_sub(with.at);
        let commits = look.commits - with.commits;
        let period = self.policy.period();
        let is_complete = elapsed >= period && commits >= COMMITS;
        if !is_complete && elapsed < period.max(LONGEST) {
            return None;
        }
        self.begin(look);
        self.has_sampled = true;
        Some(Sample {
            width: look.width,
            most: self.most,
            commits,
            rollbacks: look.rollbacks - with.rollbacks,
            elapsed,
            waiting: waited / looks,
        })
    }

    fn begin(&mut self, with: WidthSample) {
        self.begun = Some(Begun { with, waited: 0, looks: 0 });
    }

    /// The width that follows from a sample; the next one has begun with it.
    pub(crate) fn decide(&mut self, sample: &Sample) -> usize {
        self.policy.next(sample).clamp(1, self.most)
    }

    pub(crate) fn goes_by(&self) -> Option<&'static str> {
        self.policy.goes_by()
    }
}

#[cfg(test)]
mod tests;
