//! A part of a run in a process of its own: this program, started with a hidden subcommand.
//!
//! It says one line when it is ready, and ends when its input does; so it never outlives the
//! process that has started it.

use crate::RunError;
use crate::runtime;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// TUNE: s, guessed 2026-11: one is ready after some 0.1 s, on a loaded machine after some seconds.
const UNTIL_READY: Duration = Duration::from_secs(30);
/// TUNE: s, guessed 2026-11: closing a session takes milliseconds.
const UNTIL_ENDED: Duration = Duration::from_secs(3);

const READY: &str = "ready ";
const REFUSED: &str = "refused ";

/// Does in this process what `told`, the argument of the subcommand, says, until the standard input
/// ends. What `begin` answers is dropped then; the text beside it is for the process that has
/// started this one.
///
/// # Errors
/// If it cannot be read or begun. The standard output says so too.
pub fn run<T: DeserializeOwned, W>(
    subcommand: &str,
    told: &str,
    begin: impl FnOnce(&T) -> Result<(W, String), RunError>,
) -> Result<(), RunError> {
    let begun: Result<(W, String), RunError> = serde_json::from_str(told)
        .map_err(|error| RunError::bad_argument(subcommand, error.to_string()))
        .and_then(|told: T| begin(&told));
    match &begun {
        Ok((_, text)) => say(READY, text)?,
        Err(error) => say(REFUSED, &error.to_string())?,
    }
    let (working, _) = begun?;
    // An error means that nobody is there any more, as the end does.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    std::thread::spawn(|| {
        std::thread::sleep(UNTIL_ENDED);
        std::process::exit(0);
    });
    drop(working);
    Ok(())
}

fn say(what: &str, more: &str) -> Result<(), RunError> {
    let mut output = std::io::stdout();
    let line = format!("{what}{}", more.replace('\n', " "));
    writeln!(output, "{line}").and_then(|()| output.flush()).map_err(RunError::Output)
}

/// See the module. It is ended when this is dropped.
pub struct ChildProcess {
    /// For people.
    name: String,
    subcommand: &'static str,
    child: Child,
    /// Its life: it ends when this is closed.
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl ChildProcess {
    /// Starts one and does not wait for it.
    pub fn start(
        name: String,
        subcommand: &'static str,
        told: &impl Serialize,
    ) -> Result<Self, RunError> {
        let refused = |what: &dyn std::fmt::Display| runtime(format!("{name}: {what}"));
        let told = serde_json::to_string(told).map_err(|error| refused(&error))?;
        let program = std::env::current_exe().map_err(|error| refused(&error))?;
        let mut command = Command::new(program);
        command.arg(subcommand).arg(told).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| refused(&error))?;
        let input = child.stdin.take();
        let (tell, lines) = channel();
        let output = child.stdout.take().expect("the standard output was asked for");
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            // WHY to the end: a process whose output nobody reads would stand still.
            lines.for_each(|line| _ = tell.send(line));
        });
        Ok(Self { name, subcommand, child, input, lines })
    }

    /// Waits until it is ready, and answers what it says then.
    pub fn ready(&mut self) -> Result<String, RunError> {
        let problem = match self.lines.recv_timeout(UNTIL_READY) {
            Ok(line) => match (line.strip_prefix(READY), line.strip_prefix(REFUSED)) {
                (Some(text), _) => return Ok(text.to_owned()),
                (None, Some(reason)) => reason.to_owned(),
                (None, None) => {
                    format!("is no program that knows `{}`: {line:?}", self.subcommand)
                }
            },
            Err(RecvTimeoutError::Timeout) => {
                format!("is not ready after {} s", UNTIL_READY.as_secs())
            }
            Err(RecvTimeoutError::Disconnected) => "ended before it was ready".to_owned(),
        };
        Err(runtime(format!("{}: {problem}", self.name)))
    }

    /// Ends it at once, without time to write anything.
    pub fn kill(&mut self) {
        // An error means that it has ended.
        let _ = self.child.kill();
    }

    /// An error once it has ended.
    pub fn check(&mut self) -> Result<(), RunError> {
        match self.child.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(status)) => Err(RunError::Lost(format!("{} ended: {status}", self.name))),
            Err(error) => Err(runtime(format!("{}: {error}", self.name))),
        }
    }
}

impl Drop for ChildProcess {
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
