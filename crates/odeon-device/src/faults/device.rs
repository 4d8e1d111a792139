//! A device that fails when its script says so.

use super::{Faults, Step};
use crate::device::Device;
use crate::error::DeviceError;
use crate::memory::Memory;

/// A [`Device`] that fails as [`Faults`] say, and is otherwise the one inside.
#[derive(Debug)]
pub struct FaultyDevice<D> {
    device: D,
    faults: Faults,
    lost: Option<DeviceError>,
}

impl<D> FaultyDevice<D> {
    pub(super) fn new(device: D, faults: Faults) -> Self {
        Self { device, faults, lost: None }
    }

    /// Launches by the device inside.
    ///
    /// # Errors
    /// What the script says for [`Step::Launch`]; what `launch` says.
    pub fn launch<R>(
        &mut self,
        launch: impl FnOnce(&mut D) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        self.step(Step::Launch)?;
        launch(&mut self.device)
    }

    fn step(&mut self, step: Step) -> Result<(), DeviceError> {
        if let Some(lost) = &self.lost {
            return Err(lost.clone());
        }
        let outcome = self.faults.step(step);
        if let Err(error @ DeviceError::Lost(_)) = &outcome {
            self.lost = Some(error.clone());
        }
        outcome
    }
}

impl<D: Device> Device for FaultyDevice<D> {
    type Buffer = D::Buffer;

    fn name(&self) -> &str {
        self.device.name()
    }

    fn memory(&self) -> &Memory {
        self.device.memory()
    }

    fn allocate(&mut self, bytes: usize) -> Result<D::Buffer, DeviceError> {
        self.step(Step::Allocate)?;
        self.device.allocate(bytes)
    }

    fn upload(&mut self, bytes: &[u8]) -> Result<D::Buffer, DeviceError> {
        self.step(Step::Allocate)?;
        self.device.upload(bytes)
    }

    fn write(&mut self, buffer: &mut D::Buffer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.step(Step::Write)?;
        self.device.write(buffer, bytes)
    }

    fn download(&mut self, buffer: &D::Buffer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.step(Step::Download)?;
        self.device.download(buffer, into)
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        self.step(Step::Synchronize)?;
        self.device.synchronize()
    }
}
