//! What a speculative actor tells of itself: what is counted, what was in whose way, how wide it
//! was.

pub(crate) mod conflicts;
pub(crate) mod counts;
pub(crate) mod decisions;
pub(crate) mod stats;
pub(crate) mod tally;
