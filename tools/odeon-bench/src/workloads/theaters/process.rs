//! A member in a process of its own: this program, started with the hidden subcommand `member`.
//!
//! It says one line when it is ready, and ends when its input does; so it never outlives the process that has started it.

use super::seat::{Seat, Working};
use crate::error::BenchError;
use crate::theater::runtime;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// TUNE: s, guessed 2026-11: a member is ready after some 0.1 s, on a loaded machine after some seconds.
const UNTIL_READY: Duration = Duration::from_secs(30);
/// TUNE: s, guessed 2026-11: closing a session takes milliseconds.
const UNTIL_ENDED: Duration = Duration::from_secs(3);

const READY: &str = "ready ";
const REFUSED: &str = "refused ";

/// Runs a member until the standard input ends; `seat` is the argument of `odeon member`.
///
/// # Errors
/// If the seat cannot be read or taken. The standard output says so too.
pub fn run_member(seat: &str) -> Result<(), BenchError> {
    let taken: Result<(Seat, Working), BenchError> = serde_json::from_str(seat)
        .map_err(|error| BenchError::bad_argument("member", error.to_string()))
        .and_then(|seat: Seat| seat.take().map(|working| (seat, working)));
    match &taken {
        Ok((_, working)) => say(READY, &working.address)?,
        Err(error) => say(REFUSED, &error.to_string())?,
    }
    let (_, working) = taken?;
    // An error means that nobody is there any more, as the end does.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    std::thread::spawn(|| {
        std::thread::sleep(UNTIL_ENDED);
        std::process::exit(0);
    });
    drop(working);
    Ok(())
}

fn say(what: &str, more: &str) -> Result<(), BenchError> {
    let mut output = std::io::stdout();
    let line = format!("{what}{}", more.replace('\n', " "));
    writeln!(output, "{line}").and_then(|()| output.flush()).map_err(BenchError::Output)
}

/// See the module. It is ended when this is dropped.
pub(super) struct Process {
    number: u64,
    child: Child,
    /// The member's life: it ends when this is closed.
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Process {
    /// Starts a member and does not wait for it.
    pub(super) fn start(seat: &Seat) -> Result<Self, BenchError> {
        let number = seat.number;
        let refused = |what: &dyn std::fmt::Display| runtime(format!("member {number}: {what}"));
        let seat = serde_json::to_string(seat).map_err(|error| refused(&error))?;
        let program = std::env::current_exe().map_err(|error| refused(&error))?;
        let mut command = Command::new(program);
        command.arg("member").arg(seat).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| refused(&error))?;
        let input = child.stdin.take();
        let (tell, lines) = channel();
        let output = child.stdout.take().expect("the standard output was asked for");
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            // WHY to the end: a member whose output nobody reads would stand still.
            lines.for_each(|line| _ = tell.send(line));
        });
        Ok(Self { number, child, input, lines })
    }

    /// Waits until it is ready, and answers where it is reached.
    pub(super) fn ready(&mut self) -> Result<String, BenchError> {
        let problem = match self.lines.recv_timeout(UNTIL_READY) {
            Ok(line) => match (line.strip_prefix(READY), line.strip_prefix(REFUSED)) {
                (Some(address), _) => return Ok(address.to_owned()),
                (None, Some(reason)) => reason.to_owned(),
                (None, None) => format!("is no program that knows `member`: {line:?}"),
            },
            Err(RecvTimeoutError::Timeout) => {
                format!("is not ready after {} s", UNTIL_READY.as_secs())
            }
            Err(RecvTimeoutError::Disconnected) => "ended before it was ready".to_owned(),
        };
        Err(runtime(format!("member {}: {problem}", self.number)))
    }

    /// An error once it has ended.
    pub(super) fn check(&mut self) -> Result<(), BenchError> {
        match self.child.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(status)) => {
                Err(BenchError::WrongResult(format!("member {} ended: {status}", self.number)))
            }
            Err(error) => Err(runtime(format!("member {}: {error}", self.number))),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        let begun = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if begun.elapsed() > 2 * UNTIL_ENDED {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
