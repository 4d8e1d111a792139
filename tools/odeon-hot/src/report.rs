//! Tables and sentences, for terminals and pages alike.

use crate::HotLoad;
use crate::outcome::HotOutcome;
use crate::promises::judge;
use crate::recovery::RecoveryTook;
use odeon_bench::statistics::Spread;
use odeon_bench::table::{TextTable, short};

fn milliseconds(nanoseconds: f64) -> String {
    short(nanoseconds / 1e6)
}

/// The ledgers.
pub fn measured(outcome: &HotOutcome) -> TextTable {
    let mut table = TextTable::new([
        "load",
        "ledger",
        "thousand transfers a s",
        "min..max",
        "p50 ms",
        "p99 ms",
        "CPU ns",
        "audits a s",
    ]);
    for point in &outcome.points {
        let Spread { min, median, max } = point.spread(|sample| sample.per_second / 1e3);
        let middle = |of: fn(&crate::HotSample) -> f64| point.spread(of).median;
        table.row([
            point.load.name(),
            point.way.to_string(),
            short(median),
            format!("{}..{}", short(min), short(max)),
            milliseconds(middle(|sample| sample.latency.p50_ns.into())),
            milliseconds(middle(|sample| sample.latency.p99_ns.into())),
            short(middle(|sample| sample.cpu_ns)),
            short(middle(|sample| sample.audits_per_second)),
        ]);
    }
    table
}

/// What is done to the ledger, in words: each once, as they differ in nothing but the accounts that
/// are drawn.
pub fn loads(loads: &[HotLoad]) -> Vec<String> {
    let mut told = Vec::new();
    for HotLoad { accounts, clients, window, transfers, .. } in loads {
        let load = format!(
            "{accounts} accounts, {clients} clients with {window} transfers each under way, \
             {transfers} transfers a run"
        );
        if !told.contains(&load) {
            told.push(load);
        }
    }
    told
}

/// The logs of durable ledgers.
pub fn logs(outcome: &HotOutcome) -> TextTable {
    let mut table =
        TextTable::new(["load", "bytes a transfer", "transfers an epoch", "epochs", "MiB"]);
    for log in &outcome.logs {
        table.row([
            log.load.name(),
            short(log.bytes_a_transfer()),
            short(log.transfers_an_epoch()),
            log.size.epochs.to_string(),
            short(log.size.bytes as f64 / 1024.0 / 1024.0),
        ]);
    }
    table
}

/// What it takes to open a ledger again.
pub fn recoveries(outcome: &HotOutcome) -> TextTable {
    let mut table = TextTable::new([
        "load",
        "from",
        "ms",
        "CPU ms",
        "thousand commits a s",
        "MiB beside the state",
    ]);
    for log in &outcome.logs {
        let mut row = |from: &str, took: &RecoveryTook, per_second: String| {
            let beside = took.beside_state_kib.map(|kib| short(kib as f64 / 1024.0));
            table.row([
                log.load.name(),
                from.to_owned(),
                short(took.seconds * 1e3),
                short(took.cpu_seconds * 1e3),
                per_second,
                beside.unwrap_or_default(),
            ]);
        };
        let commits = log.size.commits as f64;
        row("the log alone", &log.from_log, short(commits / log.from_log.seconds / 1e3));
        row("a snapshot", &log.from_snapshot, String::new());
    }
    table
}

/// What the disk does by itself.
pub fn disk(outcome: &HotOutcome) -> String {
    let Some(disk) = outcome.median_disk() else { return "the disk was not looked at".to_owned() };
    let on = outcome.file_system.as_deref().unwrap_or("a file system that is not known");
    format!(
        "the disk, {on}: an fdatasync of 64 KiB takes {} ms, at p99 {} ms; in sequence it writes {} \
         MiB a second",
        milliseconds(disk.sync.p50_ns.into()),
        milliseconds(disk.sync.p99_ns.into()),
        short(disk.bytes_per_second / 1024.0 / 1024.0)
    )
}

/// What is promised.
pub fn promises(outcome: &HotOutcome) -> TextTable {
    let mut table = TextTable::new(["load", "promised", "measured", "reached"]);
    for one in judge(outcome) {
        let reached = if one.is_reached { "yes" } else { "no" };
        table.row([one.load, one.promise, one.measured, reached.to_owned()]);
    }
    table
}
