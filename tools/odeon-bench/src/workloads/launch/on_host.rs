//! Kernels that are closures.

use super::{BareLauncher, Launcher};
use crate::error::BenchError;
use odeon_device::{Device, DeviceError, HostBuffer, HostDevice};
use std::hint::black_box;

/// Words that a kernel changes: some hundred nanoseconds of work.
const WORDS: usize = 1_024;

fn kernel(words: &mut [u32], by: u32) {
    for word in black_box(words) {
        *word = word.wrapping_add(by);
    }
}

/// Through a session.
pub(super) struct OnHost {
    words: HostBuffer,
}

impl OnHost {
    pub(super) fn open() -> Result<(Self, HostDevice), DeviceError> {
        let mut device = HostDevice::new(1 << 20);
        let words = device.upload(bytemuck::cast_slice(&[0_u32; WORDS]))?;
        Ok((Self { words }, device))
    }
}

impl Launcher for OnHost {
    type Device = HostDevice;

    fn launch(&mut self, device: &mut HostDevice, by: u32) -> Result<(), DeviceError> {
        device.launch(|| kernel(self.words.as_mut_slice(), by));
        Ok(())
    }

    fn counted(&mut self, _device: &mut HostDevice) -> Result<u32, DeviceError> {
        Ok(self.words.as_slice()[0])
    }
}

/// The closure alone.
pub(super) struct Bare(Vec<u32>);

impl Bare {
    pub(super) fn new() -> Self {
        Self(vec![0; WORDS])
    }
}

impl BareLauncher for Bare {
    fn launch(&mut self) {
        kernel(&mut self.0, 1);
    }

    fn wait(&mut self) -> Result<(), BenchError> {
        Ok(())
    }

    fn counted(&mut self) -> Result<u32, BenchError> {
        Ok(self.0[0])
    }
}
