//! A file that has its name only when it is whole.

use crate::error::LogError;
use crate::format::{BlockBuffer, BlockKind, FileHeader, FileName, Seed};
use crate::storage::StorageFile;
use crate::writing::site::Site;
use std::sync::Arc;

/// A file under a name that counts for nothing. It is removed when this is dropped.
pub(super) struct NewFile {
    site: Arc<Site>,
    /// Nothing once the file was given away.
    file: Option<BlockFile>,
}

/// A file of blocks that grows at its end.
pub(super) struct BlockFile {
    name: FileName,
    file: Box<dyn StorageFile>,
    seed: Seed,
    length: u64,
}

impl NewFile {
    /// Creates a file that will have this name, and writes its header.
    pub(super) fn create(site: &Arc<Site>, name: FileName) -> Result<Self, LogError> {
        let file = site.storage.create(&name.unfinished().to_string());
        let file = file.map_err(LogError::storage("create", name.unfinished()))?;
        let header = FileHeader::of(name, site.id).to_bytes();
        let mut file = BlockFile { name, file, seed: Seed::of(&header), length: 0 };
        let appended = file.append(&header);
        let new = Self { site: site.clone(), file: Some(file) };
        appended.map(|()| new)
    }

    pub(super) fn file(&mut self) -> &mut BlockFile {
        self.file.as_mut().expect("it is given away at the end")
    }

    /// Makes the file durable, and then its name. Whatever had that name is replaced.
    pub(super) fn finish(mut self) -> Result<BlockFile, LogError> {
        self.file().sync()?;
        let name = self.file().name;
        let renamed = self.site.storage.rename(&name.unfinished().to_string(), &name.to_string());
        renamed.map_err(LogError::storage("rename", name.unfinished()))?;
        self.site.sync_directory()?;
        Ok(self.file.take().expect("it is given away once"))
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            // If that fails, opening the log removes it.
            let _ = self.site.storage.remove(&file.name.unfinished().to_string());
        }
    }
}

impl BlockFile {
    /// Bytes in the file.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Ends a block, and appends it with one write.
    pub(super) fn append_block(
        &mut self,
        block: &mut BlockBuffer,
        kind: BlockKind,
        number: u64,
    ) -> Result<(), LogError> {
        self.append(block.end(kind, number, self.seed, self.length))
    }

    /// Appends bytes that are no new block.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), LogError> {
        self.file.append(bytes).map_err(LogError::storage("write", self.name))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    pub(super) fn sync(&mut self) -> Result<(), LogError> {
        self.file.sync().map_err(LogError::storage("sync", self.name))
    }
}
