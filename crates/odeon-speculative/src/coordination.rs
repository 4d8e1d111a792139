//! Coordinated transactions: messages to several actors that are handled wholly or not at all, as
//! if at one moment.
//!
//! All variables are of one domain, so such a transaction is one attempt that travels: the handlers
//! of its messages run one after the other, each sees what those before have written, and all
//! commits at once.
//!
//! | question | file |
//! |---|---|
//! | how is one begun, and what comes of it? | `coordination/plan.rs`, `coordination/outcome.rs` |
//! | what comes with each of its messages? | `executor/enlistment.rs` |
//! | who is there, who is awaited, who goes on with it? | `coordination/transaction.rs` |
//! | how does it go from actor to actor, wait, give way and commit? | `coordination/driver.rs`, `coordination/driver/*` |
//! | one message of it at its actor | `executor/visiting.rs`, `executor/engine/visit.rs` |
//! | what does an actor's board say to it? | `executor/board/visits.rs`, `executor/board/deferred.rs`, `executor/participant.rs` |
//! | what do those hear who execute its messages, and it of them? | `executor/transaction.rs`, `coordination/events.rs` |
//! | how do handlers join messages to it? | `coordination/joining.rs` |
//! | who gives way to whom? | `coordination/precedence.rs` |
//! | what is a theater's part in one that others take part in, and who decides that? | `coordination/part.rs`, `driver/deciding.rs` |
//! | how do messages get to other theaters? | `coordination/abroad.rs` |

mod abroad;
mod driver;
mod events;
mod joining;
mod outcome;
mod part;
mod plan;
mod precedence;
mod transaction;

#[cfg(all(test, odeon_loom))]
mod loom;

pub(crate) use precedence::Precedence;

pub use abroad::{Abroad, Away, Begun, First, Here, TakenOver, go_abroad};
pub use outcome::{CoordinationError, Outcome};
pub use part::{Decider, Part as TransactionPart};
pub use plan::{Coordinate, Delivery, Plan};
