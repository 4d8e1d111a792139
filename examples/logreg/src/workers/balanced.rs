//! Pieces of logistic regression by whoever is best at them: cores, devices, or both.

use super::{ByKernels, OnCores};
use crate::SamplesPiece;
use odeon_device::{Balancing, BalancingPool, Kind, Place};
use odeon_example_iterative::Several;
use odeon_gpu::Which;

/// A pool with so many workers on this device and on cores, to be started.
pub fn balanced(which: Which, devices: usize, cores: usize) -> Balancing<SamplesPiece> {
    let mut pool = BalancingPool::builder();
    if devices > 0 {
        let make = move |_| ByKernels::on(which);
        pool = pool.kind(Kind::new("device", Place::Device, devices, make));
    }
    if cores > 0 {
        pool = pool.kind(Kind::new("core", Place::Cpu, cores, |_| Ok(Several(OnCores))));
    }
    pool
}
