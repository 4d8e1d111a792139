//! What can go wrong with names.

use std::error::Error;
use std::fmt;

use crate::vocabulary::actor_id::ActorId;

/// A name could not be given: an actor, or a worker pool, has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameTaken {
    pub(super) name: String,
    /// `None`: a worker pool.
    pub(super) by: Option<ActorId>,
}

impl NameTaken {
    pub(crate) fn by_worker_pool(name: &str) -> Self {
        Self { name: name.into(), by: None }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The actor that has it; `None` for the name of a worker pool.
    pub fn by(&self) -> Option<ActorId> {
        self.by
    }
}

impl fmt::Display for NameTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match self.by {
            Some(actor) => write!(f, "the name `{name}` is taken by actor {actor}"),
            None => write!(f, "the name `{name}` is taken by a worker pool"),
        }
    }
}

impl Error for NameTaken {}

/// No actor could be found by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookupError {
    /// Nobody has the name.
    NotFound {
        /// The name that was looked up.
        name: Box<str>,
    },
    /// Somebody has it whose messages are of another type.
    OtherType(OtherType),
}

impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { name } => write!(f, "nobody has the name `{name}`"),
            Self::OtherType(other) => other.fmt(f),
        }
    }
}

impl Error for LookupError {}

impl From<OtherType> for LookupError {
    fn from(other: OtherType) -> Self {
        Self::OtherType(other)
    }
}

/// The actor, group or worker pool of a name has messages of another type than the one asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherType {
    pub(crate) name: Box<str>,
    pub(crate) named: &'static str,
    pub(crate) asked: &'static str,
}

impl OtherType {
    /// The name that was looked up.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The message type of whoever has the name, for people to read.
    pub fn named(&self) -> &'static str {
        self.named
    }

    /// The message type that was asked for, for people to read.
    pub fn asked(&self) -> &'static str {
        self.asked
    }
}

impl fmt::Display for OtherType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, named, asked } = self;
        write!(f, "the name `{name}` stands for messages of type {named}, not {asked}")
    }
}

impl Error for OtherType {}
