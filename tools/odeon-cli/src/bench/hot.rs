//! `odeon bench hot`: what durability costs one busy actor.

use super::measuring::at_most;
use crate::output::{self, Terminal};
use crate::progress::RunsProgress;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use odeon_bench::environment::Machine;
use odeon_bench::error::BenchError;
use odeon_bench::table::TextTable;
use odeon_hot::disk::DiskLook;
#[cfg(feature = "network")]
use odeon_hot::network::{self, KeeperKind, NetworkOutcome, NetworkPlan};
use odeon_hot::outcome::HotOutcome;
use odeon_hot::recovery::{RecoveryTook, recover};
use odeon_hot::{HotLoad, HotPlan, HotWay, StopFlag, page, records, report};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
#[cfg(feature = "network")]
use std::time::Duration;

#[derive(Args)]
pub(super) struct HotArguments {
    /// Who keeps the ledger
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "durable,volatile", value_parser = PossibleValuesParser::new(["durable", "volatile"]).map(|word| HotWay::ALL.into_iter().find(|way| way.to_string() == word).expect("one of them")))]
    way: Vec<HotWay>,
    /// Accounts of the ledger, 1 to 10000000
    #[arg(long, value_name = "N", default_value_t = HotLoad::default().accounts as usize, value_parser = at_most(1, 10_000_000))]
    accounts: usize,
    /// Exponents of Zipf's law, by which accounts are drawn; 0: all equally often
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "0,1.5",
        allow_negative_numbers = true
    )]
    zipf: Vec<f64>,
    /// Actors that transfer, 1 to 10000
    #[arg(long, value_name = "N", default_value_t = HotLoad::default().clients, value_parser = at_most(1, 10_000))]
    clients: usize,
    /// Transfers of each client that are not acknowledged, 1 to 100000
    #[arg(long, value_name = "N", default_value_t = HotLoad::default().window, value_parser = at_most(1, 100_000))]
    window: usize,
    /// Transfers of all clients together in a run, 1 to 100000000
    #[arg(long, value_name = "N", default_value_t = HotLoad::default().transfers as usize, value_parser = at_most(1, 100_000_000))]
    transfers: usize,
    /// Transfers under way of each of four clients in loads beside these that leave no queue, 0 to
    /// 16; 0: there are none of them
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = at_most(0, 16))]
    few_window: usize,
    /// Actors that sum up all accounts meanwhile, 0 to 100
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "0", value_parser = at_most(0, 100))]
    auditors: Vec<usize>,
    /// Worker threads, 1 to 256 [default: as many as cores]
    #[arg(long, value_name = "N", value_parser = at_most(1, 256))]
    workers: Option<usize>,
    /// Samples of each case, taken in turn, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = at_most(1, 1000))]
    samples: usize,
    /// Times that 64 KiB are synced before each round, to know the disk, 1 to 100000
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = at_most(1, 100_000))]
    syncs: usize,
    /// MiB that are written in sequence before each round, to know the disk, 1 to 100000
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = at_most(1, 100_000))]
    sequence_mib: usize,
    /// Who keeps the ledger behind the network beside that; without a list: all
    #[cfg(feature = "network")]
    #[arg(long, value_name = "LIST", value_delimiter = ',', num_args = 0..=1, default_missing_value = "odeon,volatile,sqlite,redis,postgres", value_parser = PossibleValuesParser::new(["odeon", "volatile", "sqlite", "redis", "postgres"]).map(|word| KeeperKind::ALL.into_iter().find(|kind| kind.to_string() == word).expect("one of them")))]
    network: Vec<KeeperKind>,
    /// Seconds that a run over the network lasts at most, 1 to 1000
    #[cfg(feature = "network")]
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = at_most(1, 1000))]
    network_seconds: usize,
    /// Samples of each case over the network, 1 to 1000
    #[cfg(feature = "network")]
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = at_most(1, 1000))]
    network_samples: usize,
    /// Seed of all draws
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// A folder of the disk that is measured [default: the one for temporary files]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Write everything as lines of JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a page
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Open the ledger of this folder, and tell in JSON what that took; the one that measures asks
    /// for it
    #[arg(long, value_name = "FOLDER", hide = true)]
    recover: Option<PathBuf>,
}

