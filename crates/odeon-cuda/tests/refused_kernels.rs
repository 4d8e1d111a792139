//! Kernels that a device cannot run as they are: an error that says so, and the session goes on.

use crate::support::{self, kernel, open, works};
use odeon_cuda::{Argument, CudaDevice, Grid};
use odeon_device::{Device, DeviceError};

fn is_refused<T: std::fmt::Debug>(what: &str, result: Result<T, DeviceError>) {
    support::say(&format!("found: {what}: {result:?}"));
    assert!(
        matches!(&result, Err(DeviceError::Kernel(_) | DeviceError::Invalid(_))),
        "{what}: {result:?}"
    );
}

#[test]
fn a_kernel_that_does_not_compile_is_an_error_and_the_session_goes_on() {
    let Some(mut device) = open("a kernel that does not compile") else { return };
    for _ in 0..2 {
        let wrong = device.compile("wrong.cu", "extern \"C\" __global__ void f() { g(); }", &[]);
        let said = wrong.expect_err("there is no such function");
        assert!(matches!(said, DeviceError::Kernel(_)), "{said:?}");
        assert!(said.to_string().contains("wrong.cu(1)"), "{said}");
        works(&mut device);
    }
}

#[test]
fn a_function_that_is_not_there_is_an_error() {
    let Some(mut device) = open("a function that is not there") else { return };
    let missing = kernel(&mut device, "missing");
    assert!(matches!(missing, Err(DeviceError::Kernel(_))), "{missing:?}");
    works(&mut device);
}

#[test]
fn more_memory_of_a_block_than_a_device_has_is_an_error() {
    let Some(mut device) = open("a kernel that wants too much memory") else { return };
    let declared = r#"extern "C" __global__ void f(unsigned* x, unsigned long long x_bytes) {
        __shared__ unsigned all[1 << 20];
        all[threadIdx.x] = x[0];
        __syncthreads();
        x[0] = all[(threadIdx.x * 7) % (1 << 20)];
    }"#;
    is_refused("4 MiB declared", device.compile("declared.cu", declared, &[]));
    works(&mut device);

    let sum = kernel(&mut device, "sum_in_shared").expect("it compiles");
    let mut words = device.upload(&[0; 4]).expect("there is room");
    for shared_bytes in [1 << 20, u32::MAX] {
        let grid = Grid { blocks: 1, threads: 32, shared_bytes };
        let launched = device.launch(&sum, grid, &mut [Argument::Write(&mut words)]);
        is_refused(&format!("a launch with {shared_bytes} bytes for a block"), launched);
        assert_eq!(device.synchronize(), Ok(()), "nothing was launched");
        works(&mut device);
    }
    let grid = Grid { blocks: 1, threads: 32, shared_bytes: 128 };
    device.launch(&sum, grid, &mut [Argument::Write(&mut words)]).expect("that is there");
    let mut back = [0; 4];
    device.download(&words, &mut back).expect("the kernel is right");
    assert_eq!(u32::from_ne_bytes(back), 1);
}

#[test]
fn more_threads_than_a_kernel_can_have_are_an_error() {
    let Some(mut device) = open("a launch with too many threads") else { return };
    let few = kernel(&mut device, "few_threads").expect("it compiles");
    let mut words = device.upload(&[0; 4]).expect("there is room");
    for threads in [1024, 1025] {
        let grid = Grid { blocks: 1, threads, shared_bytes: 0 };
        let launched = device.launch(&few, grid, &mut [Argument::Write(&mut words)]);
        is_refused(&format!("{threads} threads for a kernel of 64"), launched);
        assert_eq!(device.synchronize(), Ok(()), "nothing was launched");
        works(&mut device);
    }
}

#[test]
fn what_is_of_another_session_is_refused() {
    let name = "what is of another session";
    let Some(mut one) = open(name) else { return };
    let mut other = CudaDevice::open(0, None).expect("one is open");
    let add_one = kernel(&mut one, "add_one").expect("it compiles");
    let mut words = one.upload(&[0; 4]).expect("there is room");
    let mut arguments = [Argument::Write(&mut words)];
    let launched = other.launch(&add_one, Grid::of(1, 32), &mut arguments);
    assert!(matches!(launched, Err(DeviceError::Invalid(_))), "{launched:?}");
    let of_other = kernel(&mut other, "add_one").expect("it compiles");
    let launched = other.launch(&of_other, Grid::of(1, 32), &mut arguments);
    assert!(matches!(launched, Err(DeviceError::Invalid(_))), "{launched:?}");
    let few = [Argument::U32(1)];
    let launched = one.launch(&add_one, Grid::of(1, 32), &mut { few });
    assert!(matches!(launched, Err(DeviceError::Invalid(_))), "{launched:?}");
    works(&mut one);
    works(&mut other);
}
