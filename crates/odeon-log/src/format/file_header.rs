//! How each file begins: whose it is, and where in the log it belongs.

use crate::format::file_name::{FileKind, FileName};
use crc32c::crc32c;
use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};

/// Bytes of the header of a file, in every version.
pub(crate) const FILE_HEADER: usize = 40;

/// The version of the format that this crate writes, and the newest that it reads.
pub const FORMAT_VERSION: u32 = 1;

/// Tells a log from all others: files of two logs that got into one folder are noticed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LogId(pub u128);

impl LogId {
    /// One that no other log has.
    pub fn random() -> Self {
        // Keys of std's hasher come from the system's source of randomness.
        let half = || u128::from(RandomState::new().build_hasher().finish());
        Self(half() << 64 | half())
    }
}

impl fmt::Display for LogId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// What the header of a file says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FileHeader {
    pub(crate) kind: FileKind,
    pub(crate) id: LogId,
    pub(crate) epoch: u64,
}

/// Why bytes are not the header of a file of that name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HeaderFlaw {
    /// It was not written so.
    Damaged,
    /// It is that of another file.
    Misnamed,
    /// It was written by a newer Odeon.
    Version(u32),
}

impl FileHeader {
    /// That of the file of that name.
    pub(crate) fn of(name: FileName, id: LogId) -> Self {
        Self { kind: name.kind, id, epoch: name.epoch }
    }

    pub(crate) fn to_bytes(self) -> [u8; FILE_HEADER] {
        let mut bytes = [0; FILE_HEADER];
        bytes[..8].copy_from_slice(magic(self.kind));
        bytes[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes[12..28].copy_from_slice(&self.id.0.to_le_bytes());
        bytes[28..36].copy_from_slice(&self.epoch.to_le_bytes());
        let checksum = crc32c(&bytes[..36]);
        bytes[36..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// What the file of that name begins with.
    pub(crate) fn parse(name: FileName, bytes: &[u8; FILE_HEADER]) -> Result<Self, HeaderFlaw> {
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        // The checksum first: a version that was damaged is no version.
        if number(36) != crc32c(&bytes[..36]) {
            return Err(HeaderFlaw::Damaged);
        }
        if number(8) != FORMAT_VERSION {
            return Err(HeaderFlaw::Version(number(8)));
        }
        let id = LogId(u128::from_le_bytes(std::array::from_fn(|byte| bytes[12 + byte])));
        let epoch = u64::from_le_bytes(std::array::from_fn(|byte| bytes[28 + byte]));
        if &bytes[..8] != magic(name.kind) || epoch != name.epoch {
            return Err(HeaderFlaw::Misnamed);
        }
        Ok(Self::of(name, id))
    }
}

fn magic(kind: FileKind) -> &'static [u8; 8] {
    match kind {
        FileKind::Segment => b"OdeonLog",
        FileKind::Snapshot => b"OdeonSnp",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_as_it_was_written_and_each_flipped_bit_is_noticed() {
        let name = FileName::segment(7);
        let header = FileHeader::of(name, LogId(0x0123_4567_89ab_cdef << 60));
        let bytes = header.to_bytes();
        assert_eq!(FileHeader::parse(name, &bytes), Ok(header));
        for bit in 0..FILE_HEADER * 8 {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(FileHeader::parse(name, &flipped), Err(HeaderFlaw::Damaged), "bit {bit}");
        }
        for other in [FileName::segment(8), FileName::snapshot(7)] {
            assert_eq!(FileHeader::parse(other, &bytes), Err(HeaderFlaw::Misnamed));
        }
    }

    #[test]
    fn a_newer_version_is_named() {
        let name = FileName::snapshot(3);
        let mut bytes = FileHeader::of(name, LogId(5)).to_bytes();
        bytes[8] = 9;
        let checksum = crc32c(&bytes[..36]);
        bytes[36..].copy_from_slice(&checksum.to_le_bytes());
        assert_eq!(FileHeader::parse(name, &bytes), Err(HeaderFlaw::Version(9)));
    }
}
