//! Devices for tests, and what could not be tested here.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::io::Write;

use cubecl::device::{WgpuBackend, WgpuDevice, WgpuDeviceKind};
use cubecl::wgpu::{
    AutoGraphicsApi, RuntimeOptions, Vulkan, WgpuInitError, WgpuSetup, try_init_setup,
};
use odeon_device::Device;
use odeon_gpu::{Found, GpuDevice, Which, cubecl, devices};

/// Says something that is to be read also if the test passes. Not by `println`: of tests that pass
/// the harness shows nothing.
pub(crate) fn say(what: &str) {
    // WHY one write: lines of drivers come in between otherwise.
    std::io::stderr().write_all(format!("{what}\n").as_bytes()).unwrap();
}

/// Says that a test has not done what it is for.
pub(crate) fn skipped(test: &str, reason: &str) {
    say(&format!("skipped: {test}: {reason}"));
}

/// Does something with a session with each device that this machine has, and says so where it has
/// none.
pub(crate) fn on_each_device(test: &str, mut check: impl FnMut(GpuDevice, &Found)) {
    let found = devices();
    if found.is_empty() {
        skipped(test, "no GPU, and no driver that stands in for one");
    }
    for device in found {
        let gpu = GpuDevice::open(device.which).unwrap_or_else(|why| panic!("{device}: {why}"));
        check(gpu, &device);
    }
}

/// How wgpu reaches a device by that name of it, which lets a test lose the device. It is had only
/// of a name that nobody in this process has opened.
pub(crate) fn setup_on(device: &WgpuDevice) -> Result<WgpuSetup, WgpuInitError> {
    let options = RuntimeOptions::default();
    match device.backend {
        WgpuBackend::Vulkan => try_init_setup::<Vulkan>(device, options),
        _ => try_init_setup::<AutoGraphicsApi>(device, options),
    }
}

/// The setup of the device that [`Which::Default`] is, and of what kind it is; says why there is
/// none. Nothing may have been opened before.
pub(crate) fn setup_of_the_best(test: &str) -> Option<(WgpuDeviceKind, WgpuSetup)> {
    use WgpuDeviceKind::{Cpu, DiscreteGpu, IntegratedGpu};
    // The best ones first, as in `which.rs`.
    let setups = [DiscreteGpu(0), IntegratedGpu(0), Cpu]
        .into_iter()
        .find_map(|kind| Some((kind.clone(), setup_on(&WgpuDevice::new(kind)).ok()?)));
    let Some((kind, setup)) = setups else {
        skipped(test, "no GPU by Vulkan, and no driver that stands in for one");
        return None;
    };
    let called = setup.adapter.get_info().name;
    let is_best = GpuDevice::open(Which::Default).is_ok_and(|gpu| gpu.name().contains(&called));
    if !is_best {
        skipped(test, &format!("{called} is not the best device"));
        return None;
    }
    Some((kind, setup))
}

/// Whether the name tells that device from all others; says so if not. This opens all devices.
pub(crate) fn is_only_one(test: &str, setup: &WgpuSetup) -> bool {
    let called = setup.adapter.get_info().name;
    let alike = devices().iter().filter(|device| device.name.contains(&called)).count();
    if alike > 1 {
        // A lost one is opened anew only by names that say which it is.
        skipped(test, &format!("there are {alike} devices {called}"));
    }
    alike <= 1
}

/// Pseudo-random numbers that are the same in each run (SplitMix64).
pub(crate) struct Numbers(pub u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// From 0 to 1.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }
}
