//! Host memory as a device passes the suite of devices, and so does one that could fail and does
//! not.

use odeon_device::conformance::DeviceUnderTest;
use odeon_device::*;

struct Host;

impl DeviceUnderTest for Host {
    type Device = HostDevice;

    fn open(limit: u64) -> Result<HostDevice, DeviceError> {
        Ok(HostDevice::new(limit))
    }

    fn launch(
        device: &mut HostDevice,
        buffer: &mut HostBuffer,
        words: usize,
        times: u32,
        plus: u32,
    ) -> Result<(), DeviceError> {
        device.launch(|| {
            for word in &mut buffer.as_mut_slice::<u32>()[..words] {
                *word = word.wrapping_mul(times).wrapping_add(plus);
            }
        });
        Ok(())
    }
}

struct Faulty;

impl DeviceUnderTest for Faulty {
    type Device = FaultyDevice<HostDevice>;

    fn open(limit: u64) -> Result<Self::Device, DeviceError> {
        Faults::new().open(|| Host::open(limit))
    }

    fn launch(
        device: &mut Self::Device,
        buffer: &mut HostBuffer,
        words: usize,
        times: u32,
        plus: u32,
    ) -> Result<(), DeviceError> {
        device.launch(|device| Host::launch(device, buffer, words, times, plus))
    }
}

device_conformance!(host, Host);
device_conformance!(faulty, Faulty);
