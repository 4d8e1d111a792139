//! Workloads, floors, measuring and reports behind the command `odeon bench`.
//!
//! * [`workload`] is what every benchmark looks like, [`workloads`] are the benchmarks;
//! * [`parameter`] and [`sweep`] turn options into runs, [`runner`] measures them in alternation;
//! * [`report`], [`json_lines`], [`plot`], and [`trace`] are what comes out;
//! * [`paper`] runs what papers ran, and sets what comes out beside their figures;
//! * k-means, logistic regression, the simulation of grids the sorted list and the programs of the
//!   Savina suite are packages of their own, under `examples`;
//! * [`peers`] runs the same workloads on other runtimes, in processes of their own;
//! * with the feature `full`: `figures` is the list of promises that `figures_run` measures and
//!   `figures_page` writes down, and `hardware_page` what was measured on real hardware.

#![deny(unsafe_code)]

mod date;
#[cfg(feature = "devices")]
mod devices;
pub mod energy;
pub mod environment;
pub mod error;
#[cfg(feature = "full")]
pub mod figures;
#[cfg(feature = "full")]
pub mod figures_page;
#[cfg(feature = "full")]
pub mod figures_run;
#[cfg(feature = "full")]
pub mod hardware_page;
pub mod heap_bytes;
mod html;
pub mod idle;
pub mod json_lines;
pub mod latency;
mod lines;
pub mod memory;
pub mod paper;
pub mod parameter;
pub mod peers;
pub mod plot;
pub mod report;
pub mod runner;
pub mod samples;
pub mod statistics;
pub mod sweep;
pub mod table;
#[cfg(feature = "devices")]
mod team;
mod theater;
pub mod trace;
pub mod workload;
pub mod workloads;

#[cfg(feature = "devices")]
pub use odeon_example_kmeans::run_server;
pub use odeon_example_run::standard_error;
