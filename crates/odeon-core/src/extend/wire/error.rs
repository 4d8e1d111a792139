//! Why a value cannot be written or read.

use std::fmt;

/// Why a value cannot be written for another theater, or read from one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireError {
    /// Its type says so, or bytes do not fit its type.
    Format(String),
    /// It has more than 128 levels inside of each other: options, lists, structs, enums and the
    /// like. Found where it is read.
    TooDeep,
    /// It has more elements in its lists and maps than bytes, by more than 65,536: elements that
    /// are written as nothing, as `()`. Found where it is read.
    TooMany,
    /// Its `Serialize` or `Deserialize` panicked.
    Panicked,
    /// An actor that is referred to takes other messages than the reference says.
    OtherMessages,
    /// There is no passage in force: references and replies only travel in messages.
    NoPassage,
    /// The passage refuses a reference or a reply.
    Refused(&'static str),
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(reason) => f.write_str(reason),
            Self::TooDeep => f.write_str("it has more than 128 levels inside of each other"),
            Self::TooMany => f.write_str("it has more elements in its lists than it has bytes"),
            Self::Panicked => f.write_str("writing or reading the value panicked"),
            Self::OtherMessages => {
                f.write_str("the actor takes other messages than the reference says")
            }
            Self::NoPassage => f.write_str(
                "references and replies can only be written in messages to other theaters",
            ),
            Self::Refused(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for WireError {}
