//! How list actors handle requests, and how they answer a sum.

use crate::parameter::{Params, Value};
use odeon_speculative::{Access, Processing, Threshold};

/// The words of the modes.
pub(super) const MODES: [&str; 7] =
    ["plain", "sequential", "concurrent", "adaptive", "threshold", "nonblocking", "combined"];

/// Those with speculative actors.
pub(super) const SPECULATIVE_MODES: &[&str] = MODES.split_at(1).1;

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
            "nonblocking" => Self::Speculative(Processing::non_blocking()),
            "combined" => Self::Speculative(Processing::combined()),
            _ => Self::Plain,
        }
    }
}

/// The words of the ways to sum.
pub(super) const SUMS: [&str; 7] =
    ["usual", "kept", "snapshot", "transaction", "relaxed", COORDINATED, "coordinated-snapshot"];

/// The word for a sum that is one transaction.
pub(super) const COORDINATED: &str = "coordinated";

/// How a sum is made. Plain list actors only know a kept sum and a walk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sum {
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
    /// The usual way is the one that is exact: several speculative list actors need a coordinated transaction for it.
    pub(super) fn of(params: &Params) -> Self {
        match params.word("sum") {
            "snapshot" => Self::Snapshot,
            "transaction" => Self::Transaction,
            "relaxed" => Self::Relaxed,
            COORDINATED => Self::Coordinated,
            "coordinated-snapshot" => Self::CoordinatedSnapshot,
            "usual" if params.number("list_actors") > 1 && is_speculative(params) => {
                Self::Coordinated
            }
            _ => Self::Kept,
        }
    }

    pub(super) fn access(self) -> Access {
        match self {
            Self::Kept | Self::Snapshot | Self::CoordinatedSnapshot => Access::Snapshot,
            Self::Transaction | Self::Coordinated => Access::Update,
            Self::Relaxed => Access::Relaxed,
        }
    }

    /// Whether it is of one moment also over several list actors.
    pub(super) fn is_coordinated(self) -> bool {
        matches!(self, Self::Coordinated | Self::CoordinatedSnapshot)
    }

    /// Whether it adds what each list actor keeps, or else all values.
    pub(super) fn is_kept(self) -> bool {
        self == Self::Kept || self.is_coordinated()
    }
}

/// A floor has no mode.
pub(super) fn is_speculative(params: &Params) -> bool {
    params.get("mode").is_some_and(|mode| mode != Value::Word(MODES[0]))
}
