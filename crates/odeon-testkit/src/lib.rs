//! What the tests of Odeon are made with: runs that one seed replays, accounts of messages and
//! values, and conformance suites for mailboxes and stages.
//!
//! | question | file |
//! |---|---|
//! | can I replay that run? | `deterministic_scheduler.rs`, `trace.rs`, `seeds.rs` |
//! | what time is it in the test, and how does it pass? | `virtual_clock.rs`, `deterministic_scheduler/time.rs` |
//! | what does a handler wait for? | `waiting.rs` |
//! | did every message end up somewhere? | `conservation.rs` |
//! | was every value dropped, and once? | `drop_tracker.rs` |
//! | does my mailbox, my stage keep the promises? | `conformance/*` |
//!
//! A dev-dependency only; `odeon-core` uses it in its integration tests.
#![deny(unsafe_code)]

pub mod conformance;
mod conservation;
mod deterministic_scheduler;
mod drop_tracker;
mod seeds;
mod silent_panic;
mod trace;
mod virtual_clock;
mod waiting;

pub use conservation::{Account, Counted, Ledger, Ticket};
pub use deterministic_scheduler::Deterministic;
pub use drop_tracker::{DropTracker, Tracked};
pub use seeds::for_seeds;
pub use silent_panic::silent_panic;
pub use trace::{Choice, Trace};
pub use virtual_clock::VirtualClock;
pub use waiting::{Bell, Rings, Yields, yields};
