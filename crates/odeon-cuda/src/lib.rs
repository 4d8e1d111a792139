//! CUDA by hand: kernels in CUDA C that are compiled while the program runs.
//!
//! This is the direct way of Hayduk's thesis, sections 6.3.1 and 6.5.2, without its C++: no toolkit
//! is needed to build a program, and the driver's library is looked for when a device is opened.
//! Cudarc, by which that is done, is named by no other crate of Odeon.
//!
//! | question | file |
//! |---|---|
//! | a session with a device, its memory | `device.rs` |
//! | what sessions share, and what if that breaks | `context.rs` |
//! | compiling, functions of a module | `module.rs` |
//! | what a function is given | `argument.rs` |
//! | how long it took | `timing.rs` |
//! | what went wrong | `error.rs` |
//! | all that the compiler cannot check | `launch.rs` |
//!
//! # Examples
//!
//! ```
//! use odeon_cuda::{Argument, CudaDevice, Grid, Parameter};
//! use odeon_device::{Device, DeviceError};
//!
//! const SOURCE: &str = r#"
//! extern "C" __global__ void twice(float* x, unsigned long long x_bytes, unsigned n) {
//!     unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
//!     if (i < n && (i + 1ull) * 4 <= x_bytes) x[i] *= 2;
//! }
//! "#;
//!
//! fn twice() -> Result<(), DeviceError> {
//!     let mut device = CudaDevice::open(0, None)?;
//!     let module = device.compile("twice.cu", SOURCE, &[])?;
//!     // SAFETY: its parameters are these, and it stays within the bytes of `x`.
//!     let twice = unsafe { module.function("twice", &[Parameter::Write, Parameter::U32]) }?;
//!     let mut x = device.upload(&1.5f32.to_le_bytes())?;
//!     device.launch(&twice, Grid::of(1, 128), &mut [Argument::Write(&mut x), Argument::U32(1)])?;
//!     let mut bytes = [0; 4];
//!     device.download(&x, &mut bytes)?;
//!     assert_eq!(f32::from_le_bytes(bytes), 3.0);
//!     Ok(())
//! }
//! // Where there is no driver, that is what it says.
//! if let Err(error) = twice() {
//!     assert!(matches!(error, DeviceError::Unavailable(_)), "{error}");
//! }
//! ```
#![deny(unsafe_code)]

mod argument;
mod buffer;
mod context;
mod device;
mod error;
mod launch;
mod libraries;
mod module;
mod timing;

pub use argument::{Argument, Grid, Parameter};
pub use buffer::CudaBuffer;
pub use device::CudaDevice;
pub use module::{Function, Module, compile};
pub use timing::Mark;
