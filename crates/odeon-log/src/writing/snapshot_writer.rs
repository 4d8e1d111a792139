//! Writing a snapshot, beside the epochs that go on.

use crate::error::LogError;
use crate::format::{BlockBuffer, BlockKind, FileName};
use crate::reading::Contents;
use crate::writing::new_file::NewFile;
use crate::writing::site::Site;
use std::sync::Arc;

/// Writes the state after an epoch. Until it is [finished](Self::finish) it counts for nothing, and
/// is removed when this is dropped.
///
/// It holds the right to write the log as a [`LogWriter`](crate::LogWriter) does, and may be on
/// another thread.
///
/// # Examples
/// ```
/// use odeon_log::{DirectoryStorage, LogOptions, Recovered, Recovery};
/// use std::sync::Arc;
///
/// let folder = std::env::temp_dir().join(format!("odeon-snapshot-{}", std::process::id()));
/// let storage = Arc::new(DirectoryStorage::create(&folder)?);
/// let mut writer = Recovery::open(storage.clone(), LogOptions::default())?.into_writer()?;
/// writer.append_epoch([&b"+2"[..]])?;
/// let mut snapshot = writer.begin_snapshot()?;
/// writer.append_epoch([&b"+3"[..]])?;
/// snapshot.write_chunk(b"2")?;
/// snapshot.finish()?;
/// drop(writer);
///
/// let mut recovery = Recovery::open(storage, LogOptions::default())?;
/// assert!(matches!(recovery.read_next()?, Some(Recovered::Chunk(b"2"))));
/// assert!(matches!(recovery.read_next()?, Some(Recovered::Epoch { epoch: 2, .. })));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SnapshotWriter {
    site: Arc<Site>,
    new: NewFile,
    epoch: u64,
    chunks: u64,
    block: BlockBuffer,
    failed: Option<LogError>,
}

impl SnapshotWriter {
    pub(super) fn begin(site: &Arc<Site>, epoch: u64) -> Result<Self, LogError> {
        let new = NewFile::create(site, FileName::snapshot(epoch))?;
        let block = BlockBuffer::default();
        Ok(Self { site: site.clone(), new, epoch, chunks: 0, block, failed: None })
    }

    /// The epoch after which the state is written.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Writes a part of the state. Parts are read in the order in which they were written, each as
    /// it was.
    ///
    /// # Errors
    /// [`TooLarge`](LogError::TooLarge), and nothing has happened. Any other error is for good: the
    /// snapshot cannot be finished. The log is not touched by it.
    pub fn write_chunk(&mut self, bytes: &[u8]) -> Result<(), LogError> {
        self.block.begin();
        if !self.block.push(bytes) {
            return Err(LogError::TooLarge);
        }
        self.write(BlockKind::Chunk, self.chunks + 1)?;
        self.chunks += 1;
        Ok(())
    }

    /// Ends the snapshot, makes it durable, and removes what it makes superfluous: older snapshots,
    /// and segments of which it has all epochs.
    ///
    /// # Errors
    /// Those of the storage, and that of a chunk that has failed. The log loses nothing by it. If
    /// something could not be removed, the snapshot may count all the same.
    pub fn finish(mut self) -> Result<(), LogError> {
        self.block.begin();
        self.write(BlockKind::Footer, self.chunks)?;
        let Self { site, new, .. } = self;
        new.finish()?;
        // Another one may have been given its name meanwhile, which is not durable. What is removed
        // is superfluous by names that are there before the directory is synced.
        let contents = Contents::of(&*site.storage)?;
        site.sync_directory()?;
        site.remove(contents.leftovers.into_iter().filter(|name| !name.is_unfinished))
    }

    fn write(&mut self, kind: BlockKind, number: u64) -> Result<(), LogError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let done = self.new.file().append_block(&mut self.block, kind, number);
        done.inspect_err(|error| self.failed = Some(error.clone()))
    }
}
