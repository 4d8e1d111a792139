//! How one hot actor scales with the workers: the library behind `odeon bench scale`.
//!
//! | question | file |
//! |---|---|
//! | what is run: workers, modes, loads? | `plan.rs`, `load.rs`, `way.rs` |
//! | how is one of them run, and its processor time taken? | `running.rs` |
//! | what came out? | `measurements.rs` |
//! | which law of scaling do the real numbers follow? | `law.rs` |
//! | what would more executors do than the machine has? | `simulation.rs` |
//! | what are the simulated costs, and do they give what was measured? | `calibration.rs` |
//! | what would every width do, and what is the ceiling? | `extrapolation.rs` |
//! | what is each lock held for, and what is it worth? | `locks.rs`, `serial_demand.rs` |
//! | how is it told: tables, lines of JSON, a page? | `report.rs`, `records.rs`, `page.rs` |
//!
//! `outcome.rs` has all of it together.

#![forbid(unsafe_code)]

pub mod calibration;
pub mod extrapolation;
pub mod law;
mod least_squares;
mod load;
pub mod locks;
pub mod measurements;
pub mod outcome;
pub mod page;
mod plan;
pub mod records;
pub mod report;
mod running;
pub mod serial_demand;
pub mod simulation;
mod way;

pub use load::ScaleLoad;
pub use plan::ScalePlan;
pub use running::{WakeCosts, wake_costs};
pub use way::ScaleWay;
