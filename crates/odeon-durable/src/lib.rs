//! Durable actors: what was answered is there after a crash.
//!
//! A durable actor is a speculative one whose state says which of its variables are logged
//! ([`state::Durable`], which a derive macro writes). What its messages commit is in a log on the
//! disk (`odeon-log`) before anybody hears of it, and an actor that begins with a log goes on with
//! what that says.
//!
//! ```
//! use odeon_core::{Message, Reply, Theater};
//! use odeon_durable::{SpawnDurable, Store};
//! use odeon_macros::Durable;
//! use odeon_speculative::{Processing, SpeculativeActor, SpeculativeContext, TxResult};
//! use odeon_stm::{TVar, Tx};
//!
//! #[derive(Durable)]
//! # #[durable(crate = odeon_durable)]
//! struct Account {
//!     #[durable(1)]
//!     balance: TVar<u64>,
//! }
//!
//! struct Deposit(u64, Reply<u64>);
//! impl Message for Deposit {}
//!
//! impl SpeculativeActor for Account {
//!     type Msg = Deposit;
//!     fn handle<'t>(
//!         &'t self,
//!         Deposit(amount, done): &'t Deposit,
//!         tx: &mut Tx<'t>,
//!         ctx: &mut SpeculativeContext<'_, Self>,
//!     ) -> TxResult {
//!         self.balance.update(tx, |balance| balance + amount)?;
//!         ctx.reply(done, self.balance.get(tx)?);
//!         Ok(())
//!     }
//! }
//!
//! # let folder = std::env::temp_dir().join(format!("odeon-account-{}", std::process::id()));
//! for run in 1..=3 {
//!     let (theater, store) = (Theater::new()?, Store::open(&folder)?);
//!     let empty = Account { balance: TVar::new(0) };
//!     let account = theater.spawn_durable(&store, "account", empty, Processing::default())?;
//!     // On the disk when it is here.
//!     let balance = account.ask(|done| Deposit(5, done)).wait()?;
//!     assert_eq!(balance, 5 * run);
//!     theater.shutdown(std::time::Duration::from_secs(10));
//! }
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | there is |
//! |---|---|
//! | create an actor that survives | [`SpawnDurable`], [`Store`] |
//! | say which variables of a state are logged, and change that later | [`state`], `#[derive(Durable)]` |
//! | handle a request once, and answer it the same each time | [`Answers`] |
//! | send a message that arrives once, in order | [`Outgoing`], [`Incoming`] |
//! | be reminded of something later | [`Reminders`] |
//! | change several actors at one moment | `Theater::coordinate`, and one [`Store`] |
//! | test against disks that fail | [`Store::on`], `odeon_testkit::disk` |
//! | look at a log, or look for damage | `odeon log`, `odeon_log::LogReader` |
//!
//! # Map
//!
//! From the ground up: [`state`] (what records and snapshots say, without I/O), `once` (effects
//! that happen exactly once, as parts of a state), `actor` (the executor's side, the thread of the
//! log, recovery, transactions of several actors).
#![forbid(unsafe_code)]

mod actor;
mod once;
pub mod state;

pub use actor::{DurableRef, RecoverError, SpawnDurable, Store};
pub use odeon_log::{LogError, LogOptions, TornEnd};
pub use once::{
    Answers, Delivery, Forgotten, Incoming, Outgoing, OutgoingEvent, ReminderDue, Reminders,
    RequestId,
};
