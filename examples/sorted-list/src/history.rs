//! Recorded histories of the list, as JSON lines for an external linearizability checker.
//!
//! The first line is `{"initial":[..]}`, then one line per operation in the order of the calls. All
//! times come from one clock that begins with the run. A sum takes no argument; its `arg` is 0.

use serde::Serialize;
use std::io::{self, Write};

/// Everything that the requesters of one run saw.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// The integers in the list before the first operation, ascending.
    pub initial: Vec<u32>,
    /// All operations, in the order of their calls.
    pub events: Vec<ListEvent>,
}

/// One operation, from its call to its return.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListEvent {
    /// Number of the requester.
    pub client: usize,
    /// What it asked.
    pub op: Operation,
    /// About which value; 0 for a sum.
    pub arg: u32,
    /// What it was told.
    pub result: OperationOutcome,
    /// When it asked.
    pub call_ns: u64,
    /// When it was told.
    pub return_ns: u64,
}

/// What a requester can ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// Put a value in: was it absent?
    Insert,
    /// Take a value out: was it there?
    Remove,
    /// Is a value there?
    Lookup,
    /// What do all values add up to?
    Sum,
}

/// `true`, `false` or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum OperationOutcome {
    /// The answer to everything but a sum.
    Whether(bool),
    /// The answer to a sum.
    Sum(i64),
}

#[derive(Serialize)]
struct Initial<'a> {
    initial: &'a [u32],
}

impl History {
    /// Writes the JSON lines.
    pub fn write(&self, mut to: impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut to, &Initial { initial: &self.initial })?;
        writeln!(to)?;
        for event in &self.events {
            serde_json::to_writer(&mut to, event)?;
            writeln!(to)?;
        }
        to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_documented_shape() {
        let event =
            |op, arg, result| ListEvent { client: 0, op, arg, result, call_ns: 1, return_ns: 2 };
        let history = History {
            initial: vec![3, 5],
            events: vec![
                event(Operation::Insert, 7, OperationOutcome::Whether(true)),
                event(Operation::Sum, 0, OperationOutcome::Sum(15)),
            ],
        };
        let mut text = Vec::new();
        history.write(&mut text).expect("memory takes everything");
        let expected = concat!(
            "{\"initial\":[3,5]}\n",
            "{\"client\":0,\"op\":\"insert\",\"arg\":7,\"result\":true,\"call_ns\":1,\"return_ns\":2}\n",
            "{\"client\":0,\"op\":\"sum\",\"arg\":0,\"result\":15,\"call_ns\":1,\"return_ns\":2}\n",
        );
        assert_eq!(String::from_utf8(text).expect("JSON is UTF-8"), expected);
    }
}
