//! How list actors handle requests, and how they answer a sum.

use odeon_speculative::{Access, Processing, Threshold};

/// The words of the modes.
pub(super) const MODES: [&str; 5] = ["plain", "sequential", "concurrent", "adaptive", "threshold"];

#[derive(Debug, Clone)]
pub(super) enum Mode {
    Plain,
    Speculative(Processing),
}

impl Mode {
    pub(super) fn named(word: &str) -> Self {
        match word {
            "sequential" => Self::Speculative(Processing::sequential()),
            "concurrent" => Self::Speculative(Processing::concurrent()),
            "adaptive" => Self::Speculative(Processing::adaptive()),
            "threshold" => Self::Speculative(Processing::adaptive_with(Threshold::new)),
            _ => Self::Plain,
        }
    }

    /// How a sum over several list actors is made: one mode that makes it one transaction says so here.
    pub(super) fn note_on_sums(&self) -> &'static str {
        match self {
            Self::Plain | Self::Speculative(_) => {
                "A sum over several list actors is a walk from one to the next, each part as of another moment: it is not atomic."
            }
        }
    }
}

/// The words of the ways to sum.
pub(super) const SUMS: [&str; 3] = ["kept", "snapshot", "transaction"];

/// How one list actor adds up its part. A plain one only knows a kept sum and a walk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sum {
    /// A counter that each update changes.
    Kept,
    /// A walk over all values, in a snapshot.
    Snapshot,
    /// A walk over all values, in a transaction that conflicts with updates.
    Transaction,
}

impl Sum {
    pub(super) fn named(word: &str) -> Self {
        match word {
            "snapshot" => Self::Snapshot,
            "transaction" => Self::Transaction,
            _ => Self::Kept,
        }
    }

    pub(super) fn access(self) -> Access {
        match self {
            Self::Kept | Self::Snapshot => Access::Snapshot,
            Self::Transaction => Access::Update,
        }
    }
}
