//! The way from an actor's seat to the network: messages that leave, and what the network wants of
//! the seat.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use odeon_sync::contained::Theirs;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Encode;
use super::error::WireError;
use super::layout::Layouts;
use super::mobile::Guest;
use super::passage::Passage;
use super::slot::Slot;
use crate::extend::{Awaits, LetterName};
use crate::mailbox::written_guards::WrittenGuards;
use crate::vocabulary::message::Message;

/// Why a message was not taken to its actor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotTaken {
    /// It cannot be written.
    Unwritable(WireError),
    /// The theater of its actor is not to be reached any more.
    Unreachable,
    /// Nothing can be taken for the moment.
    Closed,
}

/// The way out from one seat.
pub trait Outbound: Send + Sync {
    /// Takes a message for the actor, in the order of calls.
    ///
    /// # Errors
    /// Why it has not taken it.
    fn take(&self, slot: Slot, encode: Encode<'_>) -> Result<(), NotTaken>;

    /// As [`take`](Self::take), of a message with a companion, which has been written.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    fn take_accompanied(
        &self,
        slot: Slot,
        companion: &[u8],
        encode: Encode<'_>,
    ) -> Result<(), NotTaken>;

    /// Takes a letter of the actor that has been [let go](Bid::Go), which is to wait on where it
    /// comes; [`Awaits::Time`] is the time that is left.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    fn take_letter(
        &self,
        name: LetterName,
        awaits: Awaits,
        encode: Encode<'_>,
    ) -> Result<(), NotTaken>;

    /// A message will not come to its actor, with which this companion was to come.
    fn lost_companion(&self, companion: &[u8]);

    /// Takes a mark, in the same order.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    fn pass(&self, mark: &[u8]) -> Result<(), NotTaken>;

    /// No more messages come for the moment: what has been taken is to go.
    fn flush(&self);

    /// Messages that have been taken and keep senders from sending more. Whoever lowers it below
    /// [`RELIEVED_AT`](crate::extend::RELIEVED_AT) wakes the actor of the seat.
    fn pressing(&self) -> usize;

    /// Whether messages can be taken: not while others, for the same actor, are to come to it
    /// first. Whoever changes that wakes the actor of the seat.
    fn is_open(&self) -> bool;

    /// The seat has come to a mark, behind all that came before it. Answers what it is to do.
    fn heed(&self, mark: &[u8], occupied: Occupied) -> Bid;

    /// A mark waits at an actor that leaves. `true`: it has been heeded, and need not wait any
    /// longer.
    fn heeds_early(&self, mark: &[u8]) -> bool;

    /// A mark is not heeded any more.
    fn lost(&self, mark: &[u8]);

    /// The actor leaves, as it was [bid](Bid::Go), and all that waited for it has been taken behind
    /// it. `false`: it does not come there any more. It waits in its seat until that is bid to
    /// [keep](Bid::Stay) it.
    fn gone(&self) -> bool;

    /// The actor of the seat has ended.
    fn ended(&self);
}

/// Who sits in a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occupied {
    /// The actor that it is for.
    ByTheActor,
    /// The same, but it is about to leave.
    ByOneThatLeaves,
    /// Nobody: the actor is elsewhere.
    No,
}

/// What a seat is to do.
pub enum Bid {
    /// Nothing.
    Nothing,
    /// To pass the mark on, behind the messages that came before it.
    Pass,
    /// To have its actor leave: it handles nothing more. What comes is deferred.
    Leave(Box<dyn Departure>),
    /// To let its actor go, and to hand over what has been deferred.
    Go,
    /// To keep its actor after all: as it is, or read anew.
    Stay(Option<Settler>),
    /// To take in an actor.
    Settle {
        /// Who comes.
        settler: Settler,
        /// Its guards.
        guards: WrittenGuards,
        /// What has come for it before all that waits here.
        earlier: Earlier,
    },
}

/// Reads the state of an actor.
pub type ReadState = Arc<dyn Fn(&dyn Passage, &[u8]) -> Result<Settler, WireError> + Send + Sync>;

/// Takes an actor out of its seat.
pub trait Departure: Send {
    /// The actor is `written`.
    fn begin(self: Box<Self>, written: Traveller<'_>) -> Began;

    /// It cannot leave because of what belongs to it here.
    fn refuse(self: Box<Self>, because: &'static str);
}

/// What writing an actor has come to.
pub enum Began {
    /// It is under way.
    Leaves,
    /// It stays: as it is, or read anew.
    Stays(Option<Settler>),
}

/// An actor that is about to leave.
pub struct Traveller<'a> {
    /// What it is called where it is to be read.
    pub kind: &'static str,
    /// How its state is written.
    pub version: u32,
    /// What its state and its messages are made of.
    pub layouts: Layouts,
    /// Its guards.
    pub guards: WrittenGuards,
    /// Writes its state.
    pub encode: Encode<'a>,
    /// Reads it again.
    pub read: ReadState,
}

/// An actor that has been read and sits nowhere yet.
pub struct Settler(Theirs<Box<dyn Any + Send>>);

impl Settler {
    /// One that takes messages of this type.
    pub fn of<M: Message + Serialize + DeserializeOwned>(guest: Box<dyn Guest<M>>) -> Self {
        Self(Theirs::of(Box::new(guest)))
    }

    pub(super) fn guest<M>(self) -> Option<Box<dyn Guest<M>>>
    where
        M: Message + Serialize + DeserializeOwned,
    {
        self.0.take().downcast().ok().map(|guest| *guest)
    }
}

/// Messages, marks and letters that have come for an actor before it sits, the type of messages
/// forgotten.
pub struct Earlier(Theirs<Box<dyn Any + Send>>);

impl Earlier {
    pub(super) fn of(all: impl Any + Send) -> Self {
        Self(Theirs::of(Box::new(all)))
    }

    pub(super) fn all_mut<T: Any>(&mut self) -> &mut T {
        self.0.downcast_mut().expect("made by the same seat")
    }

    pub(super) fn all<T: Any>(self) -> T {
        *self.0.take().downcast().expect("made by the same seat")
    }
}

impl fmt::Debug for Settler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settler").finish_non_exhaustive()
    }
}

impl fmt::Debug for Earlier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Earlier").finish_non_exhaustive()
    }
}
