//! Marks among the messages for an actor: what theaters tell each other about its place, and what must come behind all messages that were sent before.

use odeon_core::wire::Address;
use serde::{Deserialize, Serialize};

use crate::TheaterId;

/// Where the mailbox of a message is written: this is none.
pub(super) const MARK: u8 = 64;
/// There too: a message with a companion.
pub(super) const ACCOMPANIED: u8 = 65;

/// Left among the messages of a seat. New kinds are added at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Mark {
    /// To the actor, wherever it is: it is to move to a theater, for which it has looked so many times in vain. Whoever asked has a question of this
    /// number at that theater.
    Migrate { to: u128, asker: u128, question: u64, tries: u32 },
    /// To a seat whose actor leaves: the theater to which it goes is ready, and has this seat for it. Nothing comes behind this by the same way.
    Ready { attempt: u64, theater: u128, seat: u64 },
    /// To the seat to which an actor comes: all that was before it has come, and the actor sits here from now on.
    Go { attempt: u64 },
    /// To the actor, wherever it is: this theater's seats for it send no more by the same way, and wait to be told that all has come.
    Through { theater: u128, who: Address, turn: u64 },
    /// To the own seat: its actor is elsewhere than messages are sent to.
    Reroute,
    /// To the own seat: an actor wants to come to it.
    Receive { attempt: u64 },
    /// To the own seat: the actor that wanted to come is here.
    Settle { attempt: u64 },
    /// To the own seat: its actor, which wanted to leave, cannot.
    Stay { attempt: u64 },
}

impl Mark {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("numbers can be written")
    }

    /// `None`: this is none, or of a kind that is not known here.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    pub(super) fn ready(attempt: u64, theater: TheaterId, seat: u64) -> Self {
        Self::Ready { attempt, theater: theater.bits(), seat }
    }
}
