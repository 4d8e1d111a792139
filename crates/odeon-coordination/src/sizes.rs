//! How much an agent remembers.

use odeon_sync::atomic::{AtomicUsize, Ordering};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Sizes {
    under_way: AtomicUsize,
    records: AtomicUsize,
}

impl Sizes {
    pub(crate) fn note(&self, under_way: usize, records: usize) {
        // ORDERING: Relaxed, here and below: numbers to look at.
        self.under_way.store(under_way, Ordering::Relaxed);
        self.records.store(records, Ordering::Relaxed);
    }

    pub(crate) fn under_way(&self) -> usize {
        self.under_way.load(Ordering::Relaxed)
    }

    pub(crate) fn records(&self) -> usize {
        self.records.load(Ordering::Relaxed)
    }
}
