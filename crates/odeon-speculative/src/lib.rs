//! Actors that handle several of their messages at once.
//!
//! A [`SpeculativeActor`] keeps its state in variables of [`odeon_stm`] and handles each message in a transaction.
//! So several of its messages can run on several cores, as if they were handled one at a time: those that do not meet
//! commit side by side, those that do are rolled back and run again.
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
//! | question | file |
//! |---|---|
//! | what does a user write? | `speculative_actor.rs`, `outcome.rs`, `context.rs` |
//! | how is it created and configured? | `spawn.rs`, `processing.rs` |
//! | one message in five files | `dispatcher.rs` → `board.rs` → `engine/working.rs` → `attempt.rs` → `exit.rs` |
//! | which messages must not overtake each other? | `lanes.rs` |
//! | who keeps the order of arrival? | `board/arrival_order.rs`, `engine/in_order.rs`, `attempt/ahead.rs` |
//! | who works besides the actor's own turn? | `runner.rs` |
//! | how many messages at once? | `width.rs`, `width/*`, `pace.rs` |
//! | what is handled together with messages of other actors? | `coordination.rs`, `board/visits.rs` |
//! | what was in whose way, and how wide was the actor? | `tally.rs`, `conflicts.rs`, `decisions.rs`, `stats.rs` |
//! | where may a user's code panic, and what comes of that? | `contained.rs`; of a handler in the actor's own turn: `handling.rs` |
//! | where does a message wait whose handler asks to, or whose guard is closed? | `parking.rs`, `parking/gate.rs` |
//! | who asks guards? | `attempt/admission.rs` |
//! | how does an actor leave its theater? | `occupant.rs`, `processing/written.rs` |
//!
//! The method is that of Hayduk, Sobe and Felber, "Speculative Concurrent Processing with Transactional Memory in the Actor
//! Model" (OPODIS 2013), made for lanes, snapshots and effects.

mod attempt;
mod board;
mod conflicts;
mod contained;
mod context;
mod coordination;
mod counts;
mod decisions;
mod dispatcher;
mod engine;
mod exit;
pub mod extend;
mod handling;
mod job;
mod lanes;
mod number_map;
mod occupant;
mod outcome;
mod pace;
mod parking;
mod processing;
mod runner;
mod setting;
mod spawn;
mod speculative_actor;
mod stats;
mod tally;
mod width;

pub use conflicts::Conflict;
pub use context::SpeculativeContext;
pub use coordination::{Coordinate, CoordinationError, Delivery, Outcome, Plan};
pub use decisions::Decision;
pub use odeon_core::Access;
pub use outcome::{HandlerError, TxResult, fail};
pub use processing::{Ordering, Processing};
pub use spawn::{SpawnSpeculative, SpeculativeRef};
pub use speculative_actor::SpeculativeActor;
pub use stats::SpeculationStats;
pub use width::{
    ByEnergy, Fixed, HillClimb, JouleSource, Objective, Sample, Threshold, WidthPolicy,
};
