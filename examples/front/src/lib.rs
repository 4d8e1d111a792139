//! Accounts, of which many threads or tasks ask the balance after each deposit: kept by one actor,
//! behind one lock, behind a channel. What a question costs, and what a server makes of it.
//!
//! | question | file |
//! |---|---|
//! | which ways to keep the accounts? | `account.rs` |
//! | who asks, and how is that timed? | `asking.rs` |
//! | what does it do behind a real server? | `served.rs`, `client.rs`; `main.rs` compares |

#![forbid(unsafe_code)]

mod account;
mod asking;
mod client;
mod served;

pub use account::{Accounts, KEEPERS};
pub use asking::{Asking, floor, run};
pub use odeon_example_shared_state::Work;
pub use served::requests_per_second;
