//! A number, how far off it may be, and where it is from.

use crate::unavailable::{Cause, Unavailable};
use std::fmt;
use std::sync::Arc;

/// What can be told of a quantity: a number with its source, or why there is none. Never zero for
/// want of a number, never a guess.
pub type Figure = Result<Estimate, Unavailable>;

/// A number with its bounds and its source; the unit is that of the function that returns it (J,
/// W).
///
/// The bounds hold under the assumptions that the function states. Arithmetic keeps them: bounds of
/// a sum are the sums of the bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// The truth is not less.
    pub low: f64,
    /// The truth is not more.
    pub high: f64,
    /// Which counters it is from.
    pub source: Arc<str>,
}

impl Estimate {
    /// A number that may be off by `below` and `above`, neither less than 0.
    pub fn new(value: f64, below: f64, above: f64, source: impl Into<Arc<str>>) -> Self {
        Self { value, low: value - below, high: value + above, source: source.into() }
    }

    /// How far off it may be, at most.
    pub fn error(&self) -> f64 {
        (self.value - self.low).max(self.high - self.value)
    }

    /// Whether this may be the truth.
    pub fn may_be(&self, truth: f64) -> bool {
        (self.low..=self.high).contains(&truth)
    }

    /// Times `factor`, which is not negative.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            low: self.low * factor,
            high: self.high * factor,
            source: self.source.clone(),
        }
    }

    /// For each of `count` things.
    ///
    /// # Errors
    /// [`Cause::NotMeasured`] if there were none.
    pub fn per(&self, count: u64) -> Figure {
        if count == 0 {
            return Err(Unavailable::new(Cause::NotMeasured, "there was nothing to divide by"));
        }
        Ok(self.times(1.0 / count as f64))
    }

    /// The difference, both sides being off independently. The source stays.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        Self {
            value: self.value - other.value,
            low: self.low - other.high,
            high: self.high - other.low,
            source: self.source.clone(),
        }
    }

    /// The sum of all; its source is all of theirs.
    ///
    /// # Errors
    /// The first error among them, or [`Cause::NotMeasured`] if there are none: part of a sum is
    /// not the sum.
    pub fn sum(figures: impl IntoIterator<Item = Figure>) -> Figure {
        let mut sum: Option<Self> = None;
        for figure in figures {
            let next = figure?;
            sum = Some(match sum {
                None => next,
                Some(sum) => Self {
                    value: sum.value + next.value,
                    low: sum.low + next.low,
                    high: sum.high + next.high,
                    source: format!("{} + {}", sum.source, next.source).into(),
                },
            });
        }
        sum.ok_or_else(|| Unavailable::new(Cause::NotMeasured, "no counter covers it"))
    }
}

impl fmt::Display for Estimate {
    /// The number, and between what it lies; `{:.3}` for the digits, 3 unless said otherwise.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(3);
        let Self { value, low, high, .. } = self;
        write!(f, "{value:.digits$} ({low:.digits$} to {high:.digits$})")
    }
}
