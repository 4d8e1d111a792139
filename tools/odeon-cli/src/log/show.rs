//! Files, epochs and records, a line each.

use super::{ToolError, count, say_whose};
use crate::output::Terminal;
use odeon_log::{Found, LogReader};
use std::fmt::Write;

pub(super) fn show(
    mut reader: LogReader,
    shown: usize,
    terminal: &mut Terminal,
) -> Result<(), ToolError> {
    say_whose(&reader, terminal);
    while let Some(found) = reader.read_next().map_err(ToolError::failed)? {
        match found {
            Found::Snapshot(file) => {
                let bytes = count(file.bytes, "byte", "bytes");
                terminal.print(&format!(
                    "{}: {bytes}, the state after epoch {}",
                    file.name, file.epoch
                ));
            }
            Found::Segment(file) => {
                let bytes = count(file.bytes, "byte", "bytes");
                terminal.print(&format!("{}: {bytes}, epochs from {} on", file.name, file.epoch));
            }
            Found::Chunk { offset, bytes } => {
                terminal.print(&format!("  chunk at byte {offset}: {}", beginning(bytes, shown)));
            }
            Found::Epoch { epoch, offset, records } => {
                let number = count(records.len() as u64, "record", "records");
                terminal.print(&format!("  epoch {epoch} at byte {offset}: {number}"));
                for record in records {
                    terminal.print(&format!("    {}", beginning(record, shown)));
                }
            }
            Found::Damage(damage) => terminal.print(&format!("  {damage}")),
            Found::TornEnd(end) => terminal.print(&format!("  {end}")),
        }
    }
    Ok(())
}

/// How long it is, and its first bytes.
fn beginning(bytes: &[u8], shown: usize) -> String {
    let mut text = count(bytes.len() as u64, "byte", "bytes");
    let first = &bytes[..shown.min(bytes.len())];
    for (at, byte) in first.iter().enumerate() {
        let separator = if at == 0 { ":" } else { "" };
        write!(text, "{separator} {byte:02x}").expect("strings take everything");
    }
    if !first.is_empty() && first.len() < bytes.len() {
        text.push_str(" ..");
    }
    text
}
