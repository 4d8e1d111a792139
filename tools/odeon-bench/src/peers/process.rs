//! One child process: a line of JSON in, a line of JSON out.

use super::{Hello, failed};
use crate::error::BenchError;
use crate::parameter::Params;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub(super) struct Process {
    name: String,
    child: Child,
    /// `None` once the end of the requests has been told.
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Process {
    /// Starts the peer and reads its greeting.
    pub(super) fn start(program: &Path, name: &str) -> Result<(Hello, Self), BenchError> {
        let mut child = Command::new(program)
            .arg(name)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| failed(name, format!("could not be started: {error}")))?;
        let requests = child.stdin.take();
        let answers = child.stdout.take().expect("the standard output was asked for");
        let answers = BufReader::new(answers);
        let mut process = Self { name: name.to_owned(), child, requests, answers };
        let hello: Hello = process.answer()?;
        if hello.implementation != name {
            let problem = format!("the program says that it is {}", hello.implementation);
            return Err(failed(name, problem));
        }
        Ok((hello, process))
    }

    /// One request, one answer.
    pub(super) fn ask<T: DeserializeOwned>(
        &mut self,
        workload: &str,
        params: &Params,
    ) -> Result<T, BenchError> {
        #[derive(Serialize)]
        struct PeerRequest<'a> {
            workload: &'a str,
            params: &'a Params,
        }
        let request = serde_json::to_string(&PeerRequest { workload, params });
        let request = request.map_err(|error| failed(&self.name, error))?;
        let pipe = self.requests.as_mut().expect("the pipe is open until the process is dropped");
        let sent = writeln!(pipe, "{request}").and_then(|()| pipe.flush());
        sent.map_err(|error| failed(&self.name, format!("takes no requests: {error}")))?;
        self.answer()
    }

    fn answer<T: DeserializeOwned>(&mut self) -> Result<T, BenchError> {
        let mut line = String::new();
        let read = self.answers.read_line(&mut line);
        let read = read.map_err(|error| failed(&self.name, error))?;
        if read == 0 {
            return Err(failed(&self.name, "ended without an answer"));
        }
        let misread = |error: serde_json::Error| {
            failed(&self.name, format!("answered {:?}: {error}", line.trim()))
        };
        let answer: serde_json::Value = serde_json::from_str(&line).map_err(misread)?;
        if let Some(problem) = answer.get("error") {
            let problem = problem.as_str().map_or_else(|| problem.to_string(), str::to_owned);
            return Err(failed(&self.name, problem));
        }
        serde_json::from_value(answer).map_err(misread)
    }
}

impl Drop for Process {
    /// The end of its input ends a peer; one that is in the middle of a run is not waited for.
    fn drop(&mut self) {
        self.requests = None;
        if std::thread::panicking() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
