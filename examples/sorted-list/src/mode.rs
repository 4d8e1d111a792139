//! How list actors handle requests, and how they answer a sum.

use odeon_speculative::{Access, Processing, Threshold};
use std::time::Duration;

/// The words of the modes.
pub const MODES: [&str; 7] =
    ["plain", "sequential", "concurrent", "adaptive", "threshold", "nonblocking", "combined"];

/// Those with speculative actors.
pub const SPECULATIVE_MODES: &[&str] = MODES.split_at(1).1;

/// How list actors handle requests.
#[derive(Debug, Clone)]
pub enum ListMode {
    /// One after the other, as plain actors.
    Plain,
    /// As speculative actors.
    Speculative(Processing),
}

/// Who handles requests.
#[derive(Debug, Clone)]
pub struct ListHandling {
    /// Worker threads of the theater.
    pub workers: usize,
    /// How list actors do it.
    pub mode: ListMode,
    /// From one list actor to the next, for coordinated sums, as on a network.
    pub hop_delay: Duration,
}

impl ListMode {
    /// The one of [`MODES`].
    pub fn named(word: &str) -> Self {
        match word {
            "sequential" => Self::Speculative(Processing::sequential()),
            "concurrent" => Self::Speculative(Processing::concurrent()),
            "adaptive" => Self::Speculative(Processing::adaptive()),
            "threshold" => Self::Speculative(Processing::adaptive_with(Threshold::new)),
            "nonblocking" => Self::Speculative(Processing::sequential().non_blocking()),
            "combined" => Self::Speculative(Processing::concurrent().non_blocking()),
            _ => Self::Plain,
        }
    }
}

/// The words of the ways to sum.
pub const SUMS: [&str; 7] =
    ["usual", "kept", "snapshot", "transaction", "relaxed", COORDINATED, "coordinated-snapshot"];

/// The word for a sum that is one transaction.
pub const COORDINATED: &str = "coordinated";

/// How a sum is made. Plain list actors only know a kept sum and a walk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sum {
    /// At each list actor, a counter that each update changes.
    Kept,
    /// A walk over all values of each, in a snapshot.
    Snapshot,
    /// A walk over all values of each, in a transaction that conflicts with updates.
    Transaction,
    /// A walk over all values of each, as they are at that instant.
    Relaxed,
    /// The counters of all list actors in one transaction, which protects those that it has read.
    Coordinated,
    /// The counters of all list actors in one snapshot.
    CoordinatedSnapshot,
}

impl Sum {
    /// The one of [`SUMS`]; the usual way is the one that is exact, which may need a coordinated
    /// transaction.
    pub fn named(word: &str, usual: Self) -> Self {
        match word {
            "kept" => Self::Kept,
            "snapshot" => Self::Snapshot,
            "transaction" => Self::Transaction,
            "relaxed" => Self::Relaxed,
            COORDINATED => Self::Coordinated,
            "coordinated-snapshot" => Self::CoordinatedSnapshot,
            _ => usual,
        }
    }

    pub(crate) fn access(self) -> Access {
        match self {
            Self::Kept | Self::Snapshot | Self::CoordinatedSnapshot => Access::Snapshot,
            Self::Transaction | Self::Coordinated => Access::Update,
            Self::Relaxed => Access::Relaxed,
        }
    }

    /// Whether it is of one moment also over several list actors.
    pub fn is_coordinated(self) -> bool {
        matches!(self, Self::Coordinated | Self::CoordinatedSnapshot)
    }

    /// Whether it adds what each list actor keeps, or else all values.
    pub(crate) fn is_kept(self) -> bool {
        self == Self::Kept || self.is_coordinated()
    }
}
