//! Actors that handle several of their messages at once.
//!
//! A [`SpeculativeActor`] keeps its state in variables of [`odeon_stm`] and handles each message in
//! a transaction. So several of its messages can run on several cores, as if they were handled one
//! at a time: those that do not meet commit side by side, those that do are rolled back and run
//! again.
//!
//! ```
//! use odeon_core::{Message, Reply, Theater};
//! use odeon_speculative::*;
//! use odeon_stm::{TVar, Tx};
//!
//! enum Account { Deposit(u64), Balance(Reply<u64>) }
//! impl Message for Account {
//!     // With the facade crate `odeon`: `#[derive(Message)]`, and `#[access(snapshot)]` on the variant.
//!     fn access(&self) -> Access {
//!         match self { Account::Balance(_) => Access::Snapshot, Account::Deposit(_) => Access::Update }
//!     }
//! }
//!
//! struct Hot { balance: TVar<u64> }
//!
//! impl SpeculativeActor for Hot {
//!     type Msg = Account;
//!     fn handle<'t>(
//!         &'t self,
//!         msg: &'t Account,
//!         tx: &mut Tx<'t>,
//!         ctx: &mut SpeculativeContext<'_, Self>,
//!     ) -> TxResult {
//!         match msg {
//!             Account::Deposit(n) => self.balance.update(tx, |b| b + n)?,
//!             Account::Balance(reply) => ctx.reply(reply, self.balance.get(tx)?),
//!         }
//!         Ok(())
//!     }
//! }
//!
//! let theater = Theater::new()?;
//! let account = theater.spawn_speculative(Hot { balance: TVar::new(0) }, Processing::default());
//! account.send(Account::Deposit(5))?;
//! assert_eq!(account.ask(Account::Balance).wait()?, 5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The rooms from the ground up, each of which uses only those before it: `contained`,
//! `processing`, `report`, `actor`, `executor`, `coordination`, `spawn`. What executes messages
//! (`executor`) knows nothing of coordinated transactions: a message may come with something that
//! it tells of events (`executor/transaction.rs`).
//!
//! | question | file |
//! |---|---|
//! | what does a user write? | `actor/{speculative_actor,outcome,context}.rs` |
//! | how is it created and configured? | `spawn.rs`, `processing.rs` |
//! | one message in three files of `executor/` | `shard.rs` → `attempt.rs` → `exit.rs` |
//! | one that needs more, or has no shard, in five | `dispatcher.rs` → `board.rs` → `engine/working.rs` → `attempt.rs` → `exit.rs` |
//! | which messages must not overtake each other? | `executor/lanes.rs` |
//! | who keeps the order of arrival? | `executor/`: `board/arrival_order.rs`, `engine/in_order.rs`, `attempt/ahead.rs` |
//! | who works besides the actor's own turn? | `executor/shard.rs`, `executor/runner.rs` |
//! | who has a place among those that handle messages? | `executor/`: `board.rs`, `board/shards.rs`, `engine/shards.rs` |
//! | how many messages at once? | `processing/width.rs`, `processing/width/*`, `processing/pace.rs` |
//! | what is handled together with messages of other actors? | `coordination.rs`, `executor/board/visits.rs` |
//! | what does the executor say to a transaction of several actors, and that to it? | `executor/{transaction,enlistment,visiting,participant}.rs` |
//! | what was in whose way, and how wide was the actor? | `report/{tally,conflicts,decisions,stats}.rs` |
//! | where may a user's code panic, and what comes of that? | `contained.rs`; of a handler in the actor's own turn: `executor/handling.rs` |
//! | where does a message wait whose handler asks to, or whose guard is closed? | `executor/parking.rs`, `executor/parking/gate.rs` |
//! | who asks guards? | `executor/attempt/admission.rs` |
//! | how does an actor leave its theater? | `spawn/occupant.rs`, `processing/written.rs` |
//!
//! The method is that of Hayduk, Sobe and Felber, "Speculative Concurrent Processing with
//! Transactional Memory in the Actor Model" (OPODIS 2013), made for lanes, snapshots and effects.

mod actor;
mod contained;
mod coordination;
mod executor;
pub mod extend;
mod processing;
mod report;
mod spawn;

pub use actor::context::SpeculativeContext;
pub use actor::outcome::{HandlerError, TxResult, fail};
pub use actor::speculative_actor::SpeculativeActor;
pub use coordination::{Coordinate, CoordinationError, Delivery, Outcome, Plan};
pub use odeon_core::Access;
pub use processing::width::{Fixed, HillClimb, Sample, Threshold, WidthPolicy};
pub use processing::{Ordering, Processing};
pub use report::conflicts::Conflict;
pub use report::decisions::Decision;
pub use report::stats::SpeculationStats;
pub use spawn::{SpawnSpeculative, SpeculativeRef};
