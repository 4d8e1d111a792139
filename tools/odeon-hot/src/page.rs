//! The page with what was measured.

use crate::outcome::HotOutcome;
use crate::report;
use odeon_bench::environment::Machine;
use odeon_bench::error::BenchError;
use std::path::Path;

const HEAD: &str = "# The hot durable account

One ledger is one actor. Clients transfer between its accounts; each transfer is 64 bytes: two
accounts, an amount, and a memo of 48 bytes, which the account that gives keeps. `durable`: a
transfer is acknowledged when it is on the disk. `volatile`: the same actor without a log. Clients
are actors of the same process; each has a window of transfers that are not acknowledged, and times
each from its sending to its acknowledgement. After each run of a durable ledger it is opened again,
and must have every transfer. `odeon bench hot --page docs/hot.md` writes this page.

";

const MEASURED: &str = "## Measured

Medians of all samples, taken in turn. `CPU ns`: processor time of all threads for a transfer, the
clients' part included.

";

const PROMISED: &str = "
## Promised

";

const LOGS: &str = "
## The log

Of one run each that writes no snapshot: an epoch is one write with one `fdatasync`.

";

const RECOVERY: &str = "
## Recovery

The same log, opened by a process that has done nothing before, and again after a snapshot was
written. `beside the state`: how far the resident memory rises above that of the ledger as the
program makes it.

";

/// Where not all loads have few transfers under way.
const QUEUES: &str = "
By Little's law the latency of a load with thousands under way is their number over its throughput,
whatever the disk does. So what is promised of latencies is judged where few are under way.
";

/// Writes the page, with what was measured otherwise in sections at its end.
///
/// # Errors
/// If the file cannot be written.
pub fn write(
    path: &Path,
    outcome: &HotOutcome,
    sections: &str,
    machine: &Machine,
) -> Result<(), BenchError> {
    let text = text(outcome, machine) + sections;
    std::fs::write(path, text).map_err(|error| BenchError::file(path, error))
}

fn text(outcome: &HotOutcome, machine: &Machine) -> String {
    let commit = machine.commit.as_deref().unwrap_or("unknown");
    let mut text = format!("{HEAD}On {}; commit {commit}.\n\n", machine.line());
    text += MEASURED;
    text += &report::measured(outcome).to_markdown();
    text += &format!(
        "\n{}; {} workers; {}.\n",
        report::loads(&outcome.loads()).join("; "),
        outcome.workers,
        report::disk(outcome)
    );
    if outcome.loads().iter().any(|load| !load.is_few()) {
        text += QUEUES;
    }
    text += PROMISED;
    text += &report::promises(outcome).to_markdown();
    if !outcome.logs.is_empty() {
        text += LOGS;
        text += &report::logs(outcome).to_markdown();
        text += RECOVERY;
        text += &report::recoveries(outcome).to_markdown();
    }
    text
}
