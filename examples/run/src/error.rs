//! Why a run did not end as it should.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Everything that can end a run early.
#[derive(Debug)]
pub enum RunError {
    /// The caller asked for something outside an argument's range.
    BadArgument {
        /// The option as typed.
        argument: String,
        /// What is wrong with it, with the range.
        problem: String,
    },
    /// The end was not signalled within the time limit.
    Unfinished {
        /// The limit.
        limit: Duration,
    },
    /// The run ended with a wrong result.
    WrongResult(String),
    /// A process that takes part in the run has ended.
    Lost(String),
    /// The runtime refused to start or to take a stage or a message.
    Runtime(String),
    /// A file could not be read or written.
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The standard output could not be written.
    Output(std::io::Error),
    /// What else went wrong beside the run, in words: a program could not be built or understood, a
    /// plot not drawn.
    Beside(String),
}

impl RunError {
    /// An argument outside its range; `argument` is the option as typed, for example `--actors`.
    pub fn bad_argument(argument: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::BadArgument { argument: argument.into(), problem: problem.into() }
    }

    /// What the system said of a file.
    pub fn file(path: &Path, source: std::io::Error) -> Self {
        Self::File { path: path.to_owned(), source }
    }

    /// Whether the command line is to blame (the program then ends with exit code 2).
    pub fn is_bad_argument(&self) -> bool {
        matches!(self, Self::BadArgument { .. })
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadArgument { argument, problem } => write!(f, "{argument}: {problem}"),
            Self::Unfinished { limit } => {
                write!(f, "the workload did not finish within {} s", limit.as_secs())
            }
            Self::WrongResult(what) => write!(f, "wrong result: {what}"),
            Self::Lost(what) => write!(f, "a process is lost: {what}"),
            Self::Runtime(what) => write!(f, "the runtime refused: {what}"),
            Self::File { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Output(source) => write!(f, "the standard output: {source}"),
            Self::Beside(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for RunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { source, .. } | Self::Output(source) => Some(source),
            _ => None,
        }
    }
}
