//! A folder of a simulated disk.

use super::file::SimulatedFile;
use super::names::{Change, folder_of};
use super::{SimulatedDisk, failure};
use odeon_log::{Storage, StorageFile, StorageLock, StorageRead};
use std::io::{Cursor, ErrorKind, Result};

/// A folder of a [`SimulatedDisk`], as a [`Storage`]: what goes wrong does so on the disk.
///
/// ```
/// use odeon_log::Storage;
/// use odeon_testkit::disk::SimulatedDisk;
///
/// let disk = SimulatedDisk::new(42);
/// disk.folder("east").create("letter")?.append(b"Dear Ada,")?;
/// assert!(disk.folder("west").list()?.is_empty());
/// assert_eq!(disk.bytes("east/letter").unwrap(), b"Dear Ada,");
/// # std::io::Result::Ok(())
/// ```
#[derive(Clone)]
pub struct SimulatedFolder {
    disk: SimulatedDisk,
    /// What comes before the names of its files.
    prefix: String,
}

impl SimulatedFolder {
    pub(super) fn of(disk: &SimulatedDisk, name: &str) -> Self {
        let prefix = if name.is_empty() { String::new() } else { format!("{name}/") };
        Self { disk: disk.clone(), prefix }
    }

    fn on_disk(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }
}

impl Storage for SimulatedFolder {
    fn list(&self) -> Result<Vec<String>> {
        let disk = self.disk.disk();
        disk.check()?;
        let all = disk.names.all().into_iter();
        let here = all.filter(|name| folder_of(name) == self.prefix);
        Ok(here.map(|name| name[self.prefix.len()..].to_owned()).collect())
    }

    fn open(&self, name: &str) -> Result<Box<dyn StorageRead>> {
        let disk = self.disk.disk();
        let file = disk.find(&self.on_disk(name))?;
        Ok(Box::new(Cursor::new(disk.files[file].bytes().to_vec())))
    }

    fn create(&self, name: &str) -> Result<Box<dyn StorageFile>> {
        let (disk, name) = (&mut *self.disk.disk(), self.on_disk(name));
        if disk.names.get(&name).is_some() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        let file = disk.files.len();
        disk.files.push(SimulatedFile::default());
        disk.change(Change::Name(name, file))?;
        Ok(Box::new(OpenFile { disk: self.disk.clone(), file }))
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        let (disk, from) = (&mut *self.disk.disk(), self.on_disk(from));
        let file = disk.find(&from)?;
        disk.change(Change::Rename(from, self.on_disk(to), file))
    }

    fn remove(&self, name: &str) -> Result<()> {
        let (disk, name) = (&mut *self.disk.disk(), self.on_disk(name));
        disk.find(&name)?;
        disk.change(Change::Remove(name))
    }

    fn sync_directory(&self) -> Result<()> {
        let disk = &mut *self.disk.disk();
        match disk.begin()? {
            // File systems keep a journal of names, and do not forget what they could not write.
            Some(fault) => Err(failure(fault)),
            None => {
                disk.names.sync(&self.prefix);
                Ok(())
            }
        }
    }

    fn lock(&self) -> Result<StorageLock> {
        let disk = &mut *self.disk.disk();
        disk.check()?;
        if !disk.locked.insert(self.prefix.clone()) {
            return Err(ErrorKind::WouldBlock.into());
        }
        Ok(Box::new(Lock(self.clone())))
    }
}

struct OpenFile {
    disk: SimulatedDisk,
    file: usize,
}

impl StorageFile for OpenFile {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.disk.disk().append(self.file, bytes)
    }

    fn sync(&mut self) -> Result<()> {
        self.disk.disk().sync(self.file)
    }
}

struct Lock(SimulatedFolder);

impl Drop for Lock {
    fn drop(&mut self) {
        self.0.disk.disk().locked.remove(&self.0.prefix);
    }
}
