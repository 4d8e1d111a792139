//! What can go wrong with names.

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::TheaterId;

/// A name could not be given, or nobody could be found by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum NameError {
    /// An actor of this theater has the name.
    AlreadyRegistered(TheaterId),
    /// Nobody has the name.
    NotFound,
    /// The actor that has the name takes these messages, and not those that were asked for.
    OtherMessages(String),
    /// The actor to be registered has ended.
    Ended,
    /// The theater of the actor to be registered takes no part in names.
    TakesNoPart,
    /// There was no decision in time. A registration may have been made nevertheless; it is taken
    /// back as soon as a server is there.
    Unavailable,
    /// What makes the actor panicked.
    Panicked,
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyRegistered(theater) => {
                write!(f, "an actor of the theater {theater} has the name")
            }
            Self::NotFound => f.write_str("nobody has the name"),
            Self::OtherMessages(messages) => {
                write!(f, "the actor that has the name takes messages of type {messages}")
            }
            Self::Ended => f.write_str("the actor has ended"),
            Self::TakesNoPart => f.write_str("the actor's theater takes no part in names"),
            Self::Unavailable => f.write_str("there was no decision about the name in time"),
            Self::Panicked => f.write_str("what makes the actor panicked"),
        }
    }
}

impl Error for NameError {}
