//! The tests of this crate as one program: what they share is compiled and linked once. Those
//! beside it, in `Cargo.toml`, have a process of their own.

mod device_conformance;
mod kernel_worker;
mod kernels;
mod launch_errors;
mod support;
