//! A ledger that is one actor. As a durable one it has what it has answered also after a crash.
//!
//! | question | file |
//! |---|---|
//! | what is a transfer, in 64 bytes? | `transfer.rs` |
//! | who keeps the accounts? | `ledger.rs` |

#![forbid(unsafe_code)]

mod ledger;
mod transfer;

pub use ledger::{AccountState, Books, ToLedger, TransferLedger};
pub use transfer::{Memo, Transfer, Verdict};
