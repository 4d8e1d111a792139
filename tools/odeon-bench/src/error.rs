//! Why a measurement could not be made.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Everything that can end a measurement early.
#[derive(Debug)]
pub enum BenchError {
    /// The caller asked for something outside an argument's range.
    BadArgument {
        /// The option as typed.
        argument: String,
        /// What is wrong with it, with the range.
        problem: String,
    },
    /// A workload did not signal its end within the time limit of a sample.
    Unfinished {
        /// The limit.
        limit: Duration,
    },
    /// A workload ended with a wrong result.
    WrongResult(String),
    /// A process that takes part in a run has ended.
    Lost(String),
    /// The runtime under measurement refused to start or to take a stage or a message.
    Runtime(String),
    /// A peer could not be built, started or understood, or reported an error.
    Peer {
        /// Its name.
        peer: String,
        /// What went wrong.
        problem: String,
    },
    /// A file could not be read or written.
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The standard output could not be written.
    Output(std::io::Error),
    /// A plot could not be drawn.
    Plot(String),
}

impl BenchError {
    /// An argument outside its range; `argument` is the option as typed, for example `--actors`.
    pub fn bad_argument(argument: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::BadArgument { argument: argument.into(), problem: problem.into() }
    }

    pub(crate) fn peer(peer: &str, problem: impl fmt::Display) -> Self {
        Self::Peer { peer: peer.to_owned(), problem: problem.to_string() }
    }

    pub(crate) fn file(path: &Path, source: std::io::Error) -> Self {
        Self::File { path: path.to_owned(), source }
    }

    /// Whether the command line is to blame (the program then ends with exit code 2).
    pub fn is_bad_argument(&self) -> bool {
        matches!(self, Self::BadArgument { .. })
    }
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadArgument { argument, problem } => write!(f, "{argument}: {problem}"),
            Self::Unfinished { limit } => {
                write!(f, "the workload did not finish within {} s", limit.as_secs())
            }
            Self::WrongResult(what) => write!(f, "wrong result: {what}"),
            Self::Lost(what) => write!(f, "a process is lost: {what}"),
            Self::Runtime(what) => write!(f, "the runtime refused: {what}"),
            Self::Peer { peer, problem } => write!(f, "peer {peer}: {problem}"),
            Self::File { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Output(source) => write!(f, "the standard output: {source}"),
            Self::Plot(what) => write!(f, "the plot could not be drawn: {what}"),
        }
    }
}

impl std::error::Error for BenchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { source, .. } | Self::Output(source) => Some(source),
            _ => None,
        }
    }
}
