//! Appending epochs.

use crate::error::LogError;
use crate::format::{BlockBuffer, BlockKind, FILE_HEADER, FileName, LogId};
use crate::reading::LogEnd;
use crate::writing::new_file::{BlockFile, NewFile};
use crate::writing::site::Site;
use crate::writing::snapshot_writer::SnapshotWriter;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

/// How many bytes a segment has before the next one begins.
/// TUNE: guessed. Larger ones are removed later, and opening a log writes the last one anew.
const SEGMENT_BYTES: u64 = 64 * 1024 * 1024;

/// How many bytes are copied at once.
/// TUNE: guessed.
const COPIED: usize = 1024 * 1024;

/// How a log is written.
#[derive(Clone, Debug)]
pub struct LogOptions {
    pub(crate) segment_bytes: u64,
    pub(crate) new_id: Option<LogId>,
}

impl Default for LogOptions {
    /// Segments of 64 MiB, and a random id for each new log.
    fn default() -> Self {
        Self { segment_bytes: SEGMENT_BYTES, new_id: None }
    }
}

impl LogOptions {
    /// A segment that has so many bytes gets no further epoch; the next one begins. Each has one
    /// epoch at least.
    pub fn segment_bytes(self, segment_bytes: u64) -> Self {
        Self { segment_bytes, ..self }
    }

    /// The id of the log if it is a new one: for tests that want the same bytes each time.
    pub fn new_id(self, new_id: LogId) -> Self {
        Self { new_id: Some(new_id), ..self }
    }
}

/// Appends to a log. There is one for each log.
///
/// # Guarantees
/// An epoch that was acknowledged is found, with all of its records and behind all epochs before
/// it, by whoever opens the log later, whatever became of the process or the machine. One that was
/// not is found whole or not at all.
///
/// # Examples
/// ```
/// use odeon_log::{DirectoryStorage, LogOptions, Recovery};
/// use std::sync::Arc;
///
/// let folder = std::env::temp_dir().join(format!("odeon-writer-{}", std::process::id()));
/// let storage = Arc::new(DirectoryStorage::create(&folder)?);
/// let mut writer = Recovery::open(storage, LogOptions::default())?.into_writer()?;
/// assert_eq!(writer.append_epoch([&b"debit 5"[..], b"credit 5"])?, 1);
/// assert_eq!(writer.append_epoch([])?, 2);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LogWriter {
    site: Arc<Site>,
    segment_bytes: u64,
    segment: BlockFile,
    last_epoch: u64,
    block: BlockBuffer,
    /// What has gone wrong. Nobody knows what is on the disk since.
    poisoned: Option<LogError>,
}

impl LogWriter {
    /// Goes on behind the end of a log, or begins one.
    pub(crate) fn go_on(
        site: Arc<Site>,
        segment_bytes: u64,
        end: Option<LogEnd>,
    ) -> Result<Self, LogError> {
        let (segment, last_epoch) = match end {
            Some(end) => (rewrite(&site, &end)?, end.last_epoch),
            None => (NewFile::create(&site, FileName::segment(1))?.finish()?, 0),
        };
        let block = BlockBuffer::default();
        Ok(Self { site, segment_bytes, segment, last_epoch, block, poisoned: None })
    }

    /// Appends one epoch with these records, and waits until it is durable. Answers its number,
    /// which is one more than that of the epoch before; the first is 1.
    ///
    /// # Errors
    /// [`TooLarge`](LogError::TooLarge), and nothing has happened. Any other error is for good:
    /// this writer refuses all later epochs with it, as nobody knows what is on the disk. Whoever
    /// opens the log again finds out; the epoch is there or not.
    pub fn append_epoch<'r>(
        &mut self,
        records: impl IntoIterator<Item = &'r [u8]>,
    ) -> Result<u64, LogError> {
        self.check()?;
        self.block.begin();
        for record in records {
            if !self.block.push_record(record) {
                return Err(LogError::TooLarge);
            }
        }
        match self.write() {
            Ok(()) => {
                self.last_epoch += 1;
                Ok(self.last_epoch)
            }
            Err(error) => Err(self.poisoned.insert(error).clone()),
        }
    }

    /// The last epoch that is durable; 0 before the first one.
    pub fn last_epoch(&self) -> u64 {
        self.last_epoch
    }

    /// Whose log it is.
    pub fn id(&self) -> LogId {
        self.site.id
    }

    /// Begins a snapshot: what is written to it is the state after the last durable epoch. Others
    /// may follow meanwhile.
    ///
    /// # Errors
    /// If its file cannot be created: also if a snapshot of the same epoch is not finished. If this
    /// writer has failed, with that error.
    pub fn begin_snapshot(&self) -> Result<SnapshotWriter, LogError> {
        self.check()?;
        SnapshotWriter::begin(&self.site, self.last_epoch)
    }

    fn check(&self) -> Result<(), LogError> {
        self.poisoned.clone().map_or(Ok(()), Err)
    }

    fn write(&mut self) -> Result<(), LogError> {
        let epoch = self.last_epoch + 1;
        if self.segment.length() >= self.segment_bytes.max(FILE_HEADER as u64 + 1) {
            self.segment = NewFile::create(&self.site, FileName::segment(epoch))?.finish()?;
        }
        self.segment.append_block(&mut self.block, BlockKind::Epoch, epoch)?;
        self.segment.sync()
    }
}

/// Writes the last segment anew, as far as it is whole.
///
/// Its last epoch may be in the memory of the system only: after a failed sync the system holds it
/// for written, and a second sync would do nothing. It must not be lost once there are epochs
/// behind it.
fn rewrite(site: &Arc<Site>, end: &LogEnd) -> Result<BlockFile, LogError> {
    let name = end.segment;
    let mut new = NewFile::create(site, name)?;
    let mut old = site.storage.open(&name.to_string()).map_err(LogError::storage("read", name))?;
    old.seek(SeekFrom::Start(FILE_HEADER as u64)).map_err(LogError::storage("read", name))?;
    let mut bytes = Vec::new();
    let mut left = end.length - FILE_HEADER as u64;
    while left > 0 {
        bytes.resize(left.min(COPIED as u64) as usize, 0);
        old.read_exact(&mut bytes).map_err(LogError::storage("read", name))?;
        new.file().append(&bytes)?;
        left -= bytes.len() as u64;
    }
    // Not every system gives a file the name of one that is open.
    drop(old);
    new.finish()
}
