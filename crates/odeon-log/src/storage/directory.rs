//! The file system as a [`Storage`].

use crate::storage::{Storage, StorageFile, StorageLock, StorageRead};
use std::fs::{self, File};
use std::io::{ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

/// The file whose lock is the right to write. It stays when nobody writes: the lock counts, which
/// ends with the process, and not the file.
const LOCK: &str = "lock";

/// A folder of the file system.
///
/// # Examples
/// ```
/// use odeon_log::{DirectoryStorage, Storage};
///
/// let folder = std::env::temp_dir().join(format!("odeon-directory-{}", std::process::id()));
/// let storage = DirectoryStorage::create(&folder)?;
/// let mut file = storage.create("letter")?;
/// file.append(b"Dear ")?;
/// file.append(b"Ada")?;
/// file.sync()?;
/// storage.sync_directory()?;
/// assert_eq!(std::fs::read(folder.join("letter"))?, b"Dear Ada");
/// # std::fs::remove_dir_all(&folder)?;
/// # std::io::Result::Ok(())
/// ```
#[derive(Clone, Debug)]
pub struct DirectoryStorage {
    folder: PathBuf,
}

impl DirectoryStorage {
    /// The folder at `path`, which need not exist: then each use of it is an error.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { folder: path.into() }
    }

    /// The folder at `path`, created with those above it if it is missing.
    ///
    /// # Errors
    /// If it cannot be created, or not be made durable.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self> {
        let folder = path.into();
        let missing = folder.ancestors().take_while(|above| !above.exists()).count();
        fs::create_dir_all(&folder)?;
        // The one above also if nothing is missing: whoever created it may not have come so far.
        for above in folder.canonicalize()?.ancestors().skip(1).take(missing.max(1)) {
            match sync_folder(above) {
                // A folder that others made, and only they may open.
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {}
                done => done?,
            }
        }
        Ok(Self { folder })
    }
}

impl Storage for DirectoryStorage {
    fn list(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            // No name of a log is anything but UTF-8. Whatever else has such a name is no file to
            // be passed over: opening it fails.
            names.extend(entry?.file_name().into_string());
        }
        Ok(names)
    }

    fn open(&self, name: &str) -> Result<Box<dyn StorageRead>> {
        Ok(Box::new(File::open(self.folder.join(name))?))
    }

    fn create(&self, name: &str) -> Result<Box<dyn StorageFile>> {
        let file = File::options().append(true).create_new(true).open(self.folder.join(name))?;
        Ok(Box::new(DirectoryFile(file)))
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        fs::rename(self.folder.join(from), self.folder.join(to))
    }

    fn remove(&self, name: &str) -> Result<()> {
        fs::remove_file(self.folder.join(name))
    }

    fn sync_directory(&self) -> Result<()> {
        sync_folder(&self.folder)
    }

    fn lock(&self) -> Result<StorageLock> {
        let path = self.folder.join(LOCK);
        let file = File::options().append(true).create(true).open(path)?;
        match fs4::FileExt::try_lock(&file) {
            Ok(()) => Ok(Box::new(file)),
            Err(fs4::TryLockError::WouldBlock) => Err(ErrorKind::WouldBlock.into()),
            Err(fs4::TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Other systems have no handles of folders that could be synced, and log changes of names.
fn sync_folder(path: &Path) -> Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

#[derive(Debug)]
struct DirectoryFile(File);

impl StorageFile for DirectoryFile {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.write_all(bytes)
    }

    fn sync(&mut self) -> Result<()> {
        self.0.sync_data()
    }
}
