#![doc = include_str!("../README.md")]

mod atomically;
mod attempt;
pub mod collections;
mod commit;
mod domain;
pub mod staged;
mod variables;
mod words;

pub mod journal {
    //! What transactions change of a state, as bytes: for a log by which the state can be made
    //! again.
    //!
    //! A state says where its variables lie and what each is called: a [`Journal`]. Attempts that
    //! are [journaled](crate::Tx::log_to) tell a [`CommitLog`] what they change of it when they
    //! commit: the values that they have written, and how they have changed counters and
    //! collections, each with a number that says in which order. [`Journaled::apply`] makes the
    //! same change to another state.
    //!
    //! With the feature `journal` all that `serde` can write and read can be the value of a
    //! variable, or the key or value of a collection. Without it only numbers that say themselves
    //! what they are have changes: [`TWord`](crate::TWord), [`TCounter`](crate::TCounter),
    //! [`TMax`](crate::TMax), [`TMin`](crate::TMin).
    //!
    //! ```
    //! use odeon_stm::journal::{ApplyError, Changes, CommitLog, Journal, Journaled};
    //! use odeon_stm::{Rollback, Snapshot, TCounter, TMax, Tx, atomically};
    //! use std::sync::Mutex;
    //! use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
    //!
    //! struct Sales { sum: TCounter, largest: TMax }
    //!
    //! impl Sales {
    //!     fn new() -> Self {
    //!         Self { sum: TCounter::new(0), largest: TMax::new(0) }
    //!     }
    //! }
    //!
    //! impl Journaled for Sales {
    //!     fn enroll(&self, name: &[u32], journal: &mut Journal) {
    //!         self.sum.enroll(&[name, &[0]].concat(), journal);
    //!         self.largest.enroll(&[name, &[1]].concat(), journal);
    //!     }
    //!
    //!     fn apply<'t>(&'t self, _: &mut Tx<'t>, _: &[u8]) -> Result<(), ApplyError> {
    //!         Err(ApplyError::NoChange) // The state itself has no name.
    //!     }
    //!
    //!     fn tell<'t>(
    //!         &'t self,
    //!         _: &mut Snapshot<'t>,
    //!         _: &mut dyn FnMut(&[u8]),
    //!     ) -> Result<(), Rollback> {
    //!         Ok(())
    //!     }
    //! }
    //!
    //! struct Log { journal: Journal, numbers: AtomicU64, records: Mutex<Vec<(u64, Vec<u8>)>> }
    //!
    //! impl CommitLog for Log {
    //!     fn journal(&self) -> &Journal {
    //!         &self.journal
    //!     }
    //!     fn number(&self) -> u64 {
    //!         self.numbers.fetch_add(1, SeqCst)
    //!     }
    //!     fn committed(&self, number: u64, changes: &[u8]) {
    //!         self.records.lock().unwrap().push((number, changes.to_vec()));
    //!     }
    //!     fn given_up(&self, _: u64) {}
    //! }
    //!
    //! let sales = Sales::new();
    //! let journal = Journal::of(&sales);
    //! let log = Log { journal, numbers: AtomicU64::new(0), records: Mutex::default() };
    //! atomically(|tx| {
    //!     tx.log_to(&log);
    //!     sales.sum.add(tx, 30)?;
    //!     sales.largest.raise(tx, 30)
    //! });
    //! let (number, record) = log.records.lock().unwrap().pop().unwrap();
    //! assert_eq!(number, 0);
    //!
    //! let copy = Sales::new();
    //! atomically(|tx| {
    //!     for change in Changes::of(&record) {
    //!         let change = change.expect("written above");
    //!         let applied = match change.name[..] {
    //!             [0] => copy.sum.apply(tx, change.bytes),
    //!             _ => copy.largest.apply(tx, change.bytes),
    //!         };
    //!         match applied {
    //!             Err(ApplyError::Rollback(rollback)) => return Err(rollback),
    //!             applied => applied.expect("written above"),
    //!         }
    //!     }
    //!     Ok(())
    //! });
    //! assert_eq!((copy.sum.peek(), copy.largest.peek()), (30, 30));
    //! ```

    pub use crate::attempt::journal::{
        ApplyError, Changes, CommitLog, Encoded, Journal, Journaled, Malformed, NamedChange,
        SharedCommit, add_change,
    };
}

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
