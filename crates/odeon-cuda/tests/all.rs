//! The tests of this crate as one program: what they share is compiled and linked once. Those
//! beside it, in `Cargo.toml`, have a process of their own.

mod compiling;
mod device_conformance;
mod kernels_on_cores;
mod refused_kernels;
mod support;
mod without_a_device;
