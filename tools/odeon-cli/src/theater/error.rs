//! Why a command for theaters has not done what it should.

use std::fmt;

/// See the module.
#[derive(Debug)]
pub(crate) enum TheaterError {
    /// The command line is to blame: this argument.
    Argument { argument: String, problem: String },
    /// It has not worked.
    Failed(String),
}

impl TheaterError {
    pub(super) fn argument(argument: &str, problem: impl Into<String>) -> Self {
        Self::Argument { argument: argument.into(), problem: problem.into() }
    }

    pub(super) fn failed(what: impl fmt::Display) -> Self {
        Self::Failed(what.to_string())
    }

    pub(crate) fn is_bad_argument(&self) -> bool {
        matches!(self, Self::Argument { .. })
    }
}

impl fmt::Display for TheaterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument { argument, problem } => write!(f, "{argument}: {problem}"),
            Self::Failed(what) => f.write_str(what),
        }
    }
}
