//! `odeon bench phases`: how soon an adaptive actor follows a change of its workload.

use super::measuring::at_most;
use crate::output::{self, Terminal};
use crate::progress::RunsProgress;
use clap::Args;
use odeon_bench::environment::Machine;
use odeon_bench::error::BenchError;
use odeon_bench::statistics::Spread;
use odeon_bench::table::{TextTable, short};
use odeon_bench::workloads::phases::{PhaseResult, PhasesPlan};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct PhasesArguments {
    /// Computing of each entry, in ns, 0 to 1000000
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = at_most(0, 1_000_000))]
    handler_ns: usize,
    /// Actors that send, 1 to 10000
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = at_most(1, 10_000))]
    senders: usize,
    /// Entries of all senders in each phase, 8 to 1000000000
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = at_most(8, 1_000_000_000))]
    entries: usize,
    /// Worker threads of the runtime, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = at_most(1, 256))]
    workers: usize,
    /// Per cent of the best fixed mode's throughput that may be missing, 1 to 99
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = at_most(1, 99))]
    within: usize,
    /// Runs of each mode, taken in turn, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = at_most(1, 1000))]
    samples: usize,
    /// Write each phase with every sample as a line of JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// One line of `--json`.
#[derive(Serialize)]
struct PhaseRecord<'a> {
    workload: &'static str,
    params: PhasesParams,
    phase: usize,
    conflict: u64,
    best: &'static str,
    best_ns_per_op: f64,
    adaptive_ns_per_op: f64,
    /// `null` for a run that was never near enough.
    samples_messages: &'a [Option<u64>],
    machine: &'a Machine,
}

#[derive(Serialize, Clone, Copy)]
struct PhasesParams {
    handler_ns: usize,
    senders: usize,
    entries: usize,
    workers: usize,
    within: usize,
}

pub(super) fn run(arguments: &PhasesArguments) -> Result<(), BenchError> {
    let mut json = output::json(arguments.json.as_deref())?;
    let PhasesArguments { handler_ns, senders, entries, workers, within, samples, .. } = *arguments;
    let plan = PhasesPlan {
        handler_ns: handler_ns as u64,
        senders: senders as u64,
        entries: entries as u64,
        workers: workers as u64,
        samples,
        within_percent: within as u64,
    };
    let mut progress = RunsProgress::new(plan.runs());
    let mut done = 0;
    let phases = plan.run(|mode| {
        progress.begin(mode.to_owned(), done);
        done += 1;
    })?;
    drop(progress);

    let machine = Machine::here();
    let mut terminal = Terminal::default();
    terminal.print(&format!("phases of {entries} entries on {}\n", machine.line()));
    terminal.print(&table(&phases, within).to_text());
    if let Some(mut json) = json.take() {
        let params = PhasesParams { handler_ns, senders, entries, workers, within };
        for (phase, found) in phases.iter().enumerate() {
            json.write(&PhaseRecord {
                workload: "phases",
                params,
                phase,
                conflict: found.conflict,
                best: found.best,
                best_ns_per_op: found.best_ns,
                adaptive_ns_per_op: found.adaptive_ns,
                samples_messages: &found.messages,
                machine: &machine,
            })?;
        }
        json.finish()?;
    }
    terminal.finish()
}

fn table(phases: &[PhaseResult], within: usize) -> TextTable {
    let near = format!("messages until within {within} %");
    let headings =
        ["conflict %", "best fixed", "its ns", "adaptive ns", &near, "min..max", "got there"];
    let mut table = TextTable::new(headings);
    for phase in phases {
        let reached = phase.messages.iter().flatten().map(|messages| *messages as f64);
        let reached: Vec<f64> = reached.collect();
        let Spread { min, median, max } = Spread::of(&reached);
        let (median, spread) = if reached.is_empty() {
            ("never".to_owned(), String::new())
        } else {
            (format!("{median:.0}"), format!("{min:.0}..{max:.0}"))
        };
        table.row([
            phase.conflict.to_string(),
            phase.best.to_owned(),
            short(phase.best_ns),
            short(phase.adaptive_ns),
            median,
            spread,
            format!("{} of {}", reached.len(), phase.messages.len()),
        ]);
    }
    table
}
