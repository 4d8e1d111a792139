#![doc = include_str!("../README.md")]

#[cfg(doctest)]
mod misuse;

mod abort;
mod atomically;
mod attempt;
mod between;
mod cell;
pub mod collections;
mod commit;
mod contained;
mod copies;
mod domain;
mod flaw;
mod garbage;
mod hooks;
mod inline;
mod label;
mod labelled;
mod peek;
mod prepared;
mod protected;
mod read_set;
mod scoped;
mod serial_gate;
mod slot;
mod snapshot;
pub mod staged;
mod stats;
mod tcounter;
mod textreme;
mod thread_cache;
mod tickets;
mod tlink;
mod transaction;
mod tvar;
mod tword;
mod version_clock;
mod version_word;
mod wakeup;
mod write_set;

pub use abort::{Abort, Cause, Rollback};
pub use atomically::{atomically, try_atomically};
pub use attempt::Mode;
pub use collections::{TList, TMap, TOrdMap, TQueue, TSet, TVec};
pub use labelled::{Labelled, Variable};
pub use scoped::{ScopedSnapshot, ScopedTx};
pub use snapshot::run::{SnapshotExpired, snapshot, snapshot_within};
pub use stats::{RunningSnapshot, Stats, stats};
pub use tcounter::TCounter;
pub use textreme::{TMax, TMin};
pub use thread_cache::collect;
pub use tickets::{Ticket, Tickets};
pub use tlink::TLink;
pub use transaction::{Snapshot, Tx, View};
pub use tvar::{Copied, TVar};
pub use tword::{TWord, Word};

#[cfg(test)]
mod tests;
