//! Why a packet was not taken.

use std::error::Error;
use std::fmt;

/// A packet is not one that this link can take. It is dropped; if it should have been another one,
/// the sender sends that again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PacketError {
    /// Not a packet of Odeon at all.
    Foreign,
    /// It is written in another version of the format.
    OtherVersion {
        /// The version that is spoken here.
        ours: u8,
        /// The version of the packet.
        theirs: u8,
        /// Whether it asks for a link.
        hello: bool,
    },
    /// It is longer than any that this side takes.
    TooLarge {
        /// How many bytes it may have.
        limit: usize,
    },
    /// It ends before what it says is in it.
    Truncated,
    /// It is not built as packets are.
    Malformed(&'static str),
    /// It is not sealed by the secret of this theater; or it is sealed, and this one has no secret.
    Sealing,
    /// It is for another theater, or from another one.
    OtherTheater,
    /// It belongs to another link of the same two theaters.
    OtherEpoch,
    /// It acknowledges what was never sent.
    NeverSent,
}

impl fmt::Display for PacketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => f.write_str("not a packet of Odeon"),
            Self::OtherVersion { ours, theirs, .. } => {
                write!(f, "version {theirs} of the packet format, spoken here is version {ours}")
            }
            Self::TooLarge { limit } => {
                write!(f, "the packet is longer than the {limit} bytes that are taken here")
            }
            Self::Truncated => f.write_str("the packet ends too early"),
            Self::Malformed(what) => write!(f, "malformed packet: {what}"),
            Self::Sealing => f.write_str("the packet is not sealed by the secret of this theater"),
            Self::OtherTheater => f.write_str("the packet is for or from another theater"),
            Self::OtherEpoch => f.write_str("the packet belongs to another link"),
            Self::NeverSent => f.write_str("the packet acknowledges what was never sent"),
        }
    }
}

impl Error for PacketError {}
