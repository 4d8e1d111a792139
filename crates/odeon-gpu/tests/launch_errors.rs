//! What is wrong with a kernel is an error, known when its results are asked for, and the session
//! goes on.

use crate::support;
use cubecl::prelude::*;
use odeon_device::{Device, DeviceError};
use odeon_gpu::{GpuDevice, Which, cubecl};

use crate::support::on_each_device;

#[cube(launch)]
fn add_one(words: &mut [u32]) {
    if ABSOLUTE_POS < words.len() {
        words[ABSOLUTE_POS] += 1;
    }
}

/// Of a type that no graphics interface has.
#[cube(launch)]
fn add_one_to_bytes(bytes: &mut [u8]) {
    if ABSOLUTE_POS < bytes.len() {
        bytes[ABSOLUTE_POS] += 1;
    }
}

/// Of more memory of a cube than any device has.
#[cube(launch)]
fn through_shared(words: &mut [u32], #[comptime] size: usize) {
    let mut shared = Shared::new_slice(size);
    shared[UNIT_POS as usize] = words[ABSOLUTE_POS];
    sync_cube();
    words[ABSOLUTE_POS] = shared[0];
}

/// Whose making panics.
#[cube(launch)]
fn never_made(words: &mut [u32], #[comptime] size: usize) {
    comptime!(assert!(size > 100, "the size is {size}"));
    words[ABSOLUTE_POS] = 1;
}

fn is_of_kernel(result: &Result<(), DeviceError>, says: &str) -> bool {
    match result {
        Err(DeviceError::Kernel(why)) => {
            why.contains(says) && !why.to_lowercase().contains("backtrace")
        }
        _ => false,
    }
}

/// That the session still does what it should.
fn works(gpu: &mut GpuDevice) {
    let mut words = gpu.upload_slice(&[1u32, 2, 3]).expect("there is room");
    gpu.launch(|on| {
        let (count, dim) = on.over(3);
        add_one::launch(on.client(), count, dim, on.output::<u32>(&mut words));
    })
    .expect("the session is not lost");
    let mut back = [0u32; 3];
    gpu.download_slice(&words, &mut back).expect("the kernel is right");
    assert_eq!(back, [2, 3, 4]);
    assert_eq!(gpu.synchronize(), Ok(()), "there is nothing that was not told");
}

#[test]
fn a_kernel_that_does_not_compile_is_an_error() {
    on_each_device("a kernel that does not compile", |mut gpu, device| {
        let mut bytes = gpu.allocate(64).expect("there is room");
        for round in 0..2 {
            gpu.launch(|on| {
                let (count, dim) = on.over(64);
                add_one_to_bytes::launch(on.client(), count, dim, on.output::<u8>(&mut bytes));
            })
            .expect("it is not known yet");
            let result = gpu.synchronize();
            if result.is_ok() && round == 0 {
                support::skipped("a kernel that does not compile", &format!("{device} has bytes"));
                return;
            }
            assert!(is_of_kernel(&result, ""), "{result:?}");
            assert_eq!(gpu.synchronize(), Ok(()), "it was told");
            let result = gpu.download(&bytes, &mut [0; 64]);
            assert!(is_of_kernel(&result, ""), "nothing was written: {result:?}");
        }
        gpu.write(&mut bytes, &[7; 64]).expect("it is long enough");
        let mut back = [0; 64];
        gpu.download(&bytes, &mut back).expect("there is something in it again");
        assert_eq!(back, [7; 64]);
        works(&mut gpu);
    });
}

#[test]
fn a_kernel_that_wants_more_than_the_device_has_is_an_error() {
    on_each_device("a kernel that wants too much", |mut gpu, _| {
        let mut words = gpu.allocate(1 << 20).expect("there is room");
        gpu.launch(|on| {
            let (count, dim) = (CubeCount::Static(1, 1, 1), CubeDim::new_1d(1 << 16));
            add_one::launch(on.client(), count, dim, on.output::<u32>(&mut words));
        })
        .expect("it is not known yet");
        let result = gpu.synchronize();
        assert!(is_of_kernel(&result, "65536"), "{result:?}");
        gpu.launch(|on| {
            let (count, dim) = (CubeCount::Static(1, 1, 1), CubeDim::new_1d(64));
            let words = on.output::<u32>(&mut words);
            through_shared::launch(on.client(), count, dim, words, 1 << 24);
        })
        .expect("it is not known yet");
        let result = gpu.download(&words, &mut [0; 4]);
        assert!(is_of_kernel(&result, ""), "{result:?}");
        works(&mut gpu);
    });
}

