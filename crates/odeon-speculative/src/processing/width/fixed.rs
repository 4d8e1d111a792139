//! Leaves the width as it is.

use super::{Sample, WidthPolicy};

/// The same width all the time: what [`Processing::concurrent`](crate::Processing::concurrent)
/// does, but sampled, so that [`decisions`](crate::SpeculationStats::decisions) tell how an actor
/// fares at this width.
///
/// ```
/// use odeon_speculative::{Fixed, Processing};
///
/// let two_at_once = Processing::adaptive_with(|| Fixed::new(2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixed {
    width: usize,
}

impl Fixed {
    /// Always `width`.
    pub fn new(width: usize) -> Self {
        Self { width }
    }
}

impl WidthPolicy for Fixed {
    fn first(&mut self, _most: usize) -> usize {
        self.width
    }

    fn next(&mut self, _sample: &Sample) -> usize {
        self.width
    }
}
