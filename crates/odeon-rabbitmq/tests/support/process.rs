//! A worker process: the program of the test, started once more.
//!
//! Each test that starts some begins with `if process::is_one() { return process::run(); }`, and
//! starts itself.

use super::job::Does;
use odeon_rabbitmq::{Queue, Serving, Stop, serve};
use std::env;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const URI: &str = "ODEON_TEST_URI";
const QUEUE: &str = "ODEON_TEST_QUEUE";
const AT_ONCE: &str = "ODEON_TEST_AT_ONCE";

/// Whether this process is a worker process of another one's test.
pub fn is_one() -> bool {
    env::var_os(URI).is_some()
}

/// Serves until it is killed, or its broker is gone for long.
pub fn run() {
    let queue = Queue::new(env::var(URI).unwrap(), env::var(QUEUE).unwrap());
    let at_once = env::var(AT_ONCE).unwrap().parse().unwrap();
    // Longer than a broker takes to come back, shorter than one forgets.
    let serving = Serving { patience: Duration::from_secs(90), ..Serving::default() };
    // A worker that has lost its device is made anew.
    while let Err(error) = serve(&queue, &serving, Does { at_once }, &Stop::default()) {
        assert!(error.to_string().contains("pulled out"), "{error}");
    }
}

/// See the module. It is killed when this is dropped.
pub struct WorkerProcess(Child);

impl WorkerProcess {
    /// Starts one. `test` is the name of the test that is running.
    pub fn start(test: &str, queue: &Queue, at_once: usize) -> Self {
        let child = Command::new(env::current_exe().unwrap())
            .args([test, "--nocapture", "--test-threads=1"])
            .env(URI, &queue.uri)
            .env(QUEUE, &queue.name)
            .env(AT_ONCE, at_once.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("the program of the test runs");
        Self(child)
    }

    /// Kills it, as `kill -9` does.
    pub fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        // Errors mean that it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
