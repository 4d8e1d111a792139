//! A kernel on a device that CubeCL reaches.

use super::{BareLauncher, Launcher};
use crate::error::BenchError;
use crate::theater::runtime;
use odeon_device::{Device, DeviceError};
use odeon_gpu::{GpuBuffer, GpuDevice, Which, cubecl};

use cubecl::client::Client;
use cubecl::prelude::*;
use cubecl::server::Handle;

/// Words that a kernel changes: one group of units, so that hardly anything but the launch is
/// measured.
const WORDS: usize = 64;

#[cube(launch)]
fn add(words: &mut [u32], by: u32) {
    if ABSOLUTE_POS < words.len() {
        words[ABSOLUTE_POS] += by;
    }
}

fn grid() -> (CubeCount, CubeDim) {
    (CubeCount::Static(1, 1, 1), CubeDim::new_1d(WORDS as u32))
}

/// Through a session.
pub(super) struct ByKernels {
    words: GpuBuffer,
}

impl ByKernels {
    pub(super) fn open(which: Which) -> Result<(Self, GpuDevice), DeviceError> {
        let mut gpu = GpuDevice::open(which)?;
        Ok((Self { words: gpu.upload_slice(&[0_u32; WORDS])? }, gpu))
    }
}

impl Launcher for ByKernels {
    type Device = GpuDevice;

    fn launch(&mut self, gpu: &mut GpuDevice, by: u32) -> Result<(), DeviceError> {
        let words = &mut self.words;
        gpu.launch(|on| {
            let (cubes, cube) = grid();
            add::launch(on.client(), cubes, cube, on.output::<u32>(words), by);
        })
    }

    fn counted(&mut self, gpu: &mut GpuDevice) -> Result<u32, DeviceError> {
        let mut first = [0_u32];
        gpu.download(&self.words, bytemuck::cast_slice_mut(&mut first))?;
        Ok(first[0])
    }
}

/// By CubeCL alone, over the same connection to the driver.
pub(super) struct Bare {
    // Dropped before the session: it is memory of that connection.
    words: Handle,
    client: Client,
    _session: GpuDevice,
}

impl Bare {
    pub(super) fn new(which: Which) -> Result<Self, DeviceError> {
        let mut session = GpuDevice::open(which)?;
        let mut client = None;
        session.launch(|on| client = Some(on.client().clone()))?;
        let client = client.expect("a session that launches has called the closure");
        let words = client.create_from_slice(bytemuck::cast_slice(&[0_u32; WORDS]));
        Ok(Self { words, client, _session: session })
    }
}

impl BareLauncher for Bare {
    fn launch(&mut self) {
        let (cubes, cube) = grid();
        // SAFETY: the memory was made with so many words.
        #[allow(unsafe_code)]
        let words = unsafe { BufferArg::from_raw_parts(self.words.clone(), WORDS) };
        add::launch(&self.client, cubes, cube, words, 1);
    }

    fn wait(&mut self) -> Result<(), BenchError> {
        cubecl::future::block_on(self.client.sync()).map_err(|error| runtime(format!("{error:?}")))
    }

    fn counted(&mut self) -> Result<u32, BenchError> {
        let bytes = self.client.read_one(self.words.clone());
        let bytes = bytes.map_err(|error| runtime(format!("{error:?}")))?;
        Ok(bytemuck::pod_read_unaligned(&bytes[..size_of::<u32>()]))
    }
}