pub(super) fn run(arguments: &HotArguments) -> Result<(), BenchError> {
    if let Some(folder) = &arguments.recover {
        let took = recover(folder, arguments.accounts as u32)?;
        let mut terminal = Terminal::default();
        terminal.print(&serde_json::to_string(&took).expect("plain data"));
        return terminal.finish();
    }
    let machine = Machine::here();
    let plan = plan(arguments, machine.cores, stopped_by_signals()?);
    plan.check()?;
    let files = [("--json", arguments.json.as_deref()), ("--page", arguments.page.as_deref())];
    output::check_distinct(&files)?;
    if let Some(path) = &arguments.page {
        output::check("--page", path)?;
    }
    let mut json = output::json(arguments.json.as_deref())?;

    // What has ended because all is told to is no error of its own.
    let stopped = |error| plan.stop.check().err().unwrap_or(error);
    let mut progress = RunsProgress::new(plan.runs());
    let mut done = 0;
    let outcome = plan.measure(&recovered_elsewhere, |what| {
        progress.begin(what, done);
        done += 1;
    });
    let outcome = outcome.map_err(stopped)?;
    drop(progress);
    let mut terminal = Terminal::default();
    tell(&mut terminal, &outcome, &machine);
    if let Some(json) = &mut json {
        records::write(json, &outcome, &machine)?;
    }
    #[cfg(feature = "network")]
    let sections = {
        let networked = measure_network(arguments, &plan).map_err(stopped)?;
        if let Some(json) = &mut json {
            records::write_network(json, &networked, &outcome, &machine)?;
        }
        tell_network(&mut terminal, &networked)
    };
    #[cfg(not(feature = "network"))]
    let sections = String::new();
    if let Some(json) = json {
        json.finish()?;
    }
    if let Some(path) = &arguments.page {
        page::write(path, &outcome, &sections, &machine)?;
    }
    terminal.finish()
}

/// A flag that Ctrl-C and SIGTERM raise. Whoever tells it twice does not want to wait for what is
/// under way, or to be removed.
fn stopped_by_signals() -> Result<StopFlag, BenchError> {
    let flag = StopFlag::default();
    let raised = flag.clone();
    let handler = ctrlc::set_handler(move || {
        if raised.raise() {
            std::process::exit(1);
        }
    });
    handler.map_err(|error| BenchError::Beside(error.to_string()))?;
    Ok(flag)
}

fn plan(arguments: &HotArguments, cores: usize, stop: StopFlag) -> HotPlan {
    let mut loads = Vec::new();
    for zipf in &arguments.zipf {
        let load = |auditors| HotLoad {
            accounts: arguments.accounts as u32,
            clients: arguments.clients,
            window: arguments.window,
            transfers: arguments.transfers as u64,
            zipf: *zipf,
            auditors,
            seed: arguments.seed,
        };
        loads.extend(arguments.auditors.iter().map(|auditors| load(*auditors)));
        if arguments.few_window > 0 {
            loads.push(load(0).with_few_under_way(arguments.few_window));
        }
    }
    HotPlan {
        ways: arguments.way.clone(),
        loads,
        workers: arguments.workers.unwrap_or(cores),
        samples: arguments.samples,
        disk: DiskLook { syncs: arguments.syncs, mebibytes: arguments.sequence_mib },
        folder: arguments.folder.clone().unwrap_or_else(std::env::temp_dir),
        seed: arguments.seed,
        stop,
    }
}

#[cfg(feature = "network")]
fn measure_network(arguments: &HotArguments, plan: &HotPlan) -> Result<NetworkOutcome, BenchError> {
    let plan = NetworkPlan {
        keepers: arguments.network.clone(),
        loads: plan.loads.iter().filter(|load| load.auditors == 0).copied().collect(),
        samples: arguments.network_samples,
        lasting: Duration::from_secs(arguments.network_seconds as u64),
        folder: plan.folder.clone(),
        seed: plan.seed,
        stop: plan.stop.clone(),
    };
    let mut progress = RunsProgress::new(plan.runs());
    let mut done = 0;
    plan.measure(|what| {
        progress.begin(what, done);
        done += 1;
    })
}

/// Answers what a page says of it.
#[cfg(feature = "network")]
fn tell_network(terminal: &mut Terminal, measured: &NetworkOutcome) -> String {
    if measured.points.is_empty() && measured.missing.is_empty() {
        return String::new();
    }
    terminal.print(&network::report::measured(measured).to_text());
    print_if_any(terminal, &network::report::promises(measured));
    terminal.print(&network::report::keepers(measured).to_text());
    print_if_any(terminal, &network::report::losses(measured));
    network::report::section(measured)
}

/// By a process of this program.
fn recovered_elsewhere(folder: &Path, accounts: u32) -> Result<RecoveryTook, BenchError> {
    let lost = |error: std::io::Error| BenchError::Lost(error.to_string());
    let program = std::env::current_exe().map_err(lost)?;
    let mut command = Command::new(program);
    command.args(["bench", "hot", "--accounts", &accounts.to_string(), "--recover"]).arg(folder);
    let output = command.stderr(Stdio::inherit()).output().map_err(lost)?;
    if !output.status.success() {
        return Err(BenchError::Lost(format!("it was to open a ledger: {}", output.status)));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| BenchError::Beside(error.to_string()))
}

fn print_if_any(terminal: &mut Terminal, table: &TextTable) {
    if !table.is_empty() {
        terminal.print(&table.to_text());
    }
}

fn tell(terminal: &mut Terminal, outcome: &HotOutcome, machine: &Machine) {
    terminal.print(&machine.line());
    terminal.print(&format!("{}\n", report::disk(outcome)));
    terminal.print(&report::measured(outcome).to_text());
    if !outcome.logs.is_empty() {
        terminal.print(&report::logs(outcome).to_text());
        terminal.print(&report::recoveries(outcome).to_text());
    }
    print_if_any(terminal, &report::promises(outcome));
}
