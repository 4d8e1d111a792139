//! More memory than there is, beyond what the account knows of: the driver's own refusal is an error, and the session goes on.

use std::env;
use std::process::Command;

use cubecl::prelude::*;
use odeon_device::{Device, DeviceError};
use odeon_gpu::{GpuDevice, Which, cubecl, devices};

mod support;

const CHILD: &str = "ODEON_TEST_WITH_LITTLE_MEMORY";

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

#[test]
fn what_the_driver_refuses_is_an_error() {
    if env::var_os(CHILD).is_some() {
        return exhaust();
    }
    if !devices().iter().any(|device| device.which == Which::Vulkan(0) && device.is_processor) {
        return support::skipped(
            "a driver that is out of memory",
            "only tried where that is memory of the process",
        );
    }
    let this_program = env::current_exe().expect("a running program has a path");
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 2500000 && exec \"$0\" \"$@\""])
        .arg(this_program)
        .args(["--exact", "what_the_driver_refuses_is_an_error", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("there is a shell");
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?} {said}{errors}", output.status);
}

fn exhaust() {
    let mut gpu =
        GpuDevice::open(Which::Vulkan(0)).expect("it was found").with_memory_limit(1 << 40);
    let mut buffers = Vec::new();
    let refused = loop {
        assert!(buffers.len() < 100, "more than the process may have");
        match gpu.allocate(LARGE) {
            Ok(buffer) => buffers.push(buffer),
            Err(error) => break error,
        }
    };
    assert!(
        matches!(refused, DeviceError::OutOfMemory { asked, .. } if asked == LARGE as u64),
        "{refused:?}"
    );
    assert_eq!(gpu.memory().used(), (buffers.len() * LARGE) as u64);
    assert_eq!(gpu.synchronize(), Ok(()));
    // What is there can be used, and what is given back can be had again.
    for _ in 0..3 {
        let kept = buffers.len();
        buffers.truncate(kept - 3);
        while buffers.len() < kept - 1 {
            buffers.push(gpu.allocate(LARGE).expect("it was given back"));
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
    let mut gpu =
        GpuDevice::open(Which::Vulkan(0)).expect("it is there").with_memory_limit(1 << 40);
    let buffers: Vec<_> =
        (0..all).map(|_| gpu.allocate(LARGE).expect("nobody has it any more")).collect();
    assert_eq!(gpu.memory().used(), (buffers.len() * LARGE) as u64);
}
