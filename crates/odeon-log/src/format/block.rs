//! What follows the header of a file: blocks, each with a header of its own.
//!
//! The checksum of a block is over the header of its file and its place there too. So bytes of
//! another file, or of another place in this one, are no block, even where a record is a copy of
//! them: what looks like a block was written as one, there.

use crate::format::file_header::FILE_HEADER;
use crc32c::{crc32c, crc32c_append};

/// Bytes of the header of a block.
pub(crate) const BLOCK_HEADER: usize = 28;

/// What a block is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BlockKind {
    /// An epoch of a segment: its number, and how many records.
    Epoch,
    /// A chunk of a snapshot: the so manieth, from 1 on.
    Chunk,
    /// The end of a snapshot: how many chunks there were.
    Footer,
}

impl BlockKind {
    fn marker(self) -> [u8; 4] {
        match self {
            Self::Epoch => *b"\xF5Epo",
            Self::Chunk => *b"\xF5Chu",
            Self::Footer => *b"\xF5End",
        }
    }

    fn of(marker: &[u8]) -> Option<Self> {
        [Self::Epoch, Self::Chunk, Self::Footer].into_iter().find(|kind| kind.marker() == marker)
    }
}

/// What the checksums of a file begin with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seed(u32);

impl Seed {
    /// That of the file with this header.
    pub(crate) fn of(header: &[u8; FILE_HEADER]) -> Self {
        Self(crc32c(header))
    }

    fn checksum(self, offset: u64, header: &[u8; BLOCK_HEADER]) -> u32 {
        let seed = crc32c_append(self.0, &offset.to_le_bytes());
        crc32c_append(crc32c_append(seed, &header[..4]), &header[8..])
    }
}

/// The header of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BlockHeader {
    pub(crate) kind: BlockKind,
    pub(crate) number: u64,
    /// Bytes of the payload, which follows.
    pub(crate) length: u32,
    pub(crate) records: u32,
    payload_checksum: u32,
}

impl BlockHeader {
    /// That of a block with this payload, which is shorter than 4 GiB.
    pub(crate) fn of(kind: BlockKind, number: u64, records: u32, payload: &[u8]) -> Self {
        let length =
            u32::try_from(payload.len()).expect("who adds to a payload looks at its length");
        Self { kind, number, length, records, payload_checksum: crc32c(payload) }
    }

    /// For that place in the file that `seed` is of.
    pub(crate) fn to_bytes(self, seed: Seed, offset: u64) -> [u8; BLOCK_HEADER] {
        let mut bytes = [0; BLOCK_HEADER];
        bytes[..4].copy_from_slice(&self.kind.marker());
        bytes[8..16].copy_from_slice(&self.number.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.length.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.records.to_le_bytes());
        bytes[24..].copy_from_slice(&self.payload_checksum.to_le_bytes());
        let checksum = seed.checksum(offset, &bytes);
        bytes[4..8].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Nothing if no header was written there.
    pub(crate) fn parse(bytes: &[u8; BLOCK_HEADER], seed: Seed, offset: u64) -> Option<Self> {
        let kind = BlockKind::of(&bytes[..4])?;
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        let parsed = Self {
            kind,
            number: u64::from_le_bytes(std::array::from_fn(|byte| bytes[8 + byte])),
            length: number(16),
            records: number(20),
            payload_checksum: number(24),
        };
        (number(4) == seed.checksum(offset, bytes)).then_some(parsed)
    }

    /// Whether this is the payload that was written.
    pub(crate) fn is_of(&self, payload: &[u8]) -> bool {
        payload.len() == self.length as usize && crc32c(payload) == self.payload_checksum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_one_only_where_it_was_written() {
        let (here, elsewhere) = (Seed::of(&[1; FILE_HEADER]), Seed::of(&[2; FILE_HEADER]));
        let header = BlockHeader::of(BlockKind::Epoch, 7, 2, b"payload");
        let bytes = header.to_bytes(here, 40);
        assert_eq!(BlockHeader::parse(&bytes, here, 40), Some(header));
        assert_eq!(BlockHeader::parse(&bytes, here, 41), None);
        assert_eq!(BlockHeader::parse(&bytes, elsewhere, 40), None);
        assert!(header.is_of(b"payload") && !header.is_of(b"Payload") && !header.is_of(b"pay"));
        for bit in 0..BLOCK_HEADER * 8 {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(BlockHeader::parse(&flipped, here, 40), None, "bit {bit}");
        }
    }

    #[test]
    fn checksums_are_those_of_castagnoli() {
        assert_eq!(crc32c(b"123456789"), 0xE306_9283);
    }
}
