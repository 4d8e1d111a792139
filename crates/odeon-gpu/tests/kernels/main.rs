//! Kernels of the applications against plain Rust that computes the same, on every device that this machine has.

mod kmeans;
mod logreg;
mod sampling;
#[path = "../support/mod.rs"]
mod support;

mod kmeans_tests;
mod logreg_tests;
mod measured;
mod sampling_tests;
