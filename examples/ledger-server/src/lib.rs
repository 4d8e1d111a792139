//! A durable ledger for many clients: behind a binary protocol with pipelining for programs, and
//! behind HTTP with JSON for people. What it has answered is there after a crash.
//!
//! | question | file |
//! |---|---|
//! | what is on the wire? | `packets.rs` |
//! | how are packets served? | `binary.rs` |
//! | how is it asked by HTTP? | `http.rs` |
//! | where does it all begin and end? | `main.rs` |
//!
//! What a ledger does is in `examples/ledger`.

#![forbid(unsafe_code)]

mod binary;
mod http;
pub mod packets;

pub use binary::serve;
pub use http::router;
