//! What all attempts share: the clock, the slots, the tables of who waits and what is named.
//!
//! There is one domain per process, like there is one allocator: variables carry no reference to
//! it, and a transaction may use any of them together. It has no settings. Models and tests make
//! domains of their own.

pub(crate) mod cell;
pub(crate) mod far;
pub(crate) mod garbage;
pub(crate) mod kept;
pub(crate) mod near;
pub(crate) mod registry;
pub(crate) mod serial_gate;
pub(crate) mod slot;
pub(crate) mod stats;
pub(crate) mod tickets;
pub(crate) mod wakeup;

use crate::domain::garbage::HeldValues;
use crate::domain::registry::Snapshots;
use crate::domain::serial_gate::SerialGate;
use crate::domain::slot::SlotTable;
use crate::domain::wakeup::WaitTable;
use crate::words::flaw::Flaw;
use crate::words::label::Labels;
use crate::words::version_clock::VersionClock;
use crossbeam_utils::CachePadded;
use std::time::Instant;

/// See the module. What every commit looks at has cache lines of its own, which are seldom written.
#[derive(Debug)]
pub(crate) struct Domain {
    pub(crate) clock: VersionClock,
    pub(crate) slots: SlotTable,
    pub(crate) gate: CachePadded<SerialGate>,
    pub(crate) waits: WaitTable,
    pub(crate) snapshots: Snapshots,
    pub(crate) held_values: HeldValues,
    pub(crate) labels: Labels,
    made: Instant,
    #[cfg(test)]
    flaw: Option<Flaw>,
}

odeon_sync::static_lazy! {
    static SHARED: &'static Domain = Domain::new();
}

impl Domain {
    /// The domain of this process.
    #[inline]
    pub(crate) fn shared() -> &'static Self {
        &SHARED
    }

    /// A domain for ever: attempts keep references to it.
    pub(crate) fn new() -> &'static Self {
        Self::with(None)
    }

    /// A domain whose engine may be broken, for tests that have to see it.
    pub(crate) fn with(_flaw: Option<Flaw>) -> &'static Self {
        Box::leak(Box::new(Self {
            clock: VersionClock::new(),
            slots: SlotTable::new(),
            gate: CachePadded::new(SerialGate::new()),
            waits: WaitTable::new(),
            snapshots: Snapshots::new(),
            held_values: HeldValues::default(),
            labels: Labels::default(),
            made: Instant::now(),
            #[cfg(test)]
            flaw: _flaw,
        }))
    }

    /// How long ago the domain was made.
    pub(crate) fn age_ns(&self) -> u64 {
        self.made.elapsed().as_nanos() as u64
    }

    /// Whether this engine is broken in that way on purpose; never outside of tests.
    #[inline(always)]
    pub(crate) fn has(&self, _flaw: Flaw) -> bool {
        #[cfg(test)]
        return self.flaw == Some(_flaw);
        #[cfg(not(test))]
        false
    }
}
