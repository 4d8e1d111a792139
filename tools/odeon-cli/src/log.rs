//! `odeon log`: what the log of durable actors has.
//!
//! | question | file |
//! |---|---|
//! | what is in it? | `log/show.rs` |
//! | is it damaged, and what is left? | `log/check.rs` |
//! | how large is it? | `log/stat.rs` |

mod check;
mod show;
mod stat;

use crate::output::Terminal;
use clap::{Args, Subcommand};
use odeon_log::{DirectoryStorage, LogReader};
use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Args)]
pub(crate) struct LogArguments {
    #[command(subcommand)]
    command: LogCommand,
}

#[derive(Subcommand)]
enum LogCommand {
    /// List its files, epochs and records.
    Show {
        #[command(flatten)]
        place: LogPlace,
        /// How many bytes of each record and chunk are shown.
        #[arg(long, value_name = "N", default_value = "16")]
        bytes: usize,
    },
    /// Read all of it, and say what is damaged and what is left.
    Check(LogPlace),
    /// Say how large it is, and how many epochs and records it has.
    Stat(LogPlace),
}

#[derive(Args)]
struct LogPlace {
    /// The folder of the log.
    #[arg(value_name = "PATH")]
    path: PathBuf,
}

/// Why a command has not done what it should.
#[derive(Debug)]
pub(crate) enum ToolError {
    /// This folder has no log.
    NoLog { path: PathBuf, problem: &'static str },
    /// It has not worked, or the log is damaged.
    Failed(String),
}

impl ToolError {
    fn failed(what: impl Display) -> Self {
        Self::Failed(what.to_string())
    }

    pub(crate) fn is_bad_argument(&self) -> bool {
        matches!(self, Self::NoLog { .. })
    }
}

impl Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLog { path, problem } => write!(f, "{}: {problem}", path.display()),
            Self::Failed(what) => f.write_str(what),
        }
    }
}

pub(crate) fn run(arguments: &LogArguments) -> Result<(), ToolError> {
    let mut terminal = Terminal::default();
    let done = match &arguments.command {
        LogCommand::Show { place, bytes } => show::show(open(&place.path)?, *bytes, &mut terminal),
        LogCommand::Check(place) => check::check(open(&place.path)?, &mut terminal),
        LogCommand::Stat(place) => stat::stat(open(&place.path)?, &mut terminal),
    };
    done.and(terminal.finish().map_err(ToolError::failed))
}

fn open(path: &Path) -> Result<LogReader, ToolError> {
    let no_log = |problem| Err(ToolError::NoLog { path: path.to_owned(), problem });
    if !path.is_dir() {
        return no_log(if path.exists() { "not a folder" } else { "no such folder" });
    }
    let reader =
        LogReader::open(Arc::new(DirectoryStorage::at(path))).map_err(ToolError::failed)?;
    if reader.is_empty() { no_log("no log is in this folder") } else { Ok(reader) }
}

/// Says of which log and which files that count for nothing.
fn say_whose(reader: &LogReader, terminal: &mut Terminal) {
    match reader.id() {
        Some(id) => terminal.print(&format!("log {id}")),
        None => terminal.print("log of an unknown id: no header of a file is readable"),
    }
    for name in reader.leftovers() {
        terminal.print(&format!("{name}: counts for nothing, and goes when the log is opened"));
    }
}

/// A number of things, with a word for one and for several of them.
fn count(number: u64, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}
