//! A device that is lost is an error, and a new session finds it again. Lost by wgpu's own means
//! for that: as after a reset, nothing of it can be used any more.

use cubecl::device::{WgpuBackend, WgpuDevice, WgpuDeviceKind};
use cubecl::prelude::*;
use cubecl::wgpu::WgpuSetup;
use odeon_device::{Device, DeviceError};
use odeon_gpu::{GpuDevice, Which, cubecl};

mod support;
use support::{is_only_one, setup_of_the_best, setup_on};

#[cube(launch)]
fn add_one(words: &mut [u32]) {
    if ABSOLUTE_POS < words.len() {
        words[ABSOLUTE_POS] += 1;
    }
}

fn launch(gpu: &mut GpuDevice, words: &mut odeon_gpu::GpuBuffer) -> Result<(), DeviceError> {
    gpu.launch(|on| {
        let (count, dim) = on.over(3);
        add_one::launch(on.client(), count, dim, on.output::<u32>(words));
    })
}

fn is_lost<T: std::fmt::Debug>(result: Result<T, DeviceError>) {
    assert!(
        matches!(&result, Err(error @ DeviceError::Lost(_)) if error.is_transient()),
        "{result:?}"
    );
}

/// Loses a device, as a session with it and all that it has.
fn lose(setup: &WgpuSetup) {
    let mut gpu = GpuDevice::open(Which::Default).expect("it is there");
    let mut words = gpu.upload_slice(&[1u32, 2, 3]).expect("there is room");
    launch(&mut gpu, &mut words).expect("it is not lost");
    let mut back = [0u32; 3];
    gpu.download_slice(&words, &mut back).expect("it is not lost");
    assert_eq!(back, [2, 3, 4]);
    // A driver tells of the loss as soon as somebody asks it for something.
    setup.device.destroy();
    let _ = setup.device.poll(cubecl::wgpu::wgpu::PollType::wait_indefinitely());
    let _ = launch(&mut gpu, &mut words);
    is_lost(gpu.synchronize());
    is_lost(gpu.allocate(4));
    is_lost(gpu.upload(&[1]));
    is_lost(gpu.write(&mut words, &[1]));
    is_lost(gpu.download(&words, &mut [0; 12]));
    is_lost(gpu.synchronize());
    is_lost(gpu.flush());
    is_lost(launch(&mut gpu, &mut words));
    drop(words);
    assert_eq!(gpu.memory().used(), 0);
}

#[test]
fn a_lost_device_is_an_error_and_can_be_opened_anew() {
    let Some((kind, first)) = setup_of_the_best("a lost device") else { return };
    // The other names under which it is opened anew, in this order.
    let others: Vec<_> = [
        WgpuDevice::new(WgpuDeviceKind::DefaultDevice),
        WgpuDevice::new(kind).on(WgpuBackend::Vulkan),
        WgpuDevice::new(WgpuDeviceKind::DefaultDevice).on(WgpuBackend::Vulkan),
    ]
    .iter()
    .map(|device| setup_on(device).expect("nobody has opened it"))
    .collect();
    if !is_only_one("a lost device", &first) {
        return;
    }
    lose(&first);
    for other in &others {
        lose(other);
    }
    match GpuDevice::open(Which::Default) {
        Err(DeviceError::Unavailable(why)) => assert!(why.contains("lost more often"), "{why}"),
        other => panic!("{other:?}"),
    }
}
