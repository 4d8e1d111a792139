//! The same ledger over the network, beside others that keep it: one load generator for all.
//!
//! | question | file |
//! |---|---|
//! | who begins transfers, and times them? | `network/generator.rs` |
//! | what is on the wire? | `network/wire.rs`; `packet_wire.rs`, `resp_wire.rs`, `postgres_wire.rs` |
//! | who keeps the ledger, with which settings? | `network/keeper.rs`; `serving.rs`, `redis.rs`, `postgres.rs` |
//! | how does a server of others end with the run? | `network/server_process.rs` |
//! | SQLite, with transfers grouped by hand | `network/sqlite.rs` |
//! | which runs, in which order? | `network/plan.rs` |
//! | how is it told? | `network/report.rs` |

mod generator;
mod keeper;
mod packet_wire;
mod plan;
mod postgres;
mod postgres_wire;
mod redis;
pub mod report;
mod resp_wire;
mod server_process;
mod serving;
mod sqlite;
mod wire;

pub use keeper::KeeperKind;
pub use plan::{NetworkOutcome, NetworkPlan, NetworkPoint, NetworkSample};
pub use serving::{SERVE, serve_ledger};
