//! Why another theater gives no reference.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why there is no reference to an actor of another theater.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum RemoteError {
    /// No actor is published there under this name.
    NotFound,
    /// No kind of actor is registered there under this name.
    UnknownKind,
    /// The actor there takes these messages, and not those that were asked for.
    OtherMessages(String),
    /// The arguments cannot be read there.
    Arguments(String),
    /// What makes the actor panicked.
    Panicked,
    /// The theater has been [drained](crate::Network::drain), or is being: no actor is created
    /// there.
    Drained,
    /// Another version of the kind is registered there.
    OtherVersion {
        /// Which one.
        here: u32,
    },
    /// The theater does not create this actor: why, what makes actors of this kind says.
    Refused(String),
}

impl RemoteError {
    /// Whether nobody has read the arguments.
    pub(in crate::network) fn is_found_before_the_arguments(&self) -> bool {
        matches!(
            self,
            Self::UnknownKind | Self::OtherVersion { .. } | Self::OtherMessages(_) | Self::Drained
        )
    }
}

impl fmt::Display for RemoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("no actor is published there under this name"),
            Self::UnknownKind => {
                f.write_str("no kind of actor is registered there under this name")
            }
            Self::OtherMessages(messages) => {
                write!(f, "the actor there takes messages of type {messages}")
            }
            Self::Arguments(reason) => write!(f, "the arguments cannot be read there: {reason}"),
            Self::Panicked => f.write_str("what makes the actor panicked"),
            Self::Drained => f.write_str("the theater is being drained, and creates no actor"),
            Self::OtherVersion { here } => {
                write!(f, "version {here} of the kind is registered there")
            }
            Self::Refused(why) => write!(f, "the theater does not create it: {why}"),
        }
    }
}

impl std::error::Error for RemoteError {}
