//! What theaters tell each other, besides messages and answers.

use odeon_core::EndReason;
use odeon_core::wire::Address;
use serde::{Deserialize, Serialize};

use crate::TheaterId;
use crate::routing::migrated::MigrateError;
use crate::routing::wanted::Wanted;

/// TUNE: bytes of a failure's text that go to another theater, guessed 2026-11: what anybody reads.
const LONGEST_TEXT: usize = 1024;

/// Told by one theater to another one. New kinds are added at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Control {
    /// So many references to this actor of yours, which have come here, are not held here any more.
    Released { actor: u64, references: u64 },
    /// A reference to this actor of yours has been sent on to this theater (`references/grants.rs`,
    /// as for the next five).
    Granted { actor: u64, to: u128, grant: u64 },
    /// The reference to this actor of yours has come here that was granted by this theater.
    Taken { actor: u64, by: u128, grant: u64 },
    /// The reference that I have granted has come back.
    Revoked { actor: u64, grant: u64 },
    /// No reference that I have granted to this theater by a number up to this one is under way.
    Void { to: u128, until: u64 },
    /// I have lost this theater, and want to know when no reference comes to you any more that it
    /// has granted.
    Expects { by: u128 },
    /// None does.
    Over { by: u128 },
    /// This actor of mine has ended.
    Ended { actor: u64, failed: bool },
    /// This question of yours will not be answered.
    Unanswered { question: u64 },
    /// I ask for a reference to an actor that takes these messages.
    Asked { question: u64, wanted: Wanted, messages: String },
    /// The actor of this seat of yours, which you have sent by this attempt, can come: to this seat
    /// of mine.
    Ready { seat: u64, attempt: u64, at: u64 },
    /// It cannot.
    Refused { seat: u64, attempt: u64, why: MigrateError },
    /// The actor that I have sent by this attempt does not come.
    Withdrawn { attempt: u64 },
    /// It sits here.
    Settled { attempt: u64 },
    /// The actor for which this seat of mine is has moved, for the so manieth time: to this seat,
    /// to which I have granted you a reference.
    Moved { seat: u64, who: Address, to: Address, moves: u64, grant: u64 },
    /// I do not know the actor for which this seat of yours is.
    NotKnown { seat: u64 },
    /// All that you have sent to this actor by the way that you have closed for the so manieth time
    /// has come.
    Passed { who: Address, turn: u64 },
    /// I have passed requests on to this theater that are to answer these questions of yours: which
    /// of them are over (`asked.rs`)?
    AreOpen { at: u128, questions: Vec<u64> },
    /// These are.
    AreOver { at: u128, questions: Vec<u64> },
    /// The actor that was to answer this question of yours has failed, with this text. Behind it
    /// comes `Unanswered`, for theaters that do not know this kind.
    Failed { question: u64, text: String },
    /// The answer to this question of that theater, if there is one (`migration/owed.rs`).
    /// `is_passed_on`: another theater had it first.
    Answered { asker: u128, question: u64, answer: Option<Vec<u8>>, is_passed_on: bool },
    /// I have registered no kind: no actor can come here. Told before an actor is refused for that.
    TakesNobody,
    /// Whether I have let the actor go that I have sent by this attempt, before our last link ended
    /// (`migration/cut_off.rs`).
    Decided { attempt: u64, has_gone: bool },
}

impl Control {
    pub(crate) fn ended(actor: u64, reason: EndReason) -> Self {
        Self::Ended { actor, failed: reason == EndReason::Failed }
    }

    pub(crate) fn failed(question: u64, text: &str) -> Self {
        let ends = text.char_indices().map(|(begin, character)| begin + character.len_utf8());
        let length = ends.take_while(|&end| end <= LONGEST_TEXT).last().unwrap_or_default();
        Self::Failed { question, text: text[..length].to_owned() }
    }

    pub(crate) fn granted(actor: u64, to: TheaterId, grant: u64) -> Self {
        Self::Granted { actor, to: to.bits(), grant }
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("numbers can be written")
    }

    /// `None`: this is none, or of a kind that is not known here.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}
