//! A disk whose syncs wait for a sign.

use odeon_log::{Storage, StorageFile, StorageLock, StorageRead};
use odeon_testkit::disk::SimulatedDisk;
use std::io::Result;
use std::sync::{Arc, Condvar, Mutex};

/// See the module.
#[derive(Clone)]
pub(crate) struct SlowDisk {
    disk: SimulatedDisk,
    gate: Arc<Gate>,
}

#[derive(Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    is_closed: bool,
    /// Syncs that wait.
    waiting: usize,
}

impl SlowDisk {
    pub(crate) fn new(disk: SimulatedDisk) -> Self {
        Self { disk, gate: Arc::default() }
    }

    /// Syncs wait from here on.
    pub(crate) fn close(&self) {
        self.gate.state.lock().unwrap().is_closed = true;
    }

    pub(crate) fn open_again(&self) {
        self.gate.state.lock().unwrap().is_closed = false;
        self.gate.changed.notify_all();
    }

    /// Until a sync waits.
    pub(crate) fn until_one_waits(&self) {
        let state = self.gate.state.lock().unwrap();
        drop(self.gate.changed.wait_while(state, |state| state.waiting == 0).unwrap());
    }
}

struct SlowFile {
    file: Box<dyn StorageFile>,
    gate: Arc<Gate>,
}

impl StorageFile for SlowFile {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.append(bytes)
    }

    fn sync(&mut self) -> Result<()> {
        let mut state = self.gate.state.lock().unwrap();
        state.waiting += 1;
        self.gate.changed.notify_all();
        state = self.gate.changed.wait_while(state, |state| state.is_closed).unwrap();
        state.waiting -= 1;
        drop(state);
        self.file.sync()
    }
}

impl Storage for SlowDisk {
    fn list(&self) -> Result<Vec<String>> {
        self.disk.list()
    }

    fn open(&self, name: &str) -> Result<Box<dyn StorageRead>> {
        self.disk.open(name)
    }

    fn create(&self, name: &str) -> Result<Box<dyn StorageFile>> {
        Ok(Box::new(SlowFile { file: self.disk.create(name)?, gate: self.gate.clone() }))
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.disk.rename(from, to)
    }

    fn remove(&self, name: &str) -> Result<()> {
        self.disk.remove(name)
    }

    fn sync_directory(&self) -> Result<()> {
        self.disk.sync_directory()
    }

    fn lock(&self) -> Result<StorageLock> {
        self.disk.lock()
    }
}
