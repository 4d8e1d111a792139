//! Tests in a process of their own: what they do to it nobody else sees, and it can be killed.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// In the environment of a process that is started for a test: which one.
const NAME: &str = "ODEON_TEST_IN_A_PROCESS";

/// How long a process that was killed may take to end. Drivers keep one for a while.
const AFTER_A_KILL: Duration = Duration::from_secs(60);

/// A process that does one test of this program, whose name it has. It is killed if it has not
/// ended when this is dropped.
///
/// A test that uses it is in a program of its own, not a module of `all`: its name there is that
/// of the function alone.
///
/// ```no_run
/// use odeon_testkit::OwnProcess;
/// use std::time::Duration;
///
/// fn what_nobody_else_should_see() {
///     OwnProcess::run("what_nobody_else_should_see", Duration::from_secs(60), || {
///         // In another process than the other tests.
///     });
/// }
/// ```
#[derive(Debug)]
pub struct OwnProcess {
    child: Child,
    lines: Receiver<String>,
}

impl OwnProcess {
    /// Does `body` in a process of its own, which runs this program again with the test of that
    /// name alone.
    ///
    /// # Panics
    /// If the test fails there, or takes longer than `limit`.
    #[track_caller]
    pub fn run(test: &str, limit: Duration, body: impl FnOnce()) {
        if Self::is_of(test) {
            return body();
        }
        let mut process = Self::start(test);
        let status = process.end(limit);
        assert!(status.is_some(), "{test}: not done after {limit:?}");
        assert!(status.is_some_and(|status| status.success()), "{test}: {status:?}");
    }

    /// Whether this process was started for that test.
    pub fn is_of(test: &str) -> bool {
        env::var_os(NAME).is_some_and(|name| name == test)
    }

    /// Starts one for the test of that name.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn start(test: &str) -> Self {
        let this_program = env::current_exe().expect("a running program has a path");
        Self::start_by(Command::new(this_program), test)
    }

    /// As [`start`](Self::start), by a command that runs this program with the arguments that it
    /// gets.
    ///
    /// # Panics
    /// As [`start`](Self::start).
    pub fn start_by(mut command: Command, test: &str) -> Self {
        let mut child = command
            .args(["--exact", test, "--nocapture", "--test-threads=1"])
            .env(NAME, test)
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program can be started");
        let said = BufReader::new(child.stdout.take().expect("it was asked for"));
        let (tell, lines) = mpsc::channel();
        thread::spawn(move || {
            said.lines().map_while(Result::ok).for_each(|line| _ = tell.send(line));
        });
        Self { child, lines }
    }

    /// Tells a line to the process that has started this one, which gets it by
    /// [`says`](Self::says).
    ///
    /// # Panics
    /// If nobody reads it.
    pub fn tell(line: &str) {
        let mut output = std::io::stdout();
        // The harness has begun a line.
        writeln!(output, "\n{line}").and_then(|()| output.flush()).expect("somebody reads it");
    }

    /// The rest of the next line that has this beginning; nothing if none comes in time.
    pub fn says(&self, beginning: &str, within: Duration) -> Option<String> {
        let until = Instant::now() + within;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).ok()?;
            if let Some(rest) = line.strip_prefix(beginning) {
                return Some(rest.trim().to_owned());
            }
        }
    }

    /// How it has ended; nothing if it has not in time.
    ///
    /// # Panics
    /// If the system does not say.
    pub fn end(&mut self, within: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + within;
        loop {
            let status = self.child.try_wait().expect("it is a process of this one");
            if status.is_some() || Instant::now() >= until {
                return status;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Kills it, and answers how it has ended; nothing if its end takes longer than a minute.
    pub fn kill(&mut self) -> Option<ExitStatus> {
        // An error means that it has ended.
        let _ = self.child.kill();
        self.end(AFTER_A_KILL)
    }
}

impl Drop for OwnProcess {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}
