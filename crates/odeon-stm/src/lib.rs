#![doc = include_str!("../README.md")]

mod atomically;
mod attempt;
pub mod collections;
mod commit;
mod domain;
pub mod staged;
mod variables;
mod words;

pub use atomically::{atomically, try_atomically};
pub use attempt::Mode;
pub use attempt::scoped::{ScopedSnapshot, ScopedTx};
pub use attempt::snapshot::run::{SnapshotExpired, snapshot, snapshot_within};
pub use attempt::thread_cache::collect;
pub use attempt::transaction::{Snapshot, Tx, View};
pub use collections::{TList, TMap, TOrdMap, TQueue, TSet, TVec};
pub use domain::stats::{RunningSnapshot, Stats, stats};
pub use domain::tickets::{Ticket, Tickets};
pub use variables::labelled::{Labelled, Variable};
pub use variables::tcounter::TCounter;
pub use variables::textreme::{TMax, TMin};
pub use variables::tlink::TLink;
pub use variables::tvar::{Copied, TVar};
pub use variables::tword::{TWord, Word};
pub use words::abort::{Abort, Cause, Rollback};

#[cfg(test)]
mod tests;
