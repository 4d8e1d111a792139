//! Which transaction, and what goes with each of its messages to another theater.

use odeon_theater::TheaterId;
use serde::{Deserialize, Serialize};

/// A transaction: who leads it, and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Id {
    pub(crate) leader: TheaterId,
    pub(crate) number: u64,
}

/// The companion of a message, as it is written.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    pub(crate) id: Id,
    /// Among all messages with which the transaction begins.
    pub(crate) place: u32,
    /// How many of these go to the same theater.
    pub(crate) of: u32,
    pub(crate) to: TheaterId,
    /// Of one that a handler has joined: in which round. `place` and `of` are 0 then.
    pub(crate) joined_in: Option<u32>,
}

impl Head {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("numbers can be written")
    }

    /// `None`: this is none.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}
