//! What a member is told, and what it runs.

use super::bare_zenoh::{self, Heard};
use super::place::JoinedTheater;
use super::{MEMBER, tcp};
use crate::error::BenchError;
use odeon_example_run::child_process;
use serde::{Deserialize, Serialize};

/// All that a member has to know, as it stands on its command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seat {
    pub(super) role: Role,
    /// Among the members of the same run; the driving process has 0.
    pub(super) number: u64,
    /// Those of the same run, and nobody else.
    pub(super) cluster: String,
    pub(super) listen: Vec<String>,
    pub(super) connect: Vec<String>,
}

/// What a member does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Role {
    /// A theater that has actors created.
    Theater { workers: usize },
    /// Zenoh alone: counts what comes, of which each part of `stride` bytes is a message.
    ZenohTally { stride: usize },
    /// Zenoh alone: sends back what comes.
    ZenohEcho,
    /// A TCP socket: sends back what comes.
    TcpEcho,
}

/// A member at work, until it is dropped.
pub(super) struct Working {
    _kept: Box<dyn Send>,
    /// Where it is reached, if its seat did not say so.
    pub(super) address: String,
}

impl Seat {
    /// Begins to do what the role says.
    pub(super) fn take(&self) -> Result<Working, BenchError> {
        let mut address = String::new();
        let kept: Box<dyn Send> = match self.role {
            Role::Theater { workers } => Box::new(JoinedTheater::open(self, workers)?),
            Role::ZenohTally { stride } => {
                Box::new(bare_zenoh::answer(self, move || Heard::tally(stride))?)
            }
            Role::ZenohEcho => Box::new(bare_zenoh::answer(self, || Heard::Echo)?),
            Role::TcpEcho => {
                let echo = tcp::Echo::open()?;
                address = echo.address.to_string();
                Box::new(echo)
            }
        };
        Ok(Working { _kept: kept, address })
    }
}

/// Runs a member until the standard input ends; `seat` is the argument of `odeon member`.
///
/// # Errors
/// If the seat cannot be read or taken. The standard output says so too.
pub fn run_member(seat: &str) -> Result<(), BenchError> {
    child_process::run(MEMBER, seat, |seat: &Seat| {
        let working = seat.take()?;
        let address = working.address.clone();
        Ok((working, address))
    })
}
