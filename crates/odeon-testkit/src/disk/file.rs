//! One file of a simulated disk: what is seen of it, and what a crash leaves.

use odeon_core::Random;
use std::ops::Range;

/// What a disk writes wholly or not at all.
const SECTOR: usize = 512;

/// The bytes of a file, and which of them a crash may take.
#[derive(Default)]
pub(super) struct SimulatedFile {
    bytes: Vec<u8>,
    /// How many of them the system holds for written.
    synced: usize,
    /// Those that it holds for written, and a failed sync may not have written.
    doubtful: Vec<Range<usize>>,
}

impl SimulatedFile {
    pub(super) fn durable(bytes: Vec<u8>) -> Self {
        Self { synced: bytes.len(), bytes, doubtful: Vec::new() }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn append(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn sync(&mut self) {
        self.synced = self.bytes.len();
    }

    pub(super) fn fail_sync(&mut self) {
        self.doubtful.push(self.synced..self.bytes.len());
        self.sync();
    }

    pub(super) fn after_crash(&self, random: &mut Random) -> Vec<u8> {
        let mut left = self.bytes.clone();
        let unsynced = self.synced..self.bytes.len();
        // From the end: what ends a file may be cut off, the rest leaves a hole.
        for range in self.doubtful.iter().cloned().chain([unsynced]).rev() {
            lose(&mut left, range, random);
        }
        left
    }
}

/// Loses any part of a range, or nothing.
fn lose(bytes: &mut Vec<u8>, range: Range<usize>, random: &mut Random) {
    if range.is_empty() {
        return;
    }
    match random.below(6) {
        0 => {}
        1 => cut(bytes, range.start, &range),
        2 => cut(bytes, range.start + random.below(range.len()), &range),
        3 => {
            let at = range.start + random.below(range.len());
            cut(bytes, (at / SECTOR * SECTOR).max(range.start), &range);
        }
        _ => {
            // The length was written, and sectors in any order.
            let mut at = range.start;
            while at < range.end {
                let next = (at / SECTOR * SECTOR + SECTOR).min(range.end);
                match random.below(4) {
                    0 => bytes[at..next].fill(0),
                    1 => bytes[at..next].fill_with(|| random.next_u64() as u8),
                    _ => {}
                }
                at = next;
            }
        }
    }
}

fn cut(bytes: &mut Vec<u8>, at: usize, range: &Range<usize>) {
    if range.end == bytes.len() {
        bytes.truncate(at);
    } else {
        bytes[at..range.end].fill(0);
    }
}
