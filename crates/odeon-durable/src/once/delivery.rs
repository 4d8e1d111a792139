//! A message that is to arrive once, on its way, and the news of it.

use odeon_core::Reply;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::marker::PhantomData;

/// A message of an [`Outgoing`](crate::Outgoing) on its way. Its receiver's message type has a
/// variant of it, and implements `From<Delivery<T>>`; what is in it,
/// [`Incoming::receive`](crate::Incoming::receive) says.
///
/// If `serde` can write `T` it may go to another theater.
#[derive(Serialize, Deserialize)]
#[must_use = "`Incoming::receive` has what is in it, and confirms it"]
pub struct Delivery<T> {
    pub(super) message: T,
    pub(super) sender: u128,
    pub(super) lane: u32,
    pub(super) number: u64,
    /// Up to which number its receiver has handled those of its lane.
    pub(super) confirm: Reply<u64>,
}

impl<T> Delivery<T> {
    /// The random number by which the [`Outgoing`](crate::Outgoing) is known that has sent it.
    pub fn sender(&self) -> u128 {
        self.sender
    }
}

impl<T> fmt::Debug for Delivery<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sender, lane, number, .. } = self;
        write!(f, "Delivery({sender:x}, {lane}.{number})")
    }
}

/// News for an [`Outgoing`](crate::Outgoing), in a message to its own actor, whose message type
/// implements `From<OutgoingEvent<T>>`: [`Outgoing::hear`](crate::Outgoing::hear) takes it.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
#[must_use = "`Outgoing::hear` takes it: what is not heard is sent again and again"]
pub struct OutgoingEvent<T> {
    pub(super) place: u32,
    pub(super) sender: u128,
    pub(super) news: News,
    #[serde(skip)]
    of: PhantomData<fn() -> T>,
}

/// What there is to hear.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) enum News {
    /// The receiver has handled those of a lane up to a number.
    Handled { lane: u32, up_to: u64 },
    /// One was not taken: the receiver has ended, or has failed.
    NotTaken,
    /// It is time to see what has got lost. Of which timer.
    Look { timer: u64 },
}

impl<T> OutgoingEvent<T> {
    pub(super) fn new(place: u32, sender: u128, news: News) -> Self {
        Self { place, sender, news, of: PhantomData }
    }

    /// Which one of several it is for: what [`Outgoing::at_place`](crate::Outgoing::at_place) was
    /// given.
    pub fn place(&self) -> u32 {
        self.place
    }
}

impl<T> fmt::Debug for OutgoingEvent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OutgoingEvent").field(&self.news).finish()
    }
}
