//! How large a log is.

use super::{ToolError, count, say_whose};
use crate::output::Terminal;
use odeon_log::{Found, LogFile, LogReader};

#[derive(Default)]
struct Sizes {
    snapshot: Option<LogFile>,
    chunks: u64,
    chunk_bytes: u64,
    segments: u64,
    segment_bytes: u64,
    epochs: u64,
    records: u64,
    record_bytes: u64,
    largest_epoch: u64,
    damaged: u64,
}

pub(super) fn stat(mut reader: LogReader, terminal: &mut Terminal) -> Result<(), ToolError> {
    say_whose(&reader, terminal);
    let mut sizes = Sizes::default();
    while let Some(found) = reader.read_next().map_err(ToolError::failed)? {
        sizes.add(found);
    }
    sizes.say(terminal);
    Ok(())
}

impl Sizes {
    fn add(&mut self, found: Found<'_>) {
        match found {
            Found::Snapshot(file) => self.snapshot = Some(file),
            Found::Chunk { bytes, .. } => {
                self.chunks += 1;
                self.chunk_bytes += bytes.len() as u64;
            }
            Found::Segment(file) => {
                self.segments += 1;
                self.segment_bytes += file.bytes;
            }
            Found::Epoch { records, .. } => {
                self.epochs += 1;
                self.records += records.len() as u64;
                let bytes = records.map(|record| record.len() as u64).sum();
                self.record_bytes += bytes;
                self.largest_epoch = self.largest_epoch.max(bytes);
            }
            Found::TornEnd(_) => {}
            Found::Damage(_) => self.damaged += 1,
        }
    }

    fn say(&self, terminal: &mut Terminal) {
        match &self.snapshot {
            Some(file) => terminal.print(&format!(
                "snapshot: after epoch {}, {} bytes, of which {} in {}",
                file.epoch,
                file.bytes,
                self.chunk_bytes,
                count(self.chunks, "chunk", "chunks")
            )),
            None => terminal.print("snapshot: none"),
        }
        terminal.print(&format!("segments: {}, {} bytes", self.segments, self.segment_bytes));
        terminal.print(&format!(
            "epochs: {}, the largest of {} bytes",
            self.epochs, self.largest_epoch
        ));
        terminal.print(&format!("records: {}, {} bytes", self.records, self.record_bytes));
        if self.damaged > 0 {
            terminal.print("damaged: `odeon log check` says where");
        }
    }
}
