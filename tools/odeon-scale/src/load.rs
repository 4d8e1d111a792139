//! What is done to the ledger in a run.

use odeon_example_shared_state::{Work, ledger::LedgerPlan};
use serde::{Deserialize, Serialize};

/// One combination of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScaleLoad {
    /// Computing of each message.
    pub handler_ns: u64,
    /// Actors that send, whose work threads share where there are no actors.
    pub senders: usize,
    /// Entries into one hot account, in per cent.
    pub conflict: u64,
    /// Questions, in per cent.
    pub reads: u64,
}

/// TUNE: ns, guessed 2026-11: what a message takes beside its handler, to choose how many there
/// are in a run.
const BESIDE_NS: u64 = 100;

/// The fewest messages of a sender in a run.
const FEWEST: u64 = 16;

impl ScaleLoad {
    /// Senders, unless something else is asked for.
    pub const DEFAULT_SENDERS: usize = 16;

    /// Whether messages only change something, and never meet.
    pub fn is_undisturbed(&self) -> bool {
        self.conflict == 0 && self.reads == 0
    }

    /// For people: its handler, and what else is not as usual.
    pub fn name(&self) -> String {
        let mut name = format!("{} ns", self.handler_ns);
        if self.senders != Self::DEFAULT_SENDERS {
            name += &format!(", {} senders", self.senders);
        }
        if self.conflict > 0 {
            name += &format!(", {} % conflicts", self.conflict);
        }
        if self.reads > 0 {
            name += &format!(", {} % reads", self.reads);
        }
        name
    }

    /// So many messages of all senders together as one thread takes `run_ms` for.
    pub(crate) fn plan(&self, run_ms: u64, seed: u64) -> LedgerPlan {
        let messages = run_ms * 1_000_000 / (self.handler_ns + BESIDE_NS);
        LedgerPlan {
            senders: self.senders,
            entries: (messages / self.senders as u64).max(FEWEST),
            conflict: self.conflict,
            reads: self.reads,
            work: Work::of_ns(self.handler_ns),
            seed,
            is_named: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ScaleLoad;

    #[test]
    fn a_name_has_what_is_not_as_usual() {
        let usual = ScaleLoad { handler_ns: 0, senders: 16, conflict: 0, reads: 0 };
        assert_eq!(usual.name(), "0 ns");
        let other = ScaleLoad { handler_ns: 500, senders: 4, conflict: 10, reads: 20 };
        assert_eq!(other.name(), "500 ns, 4 senders, 10 % conflicts, 20 % reads");
    }
}
