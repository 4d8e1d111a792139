//! What it takes to open a ledger again: from its log alone, and from a snapshot.

use crate::HotLoad;
use crate::load::BALANCE;
use crate::running::{NAME, open};
use odeon::durable::{SpawnDurable, Store};
use odeon::prelude::*;
use odeon_bench::error::BenchError;
use odeon_bench::memory::{cpu_time_ns, peak_rss_kib, reset_peak_rss, rss_kib};
use odeon_example_ledger::{Books, ToLedger, TransferLedger};
use odeon_example_run::{runtime, theater_with};
use odeon_log::{DirectoryStorage, Found, LogReader};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// TUNE: s, guessed 2026-11: a snapshot of a few megabytes takes a fraction of a second.
const PATIENCE: Duration = Duration::from_secs(60);

/// What it took one process to open a ledger that has a log.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RecoveryTook {
    /// Commits that had been logged, those of a snapshot with them.
    pub commits: u64,
    /// How long it took.
    pub seconds: f64,
    /// Processor time of all threads.
    pub cpu_seconds: f64,
    /// Resident memory at its highest, beyond that of the state as the program makes it, in KiB;
    /// nothing where the system does not tell.
    pub beside_state_kib: Option<u64>,
    /// What the ledger has.
    pub books: Books,
}

/// Opens the ledger of this folder, in a process that has done nothing before: what it has used and
/// given back would be found again in its memory.
///
/// # Errors
/// If the ledger cannot be opened.
pub fn recover(folder: &Path, accounts: u32) -> Result<RecoveryTook, BenchError> {
    let (theater, store) = (theater_with(1)?, Store::open(folder).map_err(runtime)?);
    let ledger = TransferLedger::new(accounts, BALANCE);
    reset_peak_rss();
    let (state_kib, cpu_before, begun) = (rss_kib(), cpu_time_ns(), Instant::now());
    let ledger = theater.spawn_durable(&store, NAME, ledger, Processing::default());
    let ledger = ledger.map_err(runtime)?;
    let (seconds, cpu_ns) = (begun.elapsed().as_secs_f64(), cpu_time_ns() - cpu_before);
    let beside_state_kib = peak_rss_kib().zip(state_kib).map(|(peak, state)| peak - state);
    let books = ledger.ask(ToLedger::Audit).wait().map_err(runtime)?;
    let commits = ledger.recovered_commits();
    drop(ledger);
    drop(theater.shutdown(PATIENCE));
    Ok(RecoveryTook { commits, seconds, cpu_seconds: cpu_ns as f64 / 1e9, beside_state_kib, books })
}

/// Has the ledger of this folder write a snapshot, so that nothing is behind it.
pub(crate) fn write_snapshot(folder: &Path, load: &HotLoad) -> Result<(), BenchError> {
    let store = Store::open(folder).map_err(runtime)?.snapshot_after(1);
    let theater = theater_with(1)?;
    let ledger = open(&theater, &store, load.accounts)?;
    let begun = Instant::now();
    while !has_snapshot(folder)? {
        if begun.elapsed() > PATIENCE {
            return Err(BenchError::Unfinished { limit: PATIENCE });
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(ledger);
    drop(theater.shutdown(PATIENCE));
    Ok(())
}

fn has_snapshot(folder: &Path) -> Result<bool, BenchError> {
    let mut reader = reader(folder)?;
    Ok(matches!(reader.read_next().map_err(runtime)?, Some(Found::Snapshot(_))))
}

fn reader(folder: &Path) -> Result<LogReader, BenchError> {
    LogReader::open(Arc::new(DirectoryStorage::at(folder.join(NAME)))).map_err(runtime)
}

/// What a log has, of which no snapshot has made a part superfluous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LogSize {
    /// Of all its files.
    pub bytes: u64,
    /// Writes, each with an `fdatasync`.
    pub epochs: u64,
    /// Commits in all of them.
    pub commits: u64,
}

impl LogSize {
    pub(crate) fn of(folder: &Path) -> Result<Self, BenchError> {
        let (mut reader, mut size) = (reader(folder)?, Self::default());
        while let Some(found) = reader.read_next().map_err(runtime)? {
            match found {
                Found::Segment(file) => size.bytes += file.bytes,
                Found::Epoch { records, .. } => {
                    size.epochs += 1;
                    // The first record says which commits follow.
                    size.commits += records.len() as u64 - 1;
                }
                _ => {}
            }
        }
        Ok(size)
    }
}
