//! What can be wrong with one direction between two theaters.

use std::time::Duration;

/// How packets fare from one theater to another. Shares are from 0 (none) to 1 (all).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conditions {
    /// The least and the greatest time that a packet takes. Packets do not overtake each other for
    /// this reason alone.
    pub delay: (Duration, Duration),
    /// Which share is lost.
    pub loss: f64,
    /// Which share arrives twice.
    pub duplication: f64,
    /// Which share is overtaken by later ones, for up to ten times the greatest delay, or ten
    /// milliseconds if that is 0.
    pub reordering: f64,
    /// How many bytes a second get through; the others wait before it.
    pub rate: Option<u64>,
    /// Whether nothing gets through.
    pub cut: bool,
}

impl Conditions {
    /// Everything arrives, at once and in order.
    pub const GOOD: Self = Self {
        delay: (Duration::ZERO, Duration::ZERO),
        loss: 0.0,
        duplication: 0.0,
        reordering: 0.0,
        rate: None,
        cut: false,
    };
}

impl Default for Conditions {
    fn default() -> Self {
        Self::GOOD
    }
}
