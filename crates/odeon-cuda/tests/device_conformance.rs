//! A CUDA device passes the suite of devices, where there is one.

use odeon_cuda::{Argument, CudaBuffer, CudaDevice, Function, Grid, Parameter};
use odeon_device::conformance::DeviceUnderTest;
use odeon_device::*;

const SOURCE: &str = r#"
typedef unsigned long long u64;
extern "C" __global__ void change(unsigned* x, u64 x_bytes, unsigned words, unsigned times, unsigned plus) {
    u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < words && i < x_bytes / 4) x[i] = x[i] * times + plus;
}
"#;

struct Cuda;

/// A session with the function that the suite launches, compiled when it is first.
struct WithKernel {
    device: CudaDevice,
    change: Option<Function>,
}

impl DeviceUnderTest for Cuda {
    type Device = WithKernel;

    fn open(limit: u64) -> Result<WithKernel, DeviceError> {
        let device = CudaDevice::open(0, Some(limit))?;
        Ok(WithKernel { device, change: None })
    }

    fn launch(
        session: &mut WithKernel,
        buffer: &mut CudaBuffer,
        words: usize,
        times: u32,
        plus: u32,
    ) -> Result<(), DeviceError> {
        let change = match &mut session.change {
            Some(change) => change.clone(),
            none => {
                let module = session.device.compile("change.cu", SOURCE, &[])?;
                let parameters = [Parameter::Write, Parameter::U32, Parameter::U32, Parameter::U32];
                // SAFETY: these are its parameters, and it stays within the bytes that it is told
                // of.
                let change = unsafe { module.function("change", &parameters) }?;
                none.insert(change).clone()
            }
        };
        let words = u32::try_from(words).expect("the suite's buffers are small");
        let mut arguments = [
            Argument::Write(buffer),
            Argument::U32(words),
            Argument::U32(times),
            Argument::U32(plus),
        ];
        session.device.launch(&change, Grid::of(words, 128), &mut arguments)
    }
}

impl Device for WithKernel {
    type Buffer = CudaBuffer;

    fn name(&self) -> &str {
        self.device.name()
    }

    fn memory(&self) -> &Memory {
        self.device.memory()
    }

    fn allocate(&mut self, bytes: usize) -> Result<CudaBuffer, DeviceError> {
        self.device.allocate(bytes)
    }

    fn upload(&mut self, bytes: &[u8]) -> Result<CudaBuffer, DeviceError> {
        self.device.upload(bytes)
    }

    fn write(&mut self, buffer: &mut CudaBuffer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.device.write(buffer, bytes)
    }

    fn download(&mut self, buffer: &CudaBuffer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.device.download(buffer, into)
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        self.device.synchronize()
    }
}

device_conformance!(cuda, Cuda);
