//! Workloads, floors, measuring and reports behind the command `odeon bench`.
//!
//! * [`workload`] is what every benchmark looks like, [`workloads`] are the benchmarks;
//! * [`parameter`] and [`sweep`] turn options into runs, [`runner`] measures them in alternation;
//! * [`report`], [`json_lines`], [`plot`], [`history`] and [`trace`] are what comes out;
//! * [`reproduction`] runs the list as the papers did, and sets the results beside theirs;
//! * [`selectors`] sets each selector beside its actor-only version, and both beside the paper on selectors;
//! * [`theaters_paper`] sets actors that are remote or move beside the paper on SALSA Lite;
//! * [`geostat`] simulates grids from training images, which the workload of that name gives to actors, and [`geostat_paper`] sets what comes
//!   out beside the thesis;
//! * [`kmeans`] and [`logreg`] are libraries of their own: points, pieces of a round, and the ways to do them;
//! * [`heterogeneous`] sets programs on cores and devices beside the thesis's chapter 6;
//! * [`peers`] runs the same workloads on other runtimes, in processes of their own;
//! * [`figures`] is the list of promises that [`figures_run`] measures and [`figures_page`] writes
//!   down, and [`hardware_page`] what was measured on real hardware.

#![deny(unsafe_code)]

mod busy_work;
#[cfg(any(feature = "devices", feature = "theaters"))]
mod child_process;
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
mod finish;
mod floor;
#[cfg(feature = "devices")]
pub mod geostat;
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
#[cfg(feature = "devices")]
mod iterative;
pub mod json_lines;
#[cfg(feature = "devices")]
pub mod kmeans;
pub mod latency;
mod lines;
#[cfg(feature = "devices")]
pub mod logreg;
pub mod memory;
pub mod parameter;
pub mod peers;
pub mod plot;
mod random;
pub mod report;
pub mod reproduction;
pub mod runner;
pub mod samples;
pub mod selectors;
mod sorted_list;
pub mod standard_error;
pub mod statistics;
#[cfg(all(test, feature = "devices"))]
mod supplied_files;
pub mod sweep;
pub mod table;
mod theater;
#[cfg(feature = "theaters")]
pub mod theaters_paper;
pub mod trace;
mod watching;
pub mod workload;
pub mod workloads;
