//! Where a log is written.

use crate::error::LogError;
use crate::format::{FileName, LogId};
use crate::storage::{Storage, StorageLock};
use std::sync::Arc;

/// A storage, whose log it has, and the right to write, which lasts as long as anybody writes.
pub(crate) struct Site {
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) id: LogId,
    pub(crate) _lock: StorageLock,
}

impl Site {
    pub(super) fn sync_directory(&self) -> Result<(), LogError> {
        self.storage.sync_directory().map_err(LogError::storage("sync the directory", ""))
    }

    pub(crate) fn remove(&self, names: impl IntoIterator<Item = FileName>) -> Result<(), LogError> {
        for name in names {
            match self.storage.remove(&name.to_string()) {
                // Another snapshot has removed it meanwhile.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                done => done.map_err(LogError::storage("remove", name))?,
            }
        }
        Ok(())
    }
}
