//! A disk in memory that fails as real ones do, by a seed.
//!
//! | part | what is true of it |
//! |---|---|
//! | bytes that were not synced | a crash keeps all, none, a beginning of them, or any of their sectors, with zeros or garbage for the others |
//! | names that were not synced | a crash keeps all, none, the first, or any of their changes |
//! | a sync of a file that fails | it may have written any sector; later ones succeed and do not write the others (Rebello et al., ATC 2020) |
//! | a write that fails | it may have written a beginning |
//! | a full disk | takes what fits |
//!
//! ```
//! use odeon_log::Storage;
//! use odeon_testkit::disk::{DiskFault, SimulatedDisk};
//!
//! let disk = SimulatedDisk::new(42);
//! let mut file = disk.create("letter")?;
//! file.append(b"Dear Ada,")?;
//! file.sync()?;
//! disk.sync_directory()?;
//! file.append(b" how are you?")?;
//! disk.fail_at(disk.operations(), DiskFault::Crash);
//! assert!(file.sync().is_err());
//!
//! let found = disk.crash().bytes("letter").unwrap();
//! assert!(found.starts_with(b"Dear Ada,"));
//! # std::io::Result::Ok(())
//! ```

mod file;
mod folder;
mod names;

pub use folder::SimulatedFolder;

use file::SimulatedFile;
use names::{Change, Names};
use odeon_core::Random;
use odeon_log::{Storage, StorageFile, StorageLock, StorageRead};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Error, ErrorKind, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What goes wrong at an operation of a [`SimulatedDisk`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiskFault {
    /// It fails, and the next one does not.
    Error,
    /// The machine goes down in it: it and all later ones fail.
    Crash,
}

/// A disk in memory, as a [`Storage`]. Clones are the same disk. The same seed and the same
/// operations have the same outcome.
#[derive(Clone)]
pub struct SimulatedDisk(Arc<Mutex<Disk>>);

struct Disk {
    random: Random,
    names: Names,
    /// Also those without a name: somebody may have them open.
    files: Vec<SimulatedFile>,
    operations: u64,
    faults: BTreeMap<u64, DiskFault>,
    capacity: usize,
    /// Folders that somebody writes.
    locked: BTreeSet<String>,
    is_down: bool,
}

impl SimulatedDisk {
    /// An empty disk.
    pub fn new(seed: u64) -> Self {
        Self::with(Random::from_seed(seed), BTreeMap::new())
    }

    fn with(random: Random, found: BTreeMap<String, Vec<u8>>) -> Self {
        let (names, files): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        Self(Arc::new(Mutex::new(Disk {
            random,
            names: Names::durable(names),
            files: files.into_iter().map(SimulatedFile::durable).collect(),
            operations: 0,
            faults: BTreeMap::new(),
            capacity: usize::MAX,
            locked: BTreeSet::new(),
            is_down: false,
        })))
    }

    /// A folder of the disk, with files and a lock of its own, for one of several logs that a crash
    /// meets at the same moment. Its files are called `name/file` on the disk.
    pub fn folder(&self, name: &str) -> SimulatedFolder {
        SimulatedFolder::of(self, name)
    }

    /// What is found after a crash: another disk, on which all is durable and nobody has a lock.
    pub fn crash(&self) -> Self {
        let disk = &mut *self.disk();
        let random = &mut disk.random;
        let names = disk.names.after_crash(random);
        let found =
            names.into_iter().map(|(name, file)| (name, disk.files[file].after_crash(random)));
        let found = found.collect();
        Self::with(Random::from_seed(random.next_u64()), found)
    }

    /// How many operations there were that change something: creating, appending, syncing,
    /// renaming, removing.
    pub fn operations(&self) -> u64 {
        self.disk().operations
    }

    /// Has that operation go wrong, counted from 0 on.
    pub fn fail_at(&self, operation: u64, fault: DiskFault) {
        self.disk().faults.insert(operation, fault);
    }

    /// Has nothing go wrong any more, and takes any number of bytes.
    pub fn heal(&self) {
        let disk = &mut *self.disk();
        disk.faults.clear();
        disk.capacity = usize::MAX;
    }

    /// How many bytes the files may have together. More do not fit.
    pub fn set_capacity(&self, bytes: usize) {
        self.disk().capacity = bytes;
    }

    /// What a file has, as whoever reads it sees it; nothing if there is none of that name.
    pub fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        let disk = self.disk();
        disk.names.get(name).map(|file| disk.files[file].bytes().to_vec())
    }

    /// Puts a file on the disk that is durable, or replaces one: to damage it.
    pub fn put(&self, name: &str, bytes: Vec<u8>) {
        let disk = &mut *self.disk();
        disk.files.push(SimulatedFile::durable(bytes));
        disk.names.put(name, disk.files.len() - 1);
    }

    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Disk {
    /// Counts an operation, and answers what goes wrong with it.
    fn begin(&mut self) -> Result<Option<DiskFault>> {
        self.check()?;
        let fault = self.faults.remove(&self.operations);
        self.operations += 1;
        self.is_down = fault == Some(DiskFault::Crash);
        Ok(fault)
    }

    fn check(&self) -> Result<()> {
        if self.is_down { Err(Error::other("the machine is down")) } else { Ok(()) }
    }

    /// Changes names, unless that is what fails.
    fn change(&mut self, change: Change) -> Result<()> {
        let fault = self.begin()?;
        if fault != Some(DiskFault::Error) {
            // A crash may come behind it.
            self.names.change(change);
        }
        fault.map_or(Ok(()), |fault| Err(failure(fault)))
    }

    fn find(&self, name: &str) -> Result<usize> {
        self.check()?;
        self.names.get(name).ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn append(&mut self, file: usize, bytes: &[u8]) -> Result<()> {
        let fault = self.begin()?;
        let used: usize = self.names.files().map(|file| self.files[file].bytes().len()).sum();
        let room = self.capacity.saturating_sub(used);
        let written = match fault {
            Some(DiskFault::Error) => self.random.below(bytes.len() + 1),
            _ => bytes.len(),
        };
        self.files[file].append(&bytes[..written.min(room)]);
        match fault {
            Some(fault) => Err(failure(fault)),
            None if room < bytes.len() => Err(ErrorKind::StorageFull.into()),
            None => Ok(()),
        }
    }

    fn sync(&mut self, file: usize) -> Result<()> {
        let fault = self.begin()?;
        match fault {
            None => self.files[file].sync(),
            Some(DiskFault::Error) => self.files[file].fail_sync(),
            Some(DiskFault::Crash) => {}
        }
        fault.map_or(Ok(()), |fault| Err(failure(fault)))
    }
}

fn failure(fault: DiskFault) -> Error {
    Error::other(match fault {
        DiskFault::Error => "an injected failure",
        DiskFault::Crash => "the machine goes down",
    })
}

impl Storage for SimulatedDisk {
    fn list(&self) -> Result<Vec<String>> {
        self.folder("").list()
    }

    fn open(&self, name: &str) -> Result<Box<dyn StorageRead>> {
        self.folder("").open(name)
    }

    fn create(&self, name: &str) -> Result<Box<dyn StorageFile>> {
        self.folder("").create(name)
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.folder("").rename(from, to)
    }

    fn remove(&self, name: &str) -> Result<()> {
        self.folder("").remove(name)
    }

    fn sync_directory(&self) -> Result<()> {
        self.folder("").sync_directory()
    }

    fn lock(&self) -> Result<StorageLock> {
        self.folder("").lock()
    }
}

#[cfg(test)]
mod tests;
