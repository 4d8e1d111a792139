//! The seam between a log and what it lies on: one flat directory of files.
//!
//! What is durable is what disks promise, and no more. Appended bytes are durable once a
//! [`sync`](StorageFile::sync) of their file has succeeded, and names once a
//! [`sync_directory`](Storage::sync_directory) has. Before that a crash may keep any part of them,
//! in any order.

mod directory;

pub use directory::DirectoryStorage;

use std::io::{Read, Result, Seek};

/// A directory of files, without folders in it.
///
/// Any error may come from any call. A file that is open stays readable when its name is given to
/// another one, or removed.
pub trait Storage: Send + Sync {
    /// The names of all files, in any order.
    ///
    /// # Errors
    /// Those of the system.
    fn list(&self) -> Result<Vec<String>>;

    /// Opens a file to be read.
    ///
    /// # Errors
    /// `NotFound` if there is none of that name; those of the system.
    fn open(&self, name: &str) -> Result<Box<dyn StorageRead>>;

    /// Creates an empty file.
    ///
    /// # Errors
    /// `AlreadyExists` if there is one of that name; those of the system.
    fn create(&self, name: &str) -> Result<Box<dyn StorageFile>>;

    /// Gives a file another name. If a file has that name, it is replaced: whoever looks finds one
    /// of the two, also after a crash.
    ///
    /// # Errors
    /// `NotFound` if there is no file `from`; those of the system.
    fn rename(&self, from: &str, to: &str) -> Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// `NotFound` if there is none of that name; those of the system.
    fn remove(&self, name: &str) -> Result<()>;

    /// Makes durable which names there are.
    ///
    /// # Errors
    /// Those of the system: some changes of names may be lost in a crash.
    fn sync_directory(&self) -> Result<()>;

    /// Takes the right to write. It ends when the guard is dropped, and with the process however
    /// that ends.
    ///
    /// # Errors
    /// `WouldBlock` if somebody else has it; those of the system.
    fn lock(&self) -> Result<StorageLock>;
}

/// A file that is read.
pub trait StorageRead: Read + Seek + Send {}

impl<T: Read + Seek + Send> StorageRead for T {}

/// A file that grows at its end.
pub trait StorageFile: Send + Sync {
    /// Writes all of `bytes` at the end.
    ///
    /// # Errors
    /// Those of the system, which may have written any part of it.
    fn append(&mut self, bytes: &[u8]) -> Result<()>;

    /// Makes durable what was appended.
    ///
    /// # Errors
    /// Those of the system. Then any part of what was not durable may be lost, and a later success
    /// says nothing of it.
    fn sync(&mut self) -> Result<()>;
}

/// The right to write; see [`Storage::lock`].
pub type StorageLock = Box<dyn Send + Sync>;
