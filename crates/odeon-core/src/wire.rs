//! Messages, references and replies between theaters: the seam behind which `odeon-theater` lies.
//!
//! A message is written by serde in [postcard's format](https://postcard.jamesmunns.com). An [`ActorRef`](crate::ActorRef) in it
//! is written as the [`Address`] of its actor, a [`Reply`](crate::Reply) as a number. What address, what number, and what comes
//! of them at the other end, says the [`Passage`] that is in force on the thread while a value is written or read. Without one, as in
//! a file, references and replies cannot be written.
//!
//! ```text
//! here:  ActorRef<M> ─ Inbox ─ Remote<M> ── encode ──▶ Outbound        (`remote.rs`, `codec.rs`)
//! there:             Inbound ── decode ──▶ ActorRef<M>                 (`inbound.rs`)
//! ```
//!
//! A reference to an actor elsewhere is a reference to an actor here, a [`Remote`], that writes what it is sent (decision 005): a
//! send costs what it costs to any actor, and what one sender sends stays in its order.

#![cfg(feature = "wire")]

mod codec;
mod doorman;
mod error;
mod inbound;
mod passage;
mod reference;
mod remote;
mod replies;

pub use codec::{decode, encode};
pub use error::WireError;
pub use inbound::{Delivered, Inbound, unreadable};
pub use passage::{Address, AnswerRoute, Answerable, Arriving, Leaving, Passage};
pub use reference::Erased;
pub use remote::{NotTaken, Outbound, Remote, StandIn};

/// Writes a value behind what is in the buffer, under a passage.
pub type Encode<'a> = &'a mut dyn FnMut(&dyn Passage, &mut Vec<u8>) -> Result<(), WireError>;
