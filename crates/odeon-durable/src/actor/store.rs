//! Where the logs of durable actors are.

use odeon_log::{DirectoryStorage, LogError, LogOptions, Storage};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens the storage of a log by its name.
type Opens = dyn Fn(&str) -> io::Result<Arc<dyn Storage>> + Send + Sync;

/// A place for the logs of durable actors, each under a name.
#[derive(Clone)]
pub struct Store {
    opens: Arc<Opens>,
    /// Those of new logs by default have an id of their own each.
    options: Option<LogOptions>,
    snapshot_after: u64,
}

/// Bytes of a log behind its snapshot beyond which there is another one.
/// TUNE: guessed; what is read in a second.
const SNAPSHOT_AFTER: u64 = 64 * 1024 * 1024;

impl Store {
    /// Logs in a folder, which is made if it is not there: each is a folder in it, of its name.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, LogError> {
        let folder: PathBuf = folder.as_ref().into();
        std::fs::create_dir_all(&folder)
            .map_err(|error| refused("create the folder", folder.display().to_string(), error))?;
        Ok(Self::on(move |name| Ok(Arc::new(DirectoryStorage::create(folder.join(name))?))))
    }

    /// Logs in storages that `opens` gives by their names: for tests on a simulated disk.
    pub fn on(
        opens: impl Fn(&str) -> io::Result<Arc<dyn Storage>> + Send + Sync + 'static,
    ) -> Self {
        Self { opens: Arc::new(opens), options: None, snapshot_after: SNAPSHOT_AFTER }
    }

    /// How the logs are written. 64 MiB a segment without it.
    pub fn log_options(self, options: LogOptions) -> Self {
        Self { options: Some(options), ..self }
    }

    /// When there is another snapshot of a state: if its log has so many bytes behind the last one,
    /// and more than that had. 64 MiB without it. The more, the longer an actor takes to come back.
    pub fn snapshot_after(self, bytes: u64) -> Self {
        Self { snapshot_after: bytes, ..self }
    }

    pub(super) fn options(&self) -> LogOptions {
        self.options.clone().unwrap_or_default()
    }

    pub(super) fn bytes_until_snapshot(&self) -> u64 {
        self.snapshot_after
    }

    /// The storage of the log with this name.
    pub(super) fn storage(&self, name: &str) -> Result<Arc<dyn Storage>, LogError> {
        let is_plain = !name.is_empty() && !name.starts_with('.');
        if !is_plain || name.contains(['/', '\\', '\0']) {
            let error = io::Error::new(io::ErrorKind::InvalidInput, "it is no name of a folder");
            return Err(refused("open the log", name.into(), error));
        }
        (self.opens)(name).map_err(|error| refused("open the log", name.into(), error))
    }
}

/// What the system has refused.
pub(super) fn refused(doing: &'static str, file: String, error: io::Error) -> LogError {
    LogError::Storage { doing, file, source: Arc::new(error) }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}
