//! What is found in a log.

use crate::error::{Damage, TornEnd};
use crate::format::{BlockHeader, FileKind, FileName, Records};

/// What a [`LogReader`](crate::LogReader) finds, in the order of the log.
#[derive(Debug)]
pub enum Found<'a> {
    /// A snapshot begins: the state after the epoch of the file.
    Snapshot(LogFile),
    /// A part of the snapshot.
    Chunk {
        /// Where its block begins in the file.
        offset: u64,
        /// What was written.
        bytes: &'a [u8],
    },
    /// A segment begins; the epoch of the file is its first.
    Segment(LogFile),
    /// An epoch. The first ones may be in the snapshot too.
    Epoch {
        /// Its number.
        epoch: u64,
        /// Where its block begins in the file.
        offset: u64,
        /// What was written.
        records: Records<'a>,
    },
    /// Something was lost. What comes next was written behind it.
    Damage(Damage),
    /// The log ends in something that was never durable.
    TornEnd(TornEnd),
}

/// A file that a [`LogReader`](crate::LogReader) begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogFile {
    /// Its name.
    pub name: String,
    /// The last one that a snapshot has, or the first one of a segment.
    pub epoch: u64,
    /// Its size.
    pub bytes: u64,
}

/// Where a log ends.
pub(crate) struct LogEnd {
    pub(crate) segment: FileName,
    /// Bytes of the segment that are whole.
    pub(crate) length: u64,
    pub(crate) last_epoch: u64,
}

/// As [`Found`], with the bytes left where they are.
pub(crate) enum ReadEvent {
    File(FileKind, LogFile),
    Block(BlockHeader, u64),
    Damage(Damage),
    TornEnd(TornEnd),
}
