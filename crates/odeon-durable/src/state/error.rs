//! What can go wrong when a state is made again from a log.

use crate::state::path::StatePath;
use std::error::Error;
use std::fmt;

/// Why a state could not be made again. It has all changes before this one.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RestoreError {
    /// The log has a name that leads to no variable of the state.
    UnknownName(UnknownName),
    /// What the log has is no change of the variable of that name. Its type has changed, and its
    /// field's number has not; which is not noticed if the bytes happen to be a value of both.
    NoChange(StatePath),
    /// The log goes on with a field as it was before it had another type, behind changes that were
    /// made after that.
    AlreadyConverted(StatePath),
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownName(unknown) => unknown.fmt(f),
            Self::NoChange(path) => write!(
                f,
                "{path}: the bytes in the log are no change of such a variable; a field that has another type \
                 needs another number, and `was(..)` says what it was"
            ),
            Self::AlreadyConverted(path) => write!(
                f,
                "{path}: an older program has gone on with the log of a newer one, which had converted this \
                 field"
            ),
        }
    }
}

impl Error for RestoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::UnknownName(unknown) => Some(unknown),
            Self::NoChange(_) | Self::AlreadyConverted(_) => None,
        }
    }
}

impl From<UnknownName> for RestoreError {
    fn from(unknown: UnknownName) -> Self {
        Self::UnknownName(unknown)
    }
}

/// A name that leads to no variable of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownName {
    /// How far it leads, and the whole name.
    pub path: StatePath,
    /// What is wrong there.
    pub problem: NameProblem,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.problem)
    }
}

impl Error for UnknownName {}

/// Why a name leads to no variable.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NameProblem {
    /// The struct has no field of this number.
    NoField {
        /// The number.
        number: u32,
        /// The struct.
        of: &'static str,
    },
    /// The array is shorter.
    NoPlace {
        /// The place that is not there.
        place: u32,
        /// How many there are.
        places: usize,
    },
    /// There is a `None`.
    Nothing,
    /// It ends at a struct or an array.
    NoVariable,
    /// It goes on behind a variable.
    BehindVariable,
}

impl fmt::Display for NameProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoField { number, of } => write!(
                f,
                "`{of}` has no field {number}; if it was removed, write `#[durable(removed({number}))]` on the \
                 type; if it has another type, `was({number}, ..)` at the field that came for it; otherwise a \
                 newer program has written this log"
            ),
            Self::NoPlace { place, places } => write!(
                f,
                "the log has place {place}, and the array has {places}; make the state with at least {} places",
                u64::from(*place) + 1
            ),
            Self::Nothing => f.write_str("the log has something in it, and here it is a `None`"),
            Self::NoVariable => f.write_str("the name in the log ends here, where no variable is"),
            Self::BehindVariable => f.write_str(
                "the name in the log goes on behind a variable; the field's type has changed",
            ),
        }
    }
}
