//! What a link tells its owner.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use super::Refusal;

/// Who is given what comes out of a link.
pub trait Sink {
    /// A message has arrived, in the order of its channel.
    fn message(&mut self, channel: u64, message: &[u8]);

    /// A message has arrived that was put together of fragments, and can be kept without a copy.
    /// Unless it is implemented, the same as [`message`](Self::message).
    fn large_message(&mut self, channel: u64, message: Vec<u8>) {
        self.message(channel, &message);
    }

    /// Something has happened to the link.
    fn event(&mut self, event: Event);
}

/// What happens to a link.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Both sides know each other: messages go.
    Linked,
    /// The other side has not been heard of for this long. It may be dead, slow, or cut off.
    Suspected(Duration),
    /// It is heard again.
    Cleared,
    /// So much has been sent that more may be pushed without going beyond the mark of
    /// [`is_pressed`](crate::link::Link::is_pressed).
    Relieved,
    /// So much of a channel has been sent, or is about to go, that more may be pushed without going
    /// beyond the mark of [`is_channel_pressed`](crate::link::Link::is_channel_pressed).
    ChannelRelieved(u64),
    /// A message was pushed before it was known that the other side takes no message of that
    /// length.
    TooLarge(Undelivered),
    /// The link has ended; nothing is delivered any more.
    Ended {
        /// Why.
        end: End,
        /// All messages that are not known to have arrived, those of each channel in their order.
        /// The first ones of a channel may have arrived; the acknowledgement has not.
        undelivered: Vec<Undelivered>,
    },
}

/// A message that could not be delivered, or is not known to have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undelivered {
    /// The channel that it was pushed on.
    pub channel: u64,
    /// Its bytes.
    pub message: Vec<u8>,
}

/// Why a link has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum End {
    /// Nothing was heard of the other side for as long as
    /// [`dead_after`](crate::link::LinkConfig::dead_after) says.
    Silent,
    /// The other side has left, after all that it had to say.
    Left,
    /// This side has left, and the other one knows.
    Departed,
    /// This side refuses the other one.
    Refused(Refusal),
    /// The other side refuses this one.
    RefusedByPeer(Refusal),
    /// The other side has begun another link.
    Superseded,
    /// The other side has given the link up: it has taken this one for dead.
    GivenUp,
    /// The other side does not keep to the protocol.
    Violation(Violation),
    /// The owner has given the link up.
    Dropped,
}

/// How the other side has broken the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Violation {
    /// A message above [`largest_message`](crate::link::LinkConfig::largest_message).
    TooLarge,
    /// More messages in part than [`assembly`](crate::link::LinkConfig::assembly) allows.
    TooManyParts,
    /// Fragments that do not make up a message.
    Fragments,
    /// More channels held back than anybody needs.
    TooManyPauses,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silent => f.write_str("nothing was heard of the other theater"),
            Self::Left => f.write_str("the other theater has left"),
            Self::Departed => f.write_str("this theater has left"),
            Self::Refused(refusal) => write!(f, "refused: {refusal}"),
            Self::RefusedByPeer(refusal) => write!(f, "refused by the other theater: {refusal}"),
            Self::Superseded => f.write_str("the other theater has begun another link"),
            Self::GivenUp => f.write_str("the other theater has given the link up"),
            Self::Violation(_) => f.write_str("the other theater does not keep to the protocol"),
            Self::Dropped => f.write_str("this theater has given the link up"),
        }
    }
}

/// A message was not pushed. Nothing of it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PushError {
    /// The link has ended, or is being left.
    Ended,
    /// Messages have at most this many bytes: the lesser of what either side has set.
    TooLarge {
        /// That many.
        limit: usize,
    },
}

impl fmt::Display for PushError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended => f.write_str("the link has ended"),
            Self::TooLarge { limit } => write!(f, "the message has more than {limit} bytes"),
        }
    }
}

impl Error for PushError {}
