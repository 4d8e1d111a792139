//! What can go wrong with a log, and where.

use crate::format::FORMAT_VERSION;
use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;

/// Why a log could not do what it was asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LogError {
    /// The storage refused. After such an error of [`append_epoch`](crate::LogWriter::append_epoch)
    /// its writer writes nothing any more.
    Storage {
        /// What the storage was asked to do.
        doing: &'static str,
        /// Of which file; empty if of the whole directory.
        file: String,
        /// What it said.
        source: Arc<io::Error>,
    },
    /// Somebody else writes this log.
    InUse,
    /// Something that was durable is there no more, or is not what was written.
    Damage(Damage),
    /// An epoch, a record or a chunk has 4 GiB or more. Nothing of it was written, and the writer
    /// goes on.
    TooLarge,
}

impl LogError {
    /// What makes an error of a call to the storage one of the log.
    pub(crate) fn storage(
        doing: &'static str,
        file: impl fmt::Display,
    ) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Storage { doing, file: file.to_string(), source: Arc::new(source) }
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Storage { doing, file, source } if file.is_empty() => {
                write!(f, "cannot {doing}: {source}")
            }
            Self::Storage { doing, file, source } => write!(f, "cannot {doing} {file}: {source}"),
            Self::InUse => f.write_str("another process or writer has this log open"),
            Self::Damage(damage) => damage.fmt(f),
            Self::TooLarge => f.write_str("an epoch, a record or a chunk has 4 GiB or more"),
        }
    }
}

impl Error for LogError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Storage { source, .. } => Some(&**source),
            _ => None,
        }
    }
}

impl From<Damage> for LogError {
    fn from(damage: Damage) -> Self {
        Self::Damage(damage)
    }
}

/// Where a log is not what was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// In which file.
    pub file: String,
    /// From which byte of it on.
    pub offset: u64,
    /// What is wrong there.
    pub problem: Problem,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is damaged at byte {}: {}", self.file, self.offset, self.problem)
    }
}

impl Error for Damage {}

/// What is wrong with a file of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The header of the file is not what was written.
    Header,
    /// The file begins as one of another name does.
    Misnamed,
    /// The file is one of another log.
    OtherLog,
    /// The file was written in this version of the format, which is newer.
    Version(u32),
    /// The header of a block is not what was written, or the file ends in it.
    BlockHeader,
    /// A block ends behind the end of the file.
    Truncated,
    /// The payload of a block is not what was written.
    Payload,
    /// A block stands where another one should.
    OutOfOrder {
        /// The number that the block should have.
        expected: u64,
        /// The number that it has.
        found: u64,
    },
    /// There is no epoch that was written between these two, both included.
    MissingEpochs {
        /// The first that is missing.
        first: u64,
        /// The last that must have been there.
        last: u64,
    },
    /// There is a snapshot, and no segment to go on with.
    NoSegment,
    /// A snapshot ends before its end, or goes on behind it.
    SnapshotEnd,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("the header of the file is not what was written"),
            Self::Misnamed => f.write_str("the file begins as one of another name"),
            Self::OtherLog => f.write_str("the file belongs to another log"),
            Self::Version(version) => {
                write!(
                    f,
                    "the file has version {version} of the format; this Odeon reads {FORMAT_VERSION}"
                )
            }
            Self::BlockHeader => f.write_str("the header of a block is not what was written"),
            Self::Truncated => f.write_str("a block ends behind the end of the file"),
            Self::Payload => f.write_str("the payload of a block is not what was written"),
            Self::OutOfOrder { expected, found } => {
                write!(f, "block {found} stands where {expected} should")
            }
            Self::MissingEpochs { first, last } if first == last => {
                write!(f, "epoch {first} is missing")
            }
            Self::MissingEpochs { first, last } => {
                write!(f, "epochs {first} to {last} are missing")
            }
            Self::NoSegment => f.write_str("no segment follows the snapshot"),
            Self::SnapshotEnd => f.write_str("the snapshot has another end than was written"),
        }
    }
}

/// What was written last and had not become durable when a process or machine ended. Nobody was
/// told of it; it is cut off when the log is opened to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TornEnd {
    /// In which file.
    pub file: String,
    /// From which byte of it on.
    pub offset: u64,
    /// How many bytes.
    pub bytes: u64,
}

impl fmt::Display for TornEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, offset, bytes } = self;
        write!(f, "{file} ends at byte {offset}; {bytes} bytes behind it were never durable")
    }
}
