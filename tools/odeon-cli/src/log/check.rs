//! Whether a log is damaged, and what is left of it.

use super::{ToolError, count, say_whose};
use crate::output::Terminal;
use odeon_log::{Found, LogReader};
use std::ops::RangeInclusive;

pub(super) fn check(mut reader: LogReader, terminal: &mut Terminal) -> Result<(), ToolError> {
    say_whose(&reader, terminal);
    let mut left: Vec<RangeInclusive<u64>> = Vec::new();
    let mut chunks = 0;
    let mut places = 0;
    loop {
        match reader.read_next() {
            Ok(None) => break,
            Ok(Some(Found::Snapshot(_) | Found::Segment(_))) => {}
            Ok(Some(Found::Chunk { .. })) => chunks += 1,
            Ok(Some(Found::Epoch { epoch, .. })) => match left.last_mut() {
                Some(range) if range.end().checked_add(1) == Some(epoch) => {
                    *range = *range.start()..=epoch;
                }
                _ => left.push(epoch..=epoch),
            },
            Ok(Some(Found::TornEnd(end))) => terminal.print(&end.to_string()),
            Ok(Some(Found::Damage(damage))) => {
                places += 1;
                terminal.print(&damage.to_string());
            }
            // The next call goes on with the next file.
            Err(error) => {
                places += 1;
                terminal.print(&error.to_string());
            }
        }
    }
    let epochs: Vec<_> = left.iter().map(range).collect();
    let epochs = if epochs.is_empty() { "no epoch".to_owned() } else { epochs.join(", ") };
    terminal.print(&format!("readable: {}, {epochs}", count(chunks, "chunk", "chunks")));
    match places {
        0 => {
            terminal.print("nothing is damaged");
            Ok(())
        }
        _ => {
            Err(ToolError::Failed(format!("damaged: see {}", count(places, "line", "lines above"))))
        }
    }
}

fn range(range: &RangeInclusive<u64>) -> String {
    match (range.start(), range.end()) {
        (first, last) if first == last => format!("epoch {first}"),
        (first, last) => format!("epochs {first} to {last}"),
    }
}
