//! What becomes of a migration.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// An actor has moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Migrated {
    /// For how long the actor has handled nothing: from when it was written until it sat in the
    /// other theater, of which the last way, which is half of the time until that was known, is
    /// estimated. Zero if it was there already.
    pub pause: Duration,
    /// How many bytes its state came to.
    pub bytes: u64,
}

/// Why an actor has not moved: but for [`Lost`](Self::Lost) and [`Stopped`](Self::Stopped) it stays
/// where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum MigrateError {
    /// The actor was not created as a [mobile](crate::Network::spawn_mobile) one.
    NotMobile,
    /// The theater has not registered the actor's kind
    /// ([`Network::register_mobile`](crate::Network::register_mobile)).
    UnknownKind,
    /// The theater knows the kind by other messages.
    OtherKind,
    /// The theater knows the kind by another version.
    OtherVersion,
    /// The state cannot be written here, or read there.
    State(String),
    /// Something that belongs to the actor cannot move with it.
    Bound(String),
    /// The theater has been lost, or leaves, or this one does.
    Unreachable,
    /// The theater has been lost after the actor was let go, and the actor with it, as far as one
    /// can know here. If both theaters live the actor lives there, and is where it was to be at the
    /// latest when they meet again within ten minutes.
    Lost,
    /// The theater has been [drained](crate::Network::drain), or is being.
    Drained,
    /// The actor does not sit in the theater that was asked.
    NotHere,
    /// The reference leads to nobody: the actor has ended, or its theater or this one has been
    /// lost, has left, or has been stopped.
    Stopped,
    /// The theater knows the kind's state, or its messages, by another layout: which type that is.
    OtherLayout(String),
}

impl fmt::Display for MigrateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotMobile => f.write_str("the actor is not mobile"),
            Self::UnknownKind => f.write_str("the theater has not registered the actor's kind"),
            Self::OtherKind => f.write_str("the theater knows the actor's kind by other messages"),
            Self::OtherVersion => {
                f.write_str("the theater knows another version of the actor's kind")
            }
            Self::State(reason) => write!(f, "the actor's state cannot travel: {reason}"),
            Self::Bound(reason) => write!(f, "the actor cannot leave: {reason}"),
            Self::Unreachable => f.write_str("the theater cannot be reached"),
            Self::Drained => f.write_str("the theater is being drained, and takes in no actor"),
            Self::NotHere => f.write_str("the actor does not sit in this theater"),
            Self::OtherLayout(name) => {
                write!(f, "the type {name} has another layout in the other theater")
            }
            Self::Stopped => {
                f.write_str("the actor has ended, or its theater or this one has stopped")
            }
            Self::Lost => f.write_str("the theater has been lost, and the actor with it"),
        }
    }
}

impl std::error::Error for MigrateError {}
