//! The tests of this crate as one program: what they share is compiled and linked once. Those
//! beside it, in `Cargo.toml`, have a process of their own.

mod device_conformance;
mod s38_balancing;
mod s38_conservation;
mod s38_hostile;
mod s38_restarts;
mod s41_device_batches;
mod s41_device_memory;
mod s41_device_random;
mod s41_device_redo;
mod s41_device_surroundings;
mod s41_hostile;
mod support;
mod worker_conformance;