#[test]
fn a_kernel_whose_making_panics_is_an_error() {
    on_each_device("a kernel whose making panics", |mut gpu, _| {
        let mut words = gpu.allocate(4).expect("there is room");
        gpu.launch(|on| {
            let (count, dim) = on.over(1);
            never_made::launch(on.client(), count, dim, on.output::<u32>(&mut words), 7);
        })
        .expect("it is not known yet");
        let result = gpu.synchronize();
        assert!(is_of_kernel(&result, "the size is 7"), "{result:?}");
        works(&mut gpu);
    });
}

#[test]
fn what_depends_on_a_kernel_that_failed_says_why() {
    on_each_device("what depends on a kernel that failed", |mut gpu, _| {
        let mut words = gpu.allocate(64).expect("there is room");
        gpu.launch(|on| {
            let (count, dim) = (CubeCount::Static(1, 1, 1), CubeDim::new_1d(1 << 16));
            add_one::launch(on.client(), count, dim, on.output::<u32>(&mut words));
            let (count, dim) = on.over(16);
            add_one::launch(on.client(), count, dim, on.output::<u32>(&mut words));
        })
        .expect("it is not known yet");
        let result = gpu.download(&words, &mut [0; 4]);
        assert!(is_of_kernel(&result, "65536"), "{result:?}");
        works(&mut gpu);
    });
}

#[test]
fn failures_are_told_even_if_hundreds_of_launches_follow() {
    on_each_device("failures among hundreds of launches", |mut gpu, _| {
        let mut bad = gpu.allocate(64).expect("there is room");
        let mut good = gpu.upload_slice(&[0u32; 16]).expect("there is room");
        gpu.launch(|on| {
            let (count, dim) = (CubeCount::Static(1, 1, 1), CubeDim::new_1d(1 << 16));
            add_one::launch(on.client(), count, dim, on.output::<u32>(&mut bad));
        })
        .expect("it is not known yet");
        let mut told = 0;
        for _ in 0..1_000 {
            let launched = gpu.launch(|on| {
                let (count, dim) = on.over(16);
                add_one::launch(on.client(), count, dim, on.output::<u32>(&mut good));
            });
            told += usize::from(is_of_kernel(&launched, "65536"));
        }
        told += usize::from(is_of_kernel(&gpu.synchronize(), "65536"));
        assert_eq!(told, 1);
        let mut back = [0u32; 16];
        gpu.download_slice(&good, &mut back).expect("it is right");
        assert_eq!(back, [1_000; 16]);
    });
}

#[test]
#[should_panic(expected = "a buffer of another session")]
fn a_buffer_of_another_session_is_an_error_of_the_program() {
    let (Ok(mut one), Ok(mut other)) =
        (GpuDevice::open(Which::Default), GpuDevice::open(Which::Default))
    else {
        support::skipped(
            "a buffer of another session",
            "no GPU, and no driver that stands in for one",
        );
        panic!("a buffer of another session");
    };
    let mut words = one.allocate(4).expect("there is room");
    assert!(matches!(other.download(&words, &mut [0; 4]), Err(DeviceError::Invalid(_))));
    assert!(matches!(other.write(&mut words, &[0; 4]), Err(DeviceError::Invalid(_))));
    let _ = other.launch(|on| {
        let (count, dim) = on.over(1);
        add_one::launch(on.client(), count, dim, on.output::<u32>(&mut words));
    });
}

#[test]
#[should_panic(expected = "9 elements of 4 bytes in a buffer of 35")]
fn more_elements_than_a_buffer_has_are_an_error_of_the_program() {
    let Ok(mut gpu) = GpuDevice::open(Which::Default) else {
        support::skipped(
            "more elements than there are",
            "no GPU, and no driver that stands in for one",
        );
        panic!("9 elements of 4 bytes in a buffer of 35");
    };
    let mut words = gpu.allocate(35).expect("there is room");
    let _ = gpu.launch(|on| {
        let (count, dim) = on.over(9);
        add_one::launch(on.client(), count, dim, on.output_of::<u32>(&mut words, 9));
    });
}
