//! A server of somebody else, for one run. It never outlives the process that has started it,
//! whatever that ends by.

use crate::StopFlag;
use odeon_bench::error::BenchError;
use odeon_example_run::runtime;
use std::fs::File;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// TUNE: s, guessed 2026-11: a server is ready after a second, and after some more where it has
/// first to read what a killed one has left.
const UNTIL_READY: Duration = Duration::from_secs(60);

/// TUNE: s, guessed 2026-11: one that is told to end at once takes some 0.1 s.
const UNTIL_ENDED: Duration = Duration::from_secs(10);

/// TUNE: ms, guessed 2026-11: short beside what a server takes to be ready.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// Becomes the server, and leaves a process beside it that waits for the end of the standard
/// input and sends the server a signal then. WHY by a shell: what the system has for it
/// (`PR_SET_PDEATHSIG`) can only be asked for by unsafe code. WHY again and again: who has just
/// begun may not listen to the signal yet. Five seconds are enough for that.
const BESIDE_A_LIFELINE: &str = r#"exec 3<&0; signal=$1; shift
(read -r _ <&3
 for again in 1 2 3 4 5 6 7 8 9 10; do kill -s "$signal" $$ || exit; sleep 0.5; done 2>/dev/null) &
exec "$@" 3<&- </dev/null"#;

/// See the module. It ends, without time to write anything, when this is dropped.
pub(super) struct ServerProcess {
    name: &'static str,
    process: Child,
    /// The server's life: it ends when this is closed.
    lifeline: Option<ChildStdin>,
    /// What it has said.
    said: PathBuf,
}

impl ServerProcess {
    /// Starts a server in a folder, where `signal` ends it at once. `by` gives the command that
    /// starts it to another user, if that is necessary.
    pub(super) fn start(
        name: &'static str,
        signal: &str,
        folder: &Path,
        server: &Command,
        by: impl FnOnce(&mut Command),
    ) -> Result<Self, BenchError> {
        let said = folder.join("said");
        let output = File::options().create(true).append(true).open(&said).map_err(runtime)?;
        let errors = output.try_clone().map_err(runtime)?;
        let mut command = Command::new("sh");
        command.args(["-c", BESIDE_A_LIFELINE, "sh", signal]).arg(server.get_program());
        command.args(server.get_args()).current_dir(folder);
        command.stdin(Stdio::piped()).stdout(output).stderr(errors);
        by(&mut command);
        let mut process = command.spawn().map_err(runtime)?;
        let lifeline = process.stdin.take();
        Ok(Self { name, process, lifeline, said })
    }

    /// Waits until something succeeds.
    pub(super) fn until_ready(
        &mut self,
        stop: &StopFlag,
        mut is_ready: impl FnMut() -> bool,
    ) -> Result<(), BenchError> {
        let begun = Instant::now();
        while !is_ready() {
            stop.check()?;
            if let Some(status) = self.process.try_wait().map_err(runtime)? {
                let last = last_line(&self.said);
                return Err(BenchError::Lost(format!("{} ended, {status}: {last}", self.name)));
            }
            if begun.elapsed() > UNTIL_READY {
                return Err(BenchError::Unfinished { limit: UNTIL_READY });
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
        Ok(())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.lifeline = None;
        let begun = Instant::now();
        while matches!(self.process.try_wait(), Ok(None)) {
            if begun.elapsed() > UNTIL_ENDED {
                // An error means that it has ended.
                let _ = self.process.kill();
                let _ = self.process.wait();
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Of a file, if it can be read.
fn last_line(file: &Path) -> String {
    let text = std::fs::read(file).unwrap_or_default();
    String::from_utf8_lossy(&text).trim_end().lines().next_back().unwrap_or_default().to_owned()
}

/// What a program writes, if it ends well; otherwise the last thing it complains of.
pub(super) fn said_by(command: &mut Command) -> Result<String, BenchError> {
    let output = command.stdin(Stdio::null()).output().map_err(runtime)?;
    let [said, complaint] = [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).trim().to_owned());
    if output.status.success() {
        return Ok(said);
    }
    let program = command.get_program().to_string_lossy();
    let last = complaint.lines().next_back().unwrap_or_default();
    Err(BenchError::Lost(format!("{program}, {}: {last}", output.status)))
}

/// One that nobody had a moment ago.
pub(super) fn free_address() -> Result<SocketAddr, BenchError> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(runtime)?;
    listener.local_addr().map_err(runtime)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::in_a_folder;

    fn start(folder: &Path, script: &str) -> Result<ServerProcess, BenchError> {
        let mut server = Command::new("sh");
        server.args(["-c", script, "server", "a word", "$another"]);
        ServerProcess::start("a server", "KILL", folder, &server, |_| {})
    }

    #[test]
    fn a_server_ends_with_its_lifeline_and_before_that_only_by_itself() {
        let done = in_a_folder(&std::env::temp_dir(), |folder| {
            let said = folder.join("said");
            let mut server = start(folder, "echo $# $1 $2 $$; exec sleep 600")?;
            let has_said = || last_line(&said).starts_with("2 a word $another");
            server.until_ready(&StopFlag::default(), has_said)?;
            let process = server.process.id();
            assert!(last_line(&said).ends_with(&format!(" {process}")), "it is the shell");
            drop(server.lifeline.take());
            let status = server.process.wait().map_err(runtime)?;
            assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));

            let mut server = start(folder, "echo no such option >&2; exit 3")?;
            let problem = server.until_ready(&StopFlag::default(), || false);
            let problem = problem.expect_err("it has ended").to_string();
            assert!(problem.contains("a server ended") && problem.contains("no such option"));

            let stop = StopFlag::default();
            stop.raise();
            let stopped = start(folder, "exec sleep 600")?.until_ready(&stop, || false);
            assert_eq!(stopped.expect_err("it is told to").to_string(), "interrupted");
            Ok(())
        });
        done.expect("there is a shell");
    }

    #[test]
    fn the_last_thing_that_a_program_complains_of_is_told() {
        let shell = |script| said_by(Command::new("sh").args(["-c", script]));
        assert_eq!(shell("echo yes").expect("it ends well"), "yes");
        let problem = shell("echo first >&2; echo last >&2; exit 1").expect_err("it does not");
        assert!(problem.to_string().ends_with(": last"), "{problem}");
    }
}
