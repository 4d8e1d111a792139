//! Who handles the messages.

use std::fmt;

/// One of the ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScaleWay {
    /// The bare handler on as many threads as there are workers, each with a ledger of its own.
    Floor,
    /// A mode of the shared state, by its word.
    Mode(&'static str),
    /// A concurrent actor of this width, which is not the number of workers.
    Width(usize),
    /// Transactions of one thread, without actors.
    Transactions,
}

/// What everything is compared with.
pub(crate) const PLAIN: ScaleWay = ScaleWay::Mode("plain");
/// What is simulated.
pub(crate) const CONCURRENT: ScaleWay = ScaleWay::Mode("concurrent");
/// The width of a concurrent actor on one worker that tells what a message takes in a shard without
/// anybody beside. Any width above 1 does: one worker has a place at most.
pub(crate) const WIDTH: usize = 8;

impl fmt::Display for ScaleWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Floor => f.write_str("floor"),
            Self::Mode(mode) => f.write_str(mode),
            Self::Width(width) => write!(f, "concurrent, width {width}"),
            Self::Transactions => f.write_str("transactions"),
        }
    }
}
