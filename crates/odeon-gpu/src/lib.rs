//! Kernels of [CubeCL](https://docs.rs/cubecl) in actors and workers: one function for CUDA,
//! Vulkan, Metal, DirectX and the processor.
//!
//! This is the only crate of Odeon that names CubeCL. Who writes kernels takes it from here:
//! `use odeon_gpu::cubecl;`.
//!
//! | question | file |
//! |---|---|
//! | which devices are there, and how is one reached? | `which.rs` |
//! | a session with one, as an [`odeon_device::Device`] | `device.rs`, `buffer.rs` |
//! | how kernels of users get at its buffers | `launch.rs`, the only file with `unsafe` |
//! | what goes wrong, as errors of devices | `fault.rs` |
//! | a worker whose work is done by a kernel, and what it keeps on the device | `worker.rs`, `kept.rs` |
//!
//! The features `cuda` and `cpu` only say what CubeCL is built with. Without them those devices are
//! there all the same, and are [unavailable](odeon_device::DeviceError::Unavailable).
#![deny(unsafe_code)]

mod buffer;
mod device;
mod fault;
mod kept;
mod launch;
mod which;
mod worker;

pub use buffer::GpuBuffer;
pub use cubecl;
pub use device::GpuDevice;
pub use kept::Kept;
pub use launch::Launch;
pub use which::{Found, Which, devices};
pub use worker::{Kernel, KernelWorker, Workbench};
