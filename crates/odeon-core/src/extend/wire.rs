//! Messages, references and replies between theaters: the seam behind which `odeon-theater` lies.
//!
//! A message is written by serde in [postcard's format](https://postcard.jamesmunns.com). An
//! [`ActorRef`](crate::ActorRef) in it is written as a [`Reference`], a [`Reply`](crate::Reply) as
//! a number. What address, what number, and what comes of them at the other end, says the
//! [`Passage`] that is in force on the thread while a value is written or read. Without one, as in
//! a file, references and replies cannot be written.
//!
//! ```text
//! here:  ActorRef<M> ─ Inbox ─ Seat<M> ── encode ──▶ Outbound        (`seat.rs`, `codec.rs`)
//! there:             Inbound ── decode ──▶ ActorRef<M>               (`inbound.rs`)
//! ```
//!
//! A reference to an actor elsewhere is a reference to an actor here, a [`Seat`], that writes what
//! it is sent (decision 005): a send costs what it costs to any actor, and what one sender sends
//! stays in its order. A [`Mobile`] actor has a seat in its own theater too, and sits in it: so it
//! can leave, and come to any other. Where messages come with lanes, that seat is a [`LanedSeat`],
//! in every theater.

#![cfg(feature = "wire")]

mod codec;
mod depth;
mod doorman;
mod error;
mod inbound;
mod laned_seat;
mod layout;
mod mobile;
mod native;
mod outbound;
mod passage;
mod reference;
mod replies;
mod seat;
mod slot;
mod stand_in;
mod timers;
mod watches;

pub use codec::{decode, decode_whole, encode};
pub use error::WireError;
pub use inbound::{Delivered, Inbound, unreadable};
pub use laned_seat::LanedSeat;
pub use layout::{Layouts, layout_of};
pub use mobile::{Guest, Kind, Mobile, OfKind, kind_of, references_to, spawn_guest, spawn_mobile};
pub use native::{Introduction, Native, native, natives};
pub use outbound::{
    Began, Bid, Departure, Earlier, NotTaken, Occupied, Outbound, ReadState, Settler, Traveller,
};
pub use passage::{Address, AnswerRoute, Answerable, Arriving, Leaving, Passage, Reference};
pub use reference::{Erased, number_of};
pub use seat::{Nobody, Seat};
pub use slot::Slot;
pub use stand_in::StandIn;

/// Writes a value behind what is in the buffer, under a passage.
pub type Encode<'a> = &'a mut dyn FnMut(&dyn Passage, &mut Vec<u8>) -> Result<(), WireError>;
