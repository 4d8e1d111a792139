//! Workloads, floors, measuring and reports behind the command `odeon bench`.
//!
//! * [`workload`] is what every benchmark looks like, [`workloads`] are the benchmarks;
//! * [`parameter`] and [`sweep`] turn options into runs, [`runner`] measures them in alternation;
//! * [`report`], [`json_lines`], [`plot`], [`history`] and [`trace`] are what comes out;
//! * [`reproduction`] runs the list as the papers did, and sets the results beside theirs;
//! * [`selectors`] sets each selector beside its actor-only version, and both beside the paper on selectors;
//! * [`theaters_paper`] sets actors that are remote or move beside the paper on SALSA Lite;
//! * k-means, logistic regression and the simulation of grids are packages of their own, under `examples`;
//!   [`geostat_paper`] sets what comes out of the last beside the thesis;
//! * [`heterogeneous`] sets programs on cores and devices beside the thesis's chapter 6;
//! * [`peers`] runs the same workloads on other runtimes, in processes of their own;
//! * [`figures`] is the list of promises that [`figures_run`] measures and [`figures_page`] writes
//!   down, and [`hardware_page`] what was measured on real hardware.

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
mod floor;
#[cfg(feature = "devices")]
pub mod geostat_paper;
#[cfg(feature = "full")]
pub mod hardware_page;
pub mod heap_bytes;
#[cfg(feature = "devices")]
pub mod heterogeneous;
pub mod history;
mod html;
pub mod idle;
pub mod json_lines;
pub mod latency;
mod lines;
pub mod memory;
pub mod parameter;
pub mod peers;
pub mod plot;
pub mod report;
pub mod reproduction;
pub mod runner;
pub mod samples;
pub mod selectors;
mod sorted_list;
pub mod statistics;
pub mod sweep;
pub mod table;
#[cfg(feature = "devices")]
mod team;
mod theater;
#[cfg(feature = "theaters")]
pub mod theaters_paper;
pub mod trace;
pub mod workload;
pub mod workloads;

#[cfg(feature = "devices")]
pub use odeon_example_kmeans::run_server;
pub use odeon_example_run::standard_error;
