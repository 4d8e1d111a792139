//! The format once more, from `docs/log-format.md` alone: what the crate writes must be this, and
//! what it never writes can be made so.

use crc32c::{crc32c, crc32c_append};

/// A file that is being made.
pub(crate) struct Encoded {
    seed: u32,
    pub(crate) bytes: Vec<u8>,
}

impl Encoded {
    pub(crate) fn segment(id: u128, epoch: u64) -> Self {
        Self::file(b"OdeonLog", 1, id, epoch)
    }

    pub(crate) fn snapshot(id: u128, epoch: u64) -> Self {
        Self::file(b"OdeonSnp", 1, id, epoch)
    }

    pub(crate) fn file(magic: &[u8; 8], version: u32, id: u128, epoch: u64) -> Self {
        let mut bytes = magic.to_vec();
        bytes.extend(version.to_le_bytes());
        bytes.extend(id.to_le_bytes());
        bytes.extend(epoch.to_le_bytes());
        bytes.extend(crc32c(&bytes).to_le_bytes());
        Self { seed: crc32c(&bytes), bytes }
    }

    pub(crate) fn epoch(self, number: u64, records: &[&[u8]]) -> Self {
        let mut payload = Vec::new();
        for record in records {
            payload.extend((record.len() as u32).to_le_bytes());
            payload.extend(*record);
        }
        let length = payload.len() as u32;
        self.block(b"\xF5Epo", number, length, records.len() as u32, &payload)
    }

    pub(crate) fn chunk(self, number: u64, payload: &[u8]) -> Self {
        self.block(b"\xF5Chu", number, payload.len() as u32, 0, payload)
    }

    pub(crate) fn footer(self, chunks: u64) -> Self {
        self.block(b"\xF5End", chunks, 0, 0, b"")
    }

    /// Also with a length or a number of records that is not that of the payload.
    pub(crate) fn block(
        mut self,
        marker: &[u8; 4],
        number: u64,
        length: u32,
        records: u32,
        payload: &[u8],
    ) -> Self {
        let mut rest = number.to_le_bytes().to_vec();
        rest.extend(length.to_le_bytes());
        rest.extend(records.to_le_bytes());
        rest.extend(crc32c(payload).to_le_bytes());
        let place = crc32c_append(self.seed, &(self.bytes.len() as u64).to_le_bytes());
        let checksum = crc32c_append(crc32c_append(place, marker), &rest);
        self.bytes.extend(marker);
        self.bytes.extend(checksum.to_le_bytes());
        self.bytes.extend(rest);
        self.bytes.extend(payload);
        self
    }
}
