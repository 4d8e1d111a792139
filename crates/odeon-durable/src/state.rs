//! A state that can be made again from a log: which variables it has, what each is called, and what
//! becomes of a log when the types of a program change.
//!
//! A log does not say "the balance of the sixth account", but `1.5.2`: field 1 of the state, place
//! 5 there, field 2 of what is in that place. Such a *name* is a `&[u32]`. Fields have the numbers
//! that [`#[derive(Durable)]`](Durable) is told, places are counted from 0 on. So fields may be
//! renamed, and change their order, as long as their numbers stay.
//!
//! ```
//! use odeon_durable::state::{Durable, Restorer};
//! use odeon_macros::Durable;
//! use odeon_stm::{TMap, TVar, snapshot};
//!
//! #[derive(Durable)]
//! # #[durable(crate = odeon_durable)]
//! struct Account {
//!     #[durable(1)]
//!     owner: TVar<String>,
//!     #[durable(2)]
//!     balance: TVar<i64>,
//! }
//!
//! #[derive(Durable)]
//! # #[durable(crate = odeon_durable)]
//! struct Bank {
//!     #[durable(1)]
//!     accounts: Vec<Account>,
//!     #[durable(2)]
//!     by_owner: TMap<String, u32>,
//!     #[durable(skip)]
//!     currency: &'static str,
//! }
//!
//! fn bank() -> Bank {
//!     let account = || Account { owner: TVar::new(String::new()), balance: TVar::new(0) };
//!     Bank { accounts: vec![account(), account()], by_owner: TMap::new(), currency: "EUR" }
//! }
//!
//! let bank_before = bank();
//! odeon_stm::atomically(|tx| bank_before.accounts[1].balance.set(tx, 70));
//! let mut told = Vec::new();
//! snapshot(|view| {
//!     bank_before.node().tell(view, &mut |name, change| told.push((name.to_vec(), change.to_vec())))
//! })?;
//!
//! let bank_after = bank();
//! let mut restorer = Restorer::new(&bank_after);
//! for (name, change) in &told {
//!     restorer.apply(name, change)?;
//! }
//! restorer.finish();
//! assert_eq!(bank_after.accounts[1].balance.peek(), 70);
//! # assert_eq!(bank_after.currency, bank_before.currency);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What a state is before its log is read is what the program makes it. The log has changes: a
//! variable that nobody has written keeps the value that the program gives it.
//!
//! # When the types change
//!
//! | what has changed | is written so | and a log that was there before |
//! |---|---|---|
//! | a field came | with a number that no field had | leaves it as the program makes it |
//! | a field was renamed or moved within its struct | nothing | goes on |
//! | a field went | `#[durable(removed(3))]` on the struct | has changes of it, which are passed over; 3 can be given to no other field |
//! | a field has another type | `#[durable(5, was(2, TVar<u32>, widen))]` | has changes of field 2, which `widen` turns into those of field 5 |
//! | an array is longer | nothing | leaves the places that came as the program makes them |
//! | an array is shorter | cannot be: its places have gone on being written | is refused where it has a place that is not there |
//!
//! A name that is in the log and not in the state is an error; nothing that was acknowledged is
//! passed over unless a `removed` says so.
//!
//! ## Another type
//!
//! `was(2, TVar<u32>, widen)` names the number that the field had, its type, and a function that
//! takes what is there over into the new one. The old variable is made when the log first says
//! something of it, by `Default` or by what follows an `=`, and ends after `widen` has been called,
//! once, in a transaction of its own. If the log says nothing of it `widen` is not called.
//!
//! ```
//! use odeon_durable::state::{Durable, Restorer};
//! use odeon_macros::Durable;
//! use odeon_stm::{Rollback, TVar, Tx};
//!
//! #[derive(Durable)]
//! # #[durable(crate = odeon_durable)]
//! struct Limits {
//!     // Cents, as `TVar<u64>`: whole euros were too coarse. What nobody had written was 50.
//!     #[durable(5, was(2, TVar<u32> = TVar::new(50), to_cents))]
//!     limit: TVar<u64>,
//! }
//!
//! fn to_cents<'t>(euros: &'t TVar<u32>, cents: &'t TVar<u64>, tx: &mut Tx<'t>) -> Result<(), Rollback> {
//!     let limit = u64::from(euros.get(tx)?) * 100;
//!     cents.set(tx, limit)
//! }
//!
//! # let (old, mut told) = (TVar::new(70_u32), Vec::new());
//! # odeon_stm::snapshot(|view| old.node().tell(view, &mut |_, change| told = change.to_vec()))?;
//! let limits = Limits { limit: TVar::new(5_000) };
//! let mut restorer = Restorer::new(&limits);
//! restorer.apply(&[2], &told)?; // what the older program wrote: 70
//! restorer.finish();
//! assert_eq!(limits.limit.peek(), 7_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The function is called before the first change of the new field is applied, or at the end if
//! there is none: such a change was made by a program that had begun with what the function made.
//! So the function depends on nothing but the old value, and stays as it is, until a snapshot has
//! made the changes of field 2 superfluous. From then on `removed(2)` does.
//!
//! The old type may be any [`Durable`] one, a collection or a struct with fields of its own. It
//! knows no `was` within itself: a field changes its type once between two snapshots.
//!
//! # Files
//!
//! | file | has |
//! |---|---|
//! | `state/node.rs` | [`Durable`], and the tree that it opens |
//! | `state/variables.rs` | variables as leaves of the tree |
//! | `state/arrays.rs` | arrays, tuples, and what is transparent |
//! | `state/walk.rs` | all leaves in their order, the leaf of a name |
//! | `state/path.rs` | what errors call a place in the state |
//! | `state/former.rs` | a field as it was |
//! | `state/restorer.rs` | applies what a log has |
//! | `state/error.rs` | what can go wrong |

mod arrays;
mod error;
mod former;
mod node;
mod path;
mod restorer;
mod variables;
mod walk;

pub use error::{NameProblem, RestoreError, UnknownName};
pub use former::{Former, former};
pub use node::{Branch, Children, Durable, DurableField, FieldTable, Node};
pub use path::StatePath;
pub use restorer::Restorer;
pub use walk::Walk;
