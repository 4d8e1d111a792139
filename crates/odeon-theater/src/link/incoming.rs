//! Bodies from the other side: which one is next, which have come too early, what is to be
//! acknowledged.

use std::collections::BTreeMap;
use std::time::Duration;

use super::packet::{Acks, MOST_BODIES_UNDER_WAY};

/// Where a body belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reception {
    /// It is the next one.
    Next,
    /// It has been kept, or dropped: not yet, not again, or not within the limits.
    NotNow,
}

#[derive(Debug)]
pub(super) struct Incoming {
    next: u64,
    /// Bodies that came before one that is missing.
    early: BTreeMap<u64, Vec<u8>>,
    early_bytes: usize,
    window: usize,
    /// Bytes of the bodies that were delivered.
    delivered: u64,
    newest: u64,
    /// Bodies since the last acknowledgement.
    unacknowledged: u32,
    ack_at: Option<Duration>,
    bitmap: Vec<u8>,
}

impl Incoming {
    pub(super) fn new(window: usize) -> Self {
        Self {
            next: 0,
            early: BTreeMap::new(),
            early_bytes: 0,
            window,
            delivered: 0,
            newest: 0,
            unacknowledged: 0,
            ack_at: None,
            bitmap: Vec::new(),
        }
    }

    /// A body has come. `delay`: how long its acknowledgement may wait.
    pub(super) fn place(
        &mut self,
        number: u64,
        transmission: u64,
        records: &[u8],
        now: Duration,
        delay: Duration,
    ) -> Reception {
        self.newest = self.newest.max(transmission);
        self.unacknowledged += 1;
        let in_order = number == self.next && self.early.is_empty();
        let due = if in_order && self.unacknowledged < 2 { now.saturating_add(delay) } else { now };
        self.ack_at = Some(self.ack_at.map_or(due, |at| at.min(due)));
        if number == self.next {
            self.pass(records.len());
            return Reception::Next;
        }
        // The next one alone is not kept, so there are places for one less than may be under way.
        let within = number > self.next && number - self.next < MOST_BODIES_UNDER_WAY as u64;
        let fits = self.early_bytes + records.len() <= self.window;
        if within && fits && !self.early.contains_key(&number) {
            self.early_bytes += records.len();
            self.early.insert(number, records.to_vec());
        }
        Reception::NotNow
    }

    /// The next body, if it has come early.
    pub(super) fn take_early(&mut self) -> Option<Vec<u8>> {
        let records = self.early.remove(&self.next)?;
        self.early_bytes -= records.len();
        self.pass(records.len());
        Some(records)
    }

    fn pass(&mut self, bytes: usize) {
        self.next += 1;
        self.delivered += bytes as u64;
    }

    /// The other side waits for a sign.
    pub(super) fn acknowledge_at_once(&mut self, now: Duration) {
        self.ack_at = Some(now);
    }

    /// When an acknowledgement is due at the latest.
    pub(super) fn ack_at(&self) -> Option<Duration> {
        self.ack_at
    }

    /// What a packet says that goes now.
    pub(super) fn acks(&mut self) -> Acks<'_> {
        self.ack_at = None;
        self.unacknowledged = 0;
        self.bitmap.clear();
        for &number in self.early.keys() {
            let bit = (number - self.next - 1) as usize;
            self.bitmap.resize(bit / 8 + 1, 0);
            self.bitmap[bit / 8] |= 1 << (bit % 8);
        }
        Acks {
            next: self.next,
            credit: self.delivered.saturating_add(self.window as u64),
            newest: self.newest,
            early: &self.bitmap,
        }
    }

    /// Nothing is delivered any more.
    pub(super) fn clear(&mut self) {
        self.early.clear();
        self.early_bytes = 0;
    }

    /// Bytes that are kept.
    pub(super) fn bytes(&self) -> usize {
        self.early_bytes
    }
}
