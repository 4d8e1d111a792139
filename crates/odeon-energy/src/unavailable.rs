//! Why there is no number.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a figure cannot be told. It says so in a sentence for people, and what can be done about it
/// where something can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable {
    cause: Cause,
    sentence: String,
}

/// What kind of obstacle.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// This machine has no such counter, driver or interface, or does not show it to this program.
    NotThere,
    /// This program may not read it.
    NotPermitted {
        /// The file that it may not read.
        file: PathBuf,
    },
    /// There is a device, but it does not count its energy.
    NotSupported,
    /// Reading has failed, or what was read makes no sense.
    Failed,
    /// The count had to begin anew: what lies between two readings is not known.
    Interrupted,
    /// What was asked for does not fit what was measured.
    NotMeasured,
}

impl Unavailable {
    /// `sentence` says why, and what to do.
    pub fn new(cause: Cause, sentence: impl Into<String>) -> Self {
        Self { cause, sentence: sentence.into() }
    }

    /// What kind of obstacle it is.
    pub fn cause(&self) -> &Cause {
        &self.cause
    }

    /// Why, in a sentence.
    pub fn sentence(&self) -> &str {
        &self.sentence
    }

    /// A file that could not be read; `advice` is for the case that it may not be.
    pub(crate) fn unreadable(file: &Path, error: &io::Error, advice: &str) -> Self {
        let name = file.display();
        match error.kind() {
            io::ErrorKind::PermissionDenied => Self::new(
                Cause::NotPermitted { file: file.to_owned() },
                format!("{name} may not be read by this user: {advice}"),
            ),
            io::ErrorKind::NotFound => Self::new(Cause::NotThere, format!("there is no {name}")),
            _ => Self::new(Cause::Failed, format!("{name} cannot be read: {error}")),
        }
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unavailable: {}", self.sentence)
    }
}

impl Error for Unavailable {}
