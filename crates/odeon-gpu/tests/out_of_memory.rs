//! More memory than there is, beyond what the account knows of: the driver's own refusal is an
//! error, and the session goes on.

use std::env;
use std::process::Command;
use std::time::Duration;

use cubecl::prelude::*;
use odeon_device::{Device, DeviceError};
use odeon_gpu::{GpuDevice, Which, cubecl, devices};
use odeon_testkit::OwnProcess;

mod support;

/// The largest buffer of lavapipe has 128 MiB.
const LARGE: usize = 100 << 20;

#[cube(launch)]
fn add_one(words: &mut [u32]) {
    if ABSOLUTE_POS < words.len() {
        words[ABSOLUTE_POS] += 1;
    }
}

#[test]
fn a_buffer_larger_than_any_may_be_is_an_error() {
    support::on_each_device("a buffer that is too large", |gpu, _| {
        let mut gpu = gpu.with_memory_limit(1 << 45);
        let asked = 1u64 << 41;
        match gpu.allocate(asked as usize) {
            Err(DeviceError::OutOfMemory { asked: told, available }) => {
                assert!(told == asked && available < asked, "{told} {available}");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(gpu.memory().used(), 0);
        assert_eq!(gpu.synchronize(), Ok(()));
    });
}

/// Where the driver's memory is that of a process which may not have much.
#[test]
fn what_a_driver_without_a_card_refuses_is_an_error() {
    const NAME: &str = "what_a_driver_without_a_card_refuses_is_an_error";
    if OwnProcess::is_of(NAME) {
        return exhaust(Which::Vulkan(0), LARGE, 100);
    }
    if !devices().iter().any(|device| device.which == Which::Vulkan(0) && device.is_processor) {
        let why = "only where the first device of Vulkan is the processor";
        return support::skipped("memory of a process", why);
    }
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -v 2500000 && exec \"$0\" \"$@\""]);
    limited.arg(env::current_exe().expect("a running program has a path"));
    ends_well(OwnProcess::start_by(limited, NAME));
}

/// All of a card's memory. In a process of its own, since it fails others that want some.
#[test]
fn what_a_card_refuses_is_an_error() {
    const NAME: &str = "what_a_card_refuses_is_an_error";
    let gpu = devices().into_iter().find(|device| !device.is_processor);
    let Some(gpu) = gpu else {
        return support::skipped("memory of a card", "there is no GPU");
    };
    if OwnProcess::is_of(NAME) {
        // More blocks than any card has; fewer than a machine has that lends its own memory for
        // them.
        return exhaust(gpu.which, 1 << 30, 160);
    }
    ends_well(OwnProcess::start(NAME));
}

fn ends_well(mut process: OwnProcess) {
    let status = process.end(Duration::from_secs(300));
    assert!(status.is_some_and(|status| status.success()), "{status:?}");
}

fn exhaust(which: Which, size: usize, most: usize) {
    let mut gpu = GpuDevice::open(which).expect("it was found").with_memory_limit(1 << 40);
    let mut buffers = Vec::new();
    let refused = loop {
        assert!(buffers.len() < most, "{} buffers of {size} bytes, and no end", buffers.len());
        match gpu.allocate(size) {
            Ok(buffer) => buffers.push(buffer),
            Err(error) => break error,
        }
    };
    support::say(&format!("found: {which:?}: {} buffers of {size}: {refused}", buffers.len()));
    assert!(
        matches!(refused, DeviceError::OutOfMemory { asked, .. } if asked == size as u64),
        "{refused:?}"
    );
    assert_eq!(gpu.memory().used(), (buffers.len() * size) as u64);
    assert_eq!(gpu.synchronize(), Ok(()));
    // What is there can be used, and what is given back can be had again.
    for _ in 0..3 {
        let kept = buffers.len();
        buffers.truncate(kept - 3);
        while buffers.len() < kept - 1 {
            buffers.push(gpu.allocate(size).expect("it was given back"));
        }
        let mut words = gpu.upload_slice(&[1u32, 2, 3]).expect("there is room");
        gpu.launch(|on| {
            let (count, dim) = on.over(3);
            add_one::launch(on.client(), count, dim, on.output::<u32>(&mut words));
        })
        .expect("the session is not lost");
        let mut back = [0u32; 3];
        gpu.download_slice(&words, &mut back).expect("the kernel is right");
        assert_eq!(back, [2, 3, 4]);
    }
    // What a session had is there for the next one.
    let all = buffers.len();
    drop((buffers, gpu));
    let mut gpu = GpuDevice::open(which).expect("it is there").with_memory_limit(1 << 40);
    let buffers: Vec<_> =
        (0..all).map(|_| gpu.allocate(size).expect("nobody has it any more")).collect();
    assert_eq!(gpu.memory().used(), (buffers.len() * size) as u64);
}

#[test]
fn s41_more_bytes_than_there_are_numbers_for_are_refused() {
    let Some(found) = devices().into_iter().next() else {
        return support::skipped("memory", "there is no device");
    };
    let mut gpu = GpuDevice::open(found.which).expect("it was found").with_memory_limit(u64::MAX);
    for asked in [usize::MAX, usize::MAX - 2] {
        let refused = gpu.allocate(asked).expect_err("nobody has so much");
        assert!(matches!(refused, DeviceError::OutOfMemory { .. }), "{refused:?}");
    }
    assert_eq!(gpu.memory().used(), 0);
}
