//! Actors whose work is done by whatever processor is best at it.
//!
//! | concept | files |
//! |---|---|
//! | one way to do a kind of work: cores, a kernel, a process elsewhere | `worker.rs` |
//! | a processor with memory of its own | `device.rs`, `memory.rs` |
//! | a pool that balances workers of several kinds, by time or by energy | `balancing.rs`, `balancing/*` |
//! | what can go wrong with either | `error.rs` |
//! | an actor whose work a device does | `device_actor.rs`, `spawn.rs`; what it is told of its messages: `batch.rs`, `batching.rs` |
//! | how messages become batches, and what a restart keeps | `device_actor/on_device.rs`, `device_actor/on_device/window.rs` |
//! | what is told of it | `failure.rs`, `stats.rs` |
//! | the processor of this process as a device | `host.rs` |
//! | what every back end promises, and how to see it fail | `conformance.rs`, `conformance/*`, `faults.rs`, `faults/*` |
//!
//! The model is that of Hayduk's thesis, *Exploiting Concurrency and Heterogeneity for
//! Energy-efficient Computing: An Actor-based Approach* (2017), chapter 6.
#![forbid(unsafe_code)]

mod balancing;
mod batch;
mod batching;
pub mod conformance;
mod device;
mod device_actor;
mod error;
mod failure;
mod faults;
mod host;
mod memory;
mod spawn;
mod stats;
mod worker;

pub use balancing::{
    Balancing, BalancingError, BalancingPool, BalancingReport, Configuration, ConfigurationReport,
    EnergySource, Kind, KindReport, Objective, Returned, Then, Undone, WhyUndone, WorkerError,
    WorkerFailure,
};
pub use batch::Batch;
pub use batching::Batching;
pub use device::Device;
pub use device_actor::on_device::{DevicePlan, OnDevice};
pub use device_actor::{DeviceActor, DeviceContext};
pub use error::DeviceError;
pub use failure::DeviceFailure;
pub use faults::{Fault, Faults, FaultyDevice, FaultyWorker, Step};
pub use host::{HostBuffer, HostDevice};
pub use memory::{Memory, Reserved};
pub use spawn::{DeviceRef, SpawnOnDevice, device_supervision};
pub use stats::DeviceStats;
pub use worker::{Place, Worker};
