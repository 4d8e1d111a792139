//! The hot durable account, measured: one ledger that everybody transfers in, as a durable actor,
//! and as the same actor without a log, beside what the disk does by itself. Behind the command
//! `odeon bench hot`.
//!
//! | question | file |
//! |---|---|
//! | what is done to the ledger, by whom? | `load.rs`, `client.rs` |
//! | who keeps it? | `way.rs` |
//! | what is a run? which, in which order? | `running.rs`, `plan.rs` |
//! | and over the network, beside others? | `network.rs`, with the feature `network` |
//! | what does the disk do by itself? | `disk.rs` |
//! | what does it take to open a ledger again? | `recovery.rs` |
//! | what is promised, and is it reached? | `promises.rs` |
//! | how does it end before it is done? | `stop_flag.rs` |
//! | how is it told: tables, lines of JSON, a page? | `report.rs`, `records.rs`, `page.rs` |
//!
//! `outcome.rs` has all of it together.

#![forbid(unsafe_code)]

mod client;
pub mod disk;
mod folder;
mod load;
#[cfg(feature = "network")]
pub mod network;
pub mod outcome;
pub mod page;
mod plan;
pub mod promises;
pub mod records;
pub mod recovery;
pub mod report;
mod running;
mod stop_flag;
mod way;

pub use load::HotLoad;
pub use plan::{HotPlan, Recovers};
pub use running::HotSample;
pub use stop_flag::StopFlag;
pub use way::HotWay;
