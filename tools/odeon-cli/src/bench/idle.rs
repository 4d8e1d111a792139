//! `odeon bench idle`: what idle actors cost.

use super::measuring::{Comparison, at_most};
use crate::output::{self, Terminal};
use crate::progress::RunsProgress;
use clap::Args;
use odeon_bench::environment::Machine;
use odeon_bench::error::BenchError;
use odeon_bench::idle::{self, BytesPerActor};
use odeon_bench::json_lines::JsonLines;
use odeon_bench::parameter::{Params, Value};
use odeon_bench::peers::Peers;
use odeon_bench::statistics::Spread;
use odeon_bench::table::{TextTable, short};
use odeon_bench::workload::WORKERS;
use serde::Serialize;

#[derive(Args)]
pub(super) struct IdleArguments {
    /// Idle actors to measure the memory of, 1 to 10000000
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = at_most(1, 10_000_000))]
    actors: usize,
    /// Idle actors in the theater whose CPU time is measured, 1 to 10000000
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = at_most(1, 10_000_000))]
    cpu_actors: usize,
    /// Seconds to watch that theater, 1 to 3600
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = at_most(1, 3600))]
    seconds: usize,
    /// Worker threads of the runtime, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = at_most(1, 256))]
    workers: usize,
    #[command(flatten)]
    comparison: Comparison,
}

/// One line of `--json`.
#[derive(Serialize)]
struct IdleRecord<'a> {
    workload: &'static str,
    #[serde(rename = "impl")]
    implementation: &'a str,
    impl_version: Option<&'a str>,
    params: IdleParams,
    /// `null` where heap bytes are not counted.
    requested_bytes_per_actor: Option<f64>,
    resident_bytes_per_actor: Option<f64>,
    /// Per cent of one core in each second; peers are not asked.
    samples_cpu_percent: Option<&'a [f64]>,
    machine: &'a Machine,
}

#[derive(Serialize, Clone, Copy)]
struct IdleParams {
    actors: usize,
    cpu_actors: usize,
    workers: usize,
}

pub(super) fn run(arguments: &IdleArguments) -> Result<(), BenchError> {
    let comparison = &arguments.comparison;
    let mut json = output::json(comparison.json.as_deref())?;
    let params =
        Params::defaults(&[WORKERS]).with(WORKERS.name, Value::Number(arguments.workers as u64));
    // WHY first: memory is only visible in a fresh process.
    let bytes = idle::bytes_per_actor(arguments.actors, &params)?;
    let mut progress = RunsProgress::new(arguments.seconds);
    let mut seconds = 0;
    let percents = idle::cpu_percent(arguments.cpu_actors, arguments.seconds, &params, || {
        seconds += 1;
        progress.begin("watching an idle theater".to_owned(), seconds);
    })?;
    drop(progress);

    let machine = Machine::here();
    let mut terminal = Terminal::default();
    terminal.print(&format!("idle on {}\n", machine.line()));
    let mut table =
        TextTable::new(["impl", "bytes requested", "bytes resident", "CPU %", "min..max"]);
    let Spread { min, median, max } = Spread::of(&percents);
    table.row([
        "odeon-pool".to_owned(),
        bytes.requested.map_or_else(String::new, short),
        bytes.resident.map_or_else(String::new, short),
        format!("{median:.3}"),
        format!("{min:.3}..{max:.3}"),
    ]);
    let IdleArguments { actors, cpu_actors, workers, .. } = *arguments;
    let params = IdleParams { actors, cpu_actors, workers };
    let mut record = IdleRecord {
        workload: "idle",
        implementation: "odeon-pool",
        impl_version: None,
        params,
        requested_bytes_per_actor: bytes.requested,
        resident_bytes_per_actor: bytes.resident,
        samples_cpu_percent: Some(&percents),
        machine: &machine,
    };
    if let Some(json) = &mut json {
        json.write(&record)?;
    }
    let peers = Peers::start(&comparison.vs)?;
    for hello in peers.hellos() {
        let name = &hello.implementation;
        let resident = peers.idle_actor_bytes(name, &idle::peers_params(arguments.actors))?;
        let bytes = BytesPerActor { requested: None, resident: Some(resident) };
        table.row([name.clone(), String::new(), short(resident)]);
        record = IdleRecord {
            implementation: name,
            impl_version: Some(&hello.version),
            requested_bytes_per_actor: bytes.requested,
            resident_bytes_per_actor: bytes.resident,
            samples_cpu_percent: None,
            ..record
        };
        if let Some(json) = &mut json {
            json.write(&record)?;
        }
    }
    terminal.print(&table.to_text());
    json.map_or(Ok(()), JsonLines::finish)?;
    terminal.finish()
}
