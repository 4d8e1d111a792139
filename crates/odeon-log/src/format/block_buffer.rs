//! A block while it is made, so that it is written at once: room for its header, and the payload.

use crate::format::block::{BLOCK_HEADER, BlockHeader, BlockKind, Seed};
use crate::format::records::LENGTH;

/// How many bytes are kept for the next block.
/// TUNE: guessed.
const KEPT: usize = 1024 * 1024;

/// A block that is being made.
#[derive(Debug, Default)]
pub(crate) struct BlockBuffer {
    bytes: Vec<u8>,
    records: u32,
}

impl BlockBuffer {
    /// Begins a block.
    pub(crate) fn begin(&mut self) {
        self.bytes.clear();
        self.bytes.shrink_to(KEPT);
        self.bytes.resize(BLOCK_HEADER, 0);
        self.records = 0;
    }

    /// Adds a record of an epoch. Answers whether it fits.
    #[must_use]
    pub(crate) fn push_record(&mut self, record: &[u8]) -> bool {
        let counts = u32::try_from(record.len()).ok().zip(self.records.checked_add(1));
        let Some((length, records)) = counts.filter(|_| self.has_room(LENGTH + record.len()))
        else {
            return false;
        };
        self.bytes.extend_from_slice(&length.to_le_bytes());
        self.bytes.extend_from_slice(record);
        self.records = records;
        true
    }

    /// Adds bytes of a chunk. Answers whether they fit.
    #[must_use]
    pub(crate) fn push(&mut self, bytes: &[u8]) -> bool {
        let fits = self.has_room(bytes.len());
        if fits {
            self.bytes.extend_from_slice(bytes);
        }
        fits
    }

    /// Ends the block, which will stand there in the file that `seed` is of. Answers its bytes.
    pub(crate) fn end(&mut self, kind: BlockKind, number: u64, seed: Seed, offset: u64) -> &[u8] {
        let (header, payload) = self.bytes.split_at_mut(BLOCK_HEADER);
        let made = BlockHeader::of(kind, number, self.records, payload);
        header.copy_from_slice(&made.to_bytes(seed, offset));
        &self.bytes
    }

    fn has_room(&self, bytes: usize) -> bool {
        u32::try_from(self.bytes.len() - BLOCK_HEADER + bytes).is_ok()
    }
}
