//! Durable actors: what was answered is there after a crash.
//!
//! ```text
//!  handler ──commit──► changes, by number ──► log's thread ──epoch──► disk
//!     └────effects──► held back ◄───────── durable up to ────────────────┘
//! ```

mod actor_log;
mod courier;
mod durable_ref;
mod durably;
mod handed_over;
mod held_effects;
mod log_thread;
mod numbers;
mod record;
mod recovering;
mod snapshots;
mod spawn;
mod store;
mod transaction_log;

pub use durable_ref::DurableRef;
pub use recovering::RecoverError;
pub use spawn::SpawnDurable;
pub use store::Store;
