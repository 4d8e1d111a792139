//! A session with a GPU passes the suite of devices: that of programs that do not choose (with the
//! feature `cuda` by CUDA, where there is one; with the feature `cpu` the processor, where there is
//! no GPU), and the first one of Vulkan.

use std::marker::PhantomData;

use cubecl::prelude::*;
use odeon_device::conformance::DeviceUnderTest;
use odeon_device::{DeviceError, device_conformance};
use odeon_gpu::{GpuBuffer, GpuDevice, Which, cubecl};

#[cube(launch)]
fn affine(words: &mut [u32], times: u32, plus: u32) {
    if ABSOLUTE_POS < words.len() {
        words[ABSOLUTE_POS] = words[ABSOLUTE_POS] * times + plus;
    }
}

/// The ways to a device, as types.
struct ByDefault;
struct ByVulkan;

trait Way: 'static {
    const WHICH: Which;
}

impl Way for ByDefault {
    const WHICH: Which = Which::Default;
}

impl Way for ByVulkan {
    const WHICH: Which = Which::Vulkan(0);
}

/// A way to a device, under test.
struct Tested<W>(PhantomData<W>);

impl<W: Way> DeviceUnderTest for Tested<W> {
    type Device = GpuDevice;

    fn open(limit: u64) -> Result<GpuDevice, DeviceError> {
        Ok(GpuDevice::open(W::WHICH)?.with_memory_limit(limit))
    }

    fn launch(
        device: &mut GpuDevice,
        buffer: &mut GpuBuffer,
        words: usize,
        times: u32,
        plus: u32,
    ) -> Result<(), DeviceError> {
        device.launch(|on| {
            let (cubes, cube) = on.over(words);
            let buffer = on.output_of::<u32>(buffer, words);
            affine::launch(on.client(), cubes, cube, buffer, times, plus);
        })
    }
}

device_conformance!(default, Tested<ByDefault>);
device_conformance!(vulkan, Tested<ByVulkan>);
