//! Dividing joules by busy time.

use crate::Estimate;

/// By what factor two busy seconds may differ in what they draw, at least 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerSpread(f64);

/// TUNE: guessed 2026-11: between a core that waits for memory at a low frequency and one that does
/// vector arithmetic at a high one; the thesis measures less than 2 between its governors. More for
/// processors with cores of two kinds.
const USUAL: f64 = 3.0;

impl PowerSpread {
    /// A busy second draws at most `factor` times what another one draws.
    ///
    /// # Panics
    /// If `factor` is less than 1 or not finite.
    #[track_caller]
    pub fn new(factor: f64) -> Self {
        assert!(factor.is_finite() && factor >= 1.0, "a spread of {factor}: it is at least 1");
        Self(factor)
    }
}

impl Default for PowerSpread {
    /// 3.
    fn default() -> Self {
        Self(USUAL)
    }
}

/// How long somebody was busy, in s.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Share {
    /// At least.
    pub least: f64,
    /// As far as is known.
    pub seconds: f64,
    /// At most.
    pub most: f64,
}

impl Share {
    /// Exactly so long.
    pub fn exactly(seconds: f64) -> Self {
        Self::between(seconds, seconds, seconds)
    }

    /// Not known exactly.
    ///
    /// # Panics
    /// If the numbers are negative, not finite or not in this order.
    #[track_caller]
    pub fn between(least: f64, seconds: f64, most: f64) -> Self {
        let is_sound = 0.0 <= least && least <= seconds && seconds <= most && most.is_finite();
        assert!(is_sound, "busy between {least} s and {most} s, about {seconds} s");
        Self { least, seconds, most }
    }
}

/// Divides `joules` among those who were busy so long. The values add up to what is divided; each
/// lies between bounds that hold if two busy seconds differ in what they draw by `spread` at most.
///
/// Nobody gets anything if nobody was busy.
///
/// ```
/// use odeon_energy::{Estimate, PowerSpread, Share, shares};
///
/// let joules = Estimate::new(16.0, 0.0, 0.0, "package-0");
/// let [one, other] = [Share::exactly(1.0), Share::exactly(3.0)];
/// let divided = shares(&joules, &[one, other], PowerSpread::new(5.0));
/// assert_eq!((divided[0].value, divided[1].value), (4.0, 12.0));
/// // The one may have drawn a fifth of what the other draws in a second, or five times as much.
/// assert_eq!((divided[0].low, divided[0].high), (1.0, 10.0));
/// ```
pub fn shares(joules: &Estimate, of: &[Share], spread: PowerSpread) -> Vec<Estimate> {
    let sum = |number: fn(&Share) -> f64| of.iter().map(number).sum::<f64>();
    let (least, seconds, most) =
        (sum(|share| share.least), sum(|share| share.seconds), sum(|share| share.most));
    let part = |of: f64, rest: f64| if of > 0.0 { of / (of + rest.max(0.0)) } else { 0.0 };
    let r = spread.0;
    let divide = |share: &Share| {
        let low = part(share.least, r * (most - share.most));
        let value = part(share.seconds, seconds - share.seconds);
        let high = part(r * share.most, least - share.least);
        // Joules beyond idle power may come out below 0: then the larger share is the lower bound.
        let times =
            |joules: f64, smaller: f64, larger: f64| (joules * smaller).min(joules * larger);
        Estimate {
            value: joules.value * value,
            low: times(joules.low, low, high),
            high: -times(-joules.high, low, high),
            source: joules.source.clone(),
        }
    };
    of.iter().map(divide).collect()
}
