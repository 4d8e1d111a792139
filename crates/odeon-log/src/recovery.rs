//! Opening a log: what it has, and then the right to go on with it.

use crate::error::{LogError, TornEnd};
use crate::format::{BlockKind, LogId, Records};
use crate::reading::{LogReader, ReadEvent};
use crate::storage::Storage;
use crate::writing::{LogOptions, LogWriter, Site};
use std::io::ErrorKind;
use std::sync::Arc;

/// Reads a log that is then gone on with: the chunks of its newest snapshot, and the epochs behind
/// that. Holds one chunk or epoch at a time. Nothing is changed until
/// [`into_writer`](Self::into_writer).
///
/// # Examples
/// ```
/// use odeon_log::{DirectoryStorage, LogOptions, Recovered, Recovery};
/// use std::sync::Arc;
///
/// let folder = std::env::temp_dir().join(format!("odeon-recovery-{}", std::process::id()));
/// for run in 1..=3 {
///     let storage = Arc::new(DirectoryStorage::create(&folder)?);
///     let mut recovery = Recovery::open(storage, LogOptions::default())?;
///     let mut sum = 0;
///     while let Some(recovered) = recovery.read_next()? {
///         match recovered {
///             Recovered::Epoch { records, .. } => sum += records.map(<[u8]>::len).sum::<usize>(),
///             Recovered::Chunk(_) => unreachable!("nobody has made a snapshot"),
///             Recovered::TornEnd(end) => eprintln!("{end}"),
///         }
///     }
///     assert_eq!(sum, 3 * (run - 1));
///     recovery.into_writer()?.append_epoch([&b"one"[..]])?;
/// }
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Recovery {
    site: Site,
    segment_bytes: u64,
    reader: LogReader,
    failed: Option<LogError>,
}

/// What is recovered of a log, in this order.
#[derive(Debug)]
pub enum Recovered<'a> {
    /// A part of the snapshot.
    Chunk(&'a [u8]),
    /// An epoch behind the snapshot.
    Epoch {
        /// Its number: one more than that of the one before.
        epoch: u64,
        /// What was appended.
        records: Records<'a>,
    },
    /// What was being written when the log was left. It was never acknowledged, and is cut off.
    TornEnd(TornEnd),
}

impl Recovery {
    /// Takes the right to write the log of a storage, and begins to read. A directory without files
    /// is a new log.
    ///
    /// # Errors
    /// [`InUse`](LogError::InUse) if somebody else writes it; those of the storage.
    pub fn open(storage: Arc<dyn Storage>, options: LogOptions) -> Result<Self, LogError> {
        let lock = match storage.lock() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Err(LogError::InUse),
            taken => taken.map_err(LogError::storage("lock the directory", ""))?,
        };
        let reader = LogReader::open(storage.clone())?;
        let id = reader.id().or(options.new_id).unwrap_or_else(LogId::random);
        let site = Site { storage, id, _lock: lock };
        Ok(Self { site, segment_bytes: options.segment_bytes, reader, failed: None })
    }

    /// Whose log it is.
    pub fn id(&self) -> LogId {
        self.site.id
    }

    /// What comes next; nothing at the end.
    ///
    /// # Errors
    /// [`Damage`](LogError::Damage) where something was lost; those of the storage. All further
    /// calls answer the same error.
    pub fn read_next(&mut self) -> Result<Option<Recovered<'_>>, LogError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        loop {
            match self.reader.next_event() {
                Ok(None) => return Ok(None),
                Ok(Some(ReadEvent::File(..))) => {}
                Ok(Some(ReadEvent::Block(header, _))) if header.kind == BlockKind::Chunk => {
                    return Ok(Some(Recovered::Chunk(self.reader.payload())));
                }
                Ok(Some(ReadEvent::Block(header, _))) => {
                    if header.number >= self.reader.behind_snapshot() {
                        let (epoch, records) = (header.number, self.reader.records(&header));
                        return Ok(Some(Recovered::Epoch { epoch, records }));
                    }
                }
                Ok(Some(ReadEvent::TornEnd(end))) => return Ok(Some(Recovered::TornEnd(end))),
                Ok(Some(ReadEvent::Damage(damage))) => return self.fail(damage.into()),
                Err(error) => return self.fail(error),
            }
        }
    }

    /// Goes on with the log behind all that it has. What was not read is read now, and checked.
    ///
    /// All that was recovered is durable when this has succeeded, and not before: what was not
    /// acknowledged may still be lost.
    ///
    /// # Errors
    /// Those of [`read_next`](Self::read_next), and those of the storage. The log is as it was.
    pub fn into_writer(mut self) -> Result<LogWriter, LogError> {
        while self.read_next()?.is_some() {}
        let site = Arc::new(self.site);
        let leftovers = &self.reader.contents().leftovers;
        let (unfinished, superfluous): (Vec<_>, Vec<_>) =
            leftovers.iter().copied().partition(|name| name.is_unfinished);
        site.remove(unfinished)?;
        let end = self.reader.end();
        let writer = LogWriter::go_on(site.clone(), self.segment_bytes, end)?;
        // The names of the snapshot and of all segments are durable since.
        site.remove(superfluous)?;
        Ok(writer)
    }

    fn fail<T>(&mut self, error: LogError) -> Result<T, LogError> {
        self.failed = Some(error.clone());
        Err(error)
    }
}
