//! What is said where there is no driver or no device; and, where there is one, that it answers.

use odeon_cuda::CudaDevice;
use odeon_device::{Device, DeviceError};

#[test]
fn no_driver_is_said_and_nothing_panics() {
    match CudaDevice::open(0, Some(1 << 20)) {
        Ok(mut device) => {
            let buffer = device.upload(&[1, 2, 3]).unwrap();
            let mut back = [0; 3];
            device.download(&buffer, &mut back).unwrap();
            assert_eq!((back, device.memory().used()), ([1, 2, 3], 3));
        }
        Err(error) => {
            assert!(matches!(error, DeviceError::Unavailable(_)), "{error:?}");
            assert!(
                error.to_string().contains("CUDA device 0") || error.to_string().contains("driver")
            );
            use std::io::Write;
            writeln!(std::io::stderr(), "skipped: CUDA on a device: {error}").unwrap();
        }
    }
}

#[test]
fn a_device_that_is_not_there_is_unavailable() {
    let error = CudaDevice::open(4_000, None).err().unwrap();
    assert!(matches!(error, DeviceError::Unavailable(_)), "{error:?}");
}
