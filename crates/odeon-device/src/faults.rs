//! Faults on request, for tests: what goes wrong, and when, is written down before.
//!
//! | what is wrapped | file |
//! |---|---|
//! | a device | `faults/device.rs` |
//! | a worker | `faults/worker.rs` |

mod device;
mod worker;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::error::DeviceError;

pub use device::FaultyDevice;
pub use worker::FaultyWorker;

/// What a device or worker is asked for, as [`Faults`] count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// A session is opened ([`Faults::open`]).
    Open,
    /// [`allocate`](crate::Device::allocate) or [`upload`](crate::Device::upload).
    Allocate,
    /// [`write`](crate::Device::write).
    Write,
    /// [`download`](crate::Device::download).
    Download,
    /// [`synchronize`](crate::Device::synchronize).
    Synchronize,
    /// [`FaultyDevice::launch`].
    Launch,
    /// [`Worker::work`](crate::Worker::work).
    Work,
}

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The step is not done, and this is said. After [`DeviceError::Lost`] the session does nothing
    /// more.
    Fail(DeviceError),
    /// The step panics with this text.
    Panic(String),
}

/// A script of faults: at the *n*th step of its kind something goes wrong. A handle: its clones
/// read the same script, so the steps of all sessions that are opened by it are counted together,
/// and a new session goes on where a lost one has ended.
///
/// ```
/// use odeon_device::{Device, DeviceError, Fault, Faults, HostDevice, Step};
///
/// let lost = DeviceError::Lost("unplugged".into());
/// let faults = Faults::new().at(Step::Allocate, 2, Fault::Fail(lost.clone()));
/// let mut device = faults.open(|| Ok(HostDevice::new(100)))?;
/// assert!(device.allocate(1).is_ok());
/// assert_eq!(device.allocate(1).err(), Some(lost.clone()));
/// assert_eq!(device.synchronize(), Err(lost));
///
/// let mut found_again = faults.open(|| Ok(HostDevice::new(100)))?;
/// assert!(found_again.allocate(1).is_ok());
/// # Ok::<(), DeviceError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Faults {
    script: Arc<Mutex<Script>>,
}

#[derive(Debug, Default)]
struct Script {
    done: BTreeMap<Step, u64>,
    to_come: BTreeMap<(Step, u64), Fault>,
}

impl Faults {
    /// Nothing goes wrong.
    pub fn new() -> Self {
        Self::default()
    }

    /// Has `fault` happen at the `nth` step of this kind, counted from 1.
    #[must_use]
    pub fn at(self, step: Step, nth: u64, fault: Fault) -> Self {
        self.lock().to_come.insert((step, nth), fault);
        self
    }

    /// Has the device be lost at the `nth` step of this kind.
    #[must_use]
    pub fn lost_at(self, step: Step, nth: u64) -> Self {
        let why = format!("lost at {step:?} {nth}, as the script says");
        self.at(step, nth, Fault::Fail(DeviceError::Lost(why)))
    }

    /// A session with the device that `open` finds.
    ///
    /// # Errors
    /// What the script says for [`Step::Open`]; what `open` says.
    pub fn open<D>(
        &self,
        open: impl FnOnce() -> Result<D, DeviceError>,
    ) -> Result<FaultyDevice<D>, DeviceError> {
        self.step(Step::Open)?;
        Ok(FaultyDevice::new(open()?, self.clone()))
    }

    /// A worker that fails as the script says.
    pub fn worker<W>(&self, worker: W) -> FaultyWorker<W> {
        FaultyWorker::new(worker, self.clone())
    }

    /// How many steps of this kind there were, those that went wrong included.
    pub fn count(&self, step: Step) -> u64 {
        self.lock().done.get(&step).copied().unwrap_or(0)
    }

    /// How many faults have not happened yet.
    pub fn to_come(&self) -> usize {
        self.lock().to_come.len()
    }

    /// Counts a step.
    fn step(&self, step: Step) -> Result<(), DeviceError> {
        let fault = {
            let mut script = self.lock();
            let done = script.done.entry(step).or_default();
            *done += 1;
            let nth = *done;
            script.to_come.remove(&(step, nth))
        };
        match fault {
            None => Ok(()),
            Some(Fault::Fail(error)) => Err(error),
            Some(Fault::Panic(text)) => std::panic::resume_unwind(Box::new(text)),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Script> {
        self.script.lock().expect("no panic happens under this lock")
    }
}
