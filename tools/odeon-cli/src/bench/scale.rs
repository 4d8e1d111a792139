//! `odeon bench scale`: how one hot actor scales with the workers.

use super::measuring::at_most;
use crate::output::{self, Terminal};
use crate::progress::RunsProgress;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use odeon_bench::environment::Machine;
use odeon_bench::error::BenchError;
use odeon_scale::locks::{self, CountedLocks};
use odeon_scale::outcome::{self, Outcome};
use odeon_scale::serial_demand::{self, DELAY_VARIABLE, DelayedLock, SerialDemand, untold};
use odeon_scale::{
    ScaleLoad, ScalePlan, calibration, extrapolation, page, records, report, wake_costs,
};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const MODES: [&str; 6] = ["adaptive", "concurrent", "plain", "sharded", "mutex", "rwlock"];

#[derive(Args)]
pub(super) struct ScaleArguments {
    /// Worker threads, 1 to the number of cores [default: all of these]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = at_most(1, 256))]
    workers: Vec<usize>,
    /// Computing of each message, in ns, 0 to 1000000
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "0,100,300,500,2000,10000", value_parser = at_most(0, 1_000_000))]
    handler_ns: Vec<usize>,
    /// Actors that send, 1 to 10000
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [ScaleLoad::DEFAULT_SENDERS], value_parser = at_most(1, 10_000))]
    senders: Vec<usize>,
    /// How the state is shared
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "adaptive,concurrent,plain,sharded,mutex,rwlock", value_parser = PossibleValuesParser::new(MODES).map(|word| MODES.into_iter().find(|mode| *mode == word).expect("one of them")))]
    mode: Vec<&'static str>,
    /// Entries into one hot account, in per cent, 0 to 100
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "0", value_parser = at_most(0, 100))]
    conflict: Vec<usize>,
    /// Questions for one account, in per cent, 0 to 100
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "0", value_parser = at_most(0, 100))]
    reads: Vec<usize>,
    /// Samples of each case, taken in turn, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = at_most(1, 1000))]
    samples: usize,
    /// About how long a run lasts, in ms, 1 to 10000
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = at_most(1, 10_000))]
    run_ms: usize,
    /// Seed of all draws
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Counts of locks that a build that counts has written with --json
    #[arg(long, value_name = "FILE")]
    locks: Option<PathBuf>,
    /// Write everything as lines of JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a page, and its plots beside it
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

pub(super) fn run(arguments: &ScaleArguments) -> Result<(), BenchError> {
    serial_demand::check_delay(locks::are_counted())?;
    check_lists(arguments)?;
    let machine = Machine::here();
    let plan = plan(arguments, machine.cores);
    plan.check(machine.cores)?;
    let files = [
        ("--locks", arguments.locks.as_deref()),
        ("--json", arguments.json.as_deref()),
        ("--page", arguments.page.as_deref()),
    ];
    output::check_distinct(&files)?;
    if let Some(path) = &arguments.page {
        output::check("--page", path)?;
    }
    let given = arguments.locks.as_deref().map(CountedLocks::read).transpose()?;
    let json = output::json(arguments.json.as_deref())?;

    let mut progress = RunsProgress::new(plan.runs());
    let mut done = 0;
    let measured = plan.measure(|what| {
        progress.begin(what, done);
        done += 1;
    })?;
    drop(progress);

    let counts = locks::are_counted();
    let locks = match given {
        Some(given) => given,
        None if counts => outcome::counted(&measured, locks::clock_ns()),
        None => CountedLocks::default(),
    };
    let calibration = plan
        .calibrates
        .then(|| calibration::calibrate(&measured, locks.board_alone(), wake_costs(), plan.seed));
    let extrapolated = match &calibration {
        Some(Ok(calibration)) => extrapolation::extrapolate(&measured, calibration, plan.seed),
        _ => Vec::new(),
    };
    let demand =
        (counts && !is_delayed()).then(|| demand(&plan, &locks).map_err(|error| error.to_string()));
    let fits = outcome::fits(&measured, plan.seed);
    let outcome = Outcome { measured, fits, calibration, extrapolated, locks, demand };

    let mut terminal = Terminal::default();
    tell(&mut terminal, &outcome, &machine);
    if let Some(mut json) = json {
        records::write(&mut json, &outcome, &machine)?;
        json.finish()?;
    }
    if let Some(path) = &arguments.page {
        page::write(path, &outcome, &machine)?;
    }
    terminal.finish()
}

fn plan(arguments: &ScaleArguments, cores: usize) -> ScalePlan {
    let workers = if arguments.workers.is_empty() {
        (1..=cores).collect()
    } else {
        arguments.workers.clone()
    };
    let mut loads = Vec::new();
    for handler_ns in &arguments.handler_ns {
        for senders in &arguments.senders {
            for conflict in &arguments.conflict {
                for reads in &arguments.reads {
                    loads.push(ScaleLoad {
                        handler_ns: *handler_ns as u64,
                        senders: *senders,
                        conflict: *conflict as u64,
                        reads: *reads as u64,
                    });
                }
            }
        }
    }
    ScalePlan {
        workers,
        modes: arguments.mode.clone(),
        loads,
        samples: arguments.samples,
        run_ms: arguments.run_ms as u64,
        seed: arguments.seed,
        calibrates: !is_delayed(),
    }
}

/// Whether this is one of the runs that find out what a lock is worth.
fn is_delayed() -> bool {
    std::env::var_os(DELAY_VARIABLE).is_some()
}

/// Refuses a list that has a value twice.
fn check_lists(arguments: &ScaleArguments) -> Result<(), BenchError> {
    let words = |numbers: &[usize]| numbers.iter().map(ToString::to_string).collect();
    let lists: [(&str, Vec<String>); 6] = [
        ("--workers", words(&arguments.workers)),
        ("--handler-ns", words(&arguments.handler_ns)),
        ("--senders", words(&arguments.senders)),
        ("--mode", arguments.mode.iter().map(ToString::to_string).collect()),
        ("--conflict", words(&arguments.conflict)),
        ("--reads", words(&arguments.reads)),
    ];
    for (option, list) in lists {
        let mut earlier = list.iter().enumerate();
        if let Some((_, twice)) = earlier.find(|(index, value)| list[..*index].contains(value)) {
            return Err(BenchError::bad_argument(option, format!("lists {twice} twice")));
        }
    }
    Ok(())
}

/// What the board's lock is worth with most workers and the shortest load that tells it; each delay
/// is a process, as locks look at the variable when they are made.
fn demand(plan: &ScalePlan, locks: &CountedLocks) -> Result<SerialDemand, BenchError> {
    let workers = *plan.workers.iter().max().expect("there are some");
    let undisturbed = plan.loads.iter().filter(|load| load.is_undisturbed());
    let is_short = |load: &ScaleLoad| load.handler_ns < serial_demand::SHORTEST_NS;
    let load = undisturbed.min_by_key(|load| (is_short(load), load.handler_ns));
    let load = *load.ok_or_else(|| untold("no load is without conflicts and reads"))?;
    serial_demand::check_load(load, workers)?;
    let board = locks.board().ok_or_else(|| untold("the board's was not counted"))?;
    let of_load = locks.of_concurrent(load).into_iter();
    let mut of_board =
        of_load.filter(|line| line.lock.place == board.place && line.workers == workers);
    let passes = of_board.next().ok_or_else(|| untold("the board's was not counted with it"))?;
    let lock = DelayedLock { place: &board.place, passes: passes.lock.passes };

    let program = std::env::current_exe().map_err(|error| BenchError::Lost(error.to_string()))?;
    let file = format!("odeon-scale-{}.jsonl", std::process::id());
    let file = std::env::temp_dir().join(file);
    let measure = |variable: &str| {
        let mut command = Command::new(&program);
        command.args(["bench", "scale", "--mode", "concurrent", "--json"]).arg(&file);
        for (option, value) in [
            ("--workers", workers as u64),
            ("--handler-ns", load.handler_ns),
            ("--senders", load.senders as u64),
            ("--conflict", load.conflict),
            ("--reads", load.reads),
            ("--samples", plan.samples as u64),
            ("--run-ms", plan.run_ms),
            ("--seed", plan.seed),
        ] {
            command.arg(option).arg(value.to_string());
        }
        measured_by(command.env(DELAY_VARIABLE, variable), &file)
    };
    let demand = serial_demand::of_lock(lock, load, workers, measure);
    // Nothing is lost if it stays.
    let _ = std::fs::remove_file(&file);
    demand
}

fn measured_by(command: &mut Command, file: &Path) -> Result<f64, BenchError> {
    let ended = command.stdout(Stdio::null()).status();
    let ended = ended.map_err(|error| BenchError::Lost(error.to_string()))?;
    if !ended.success() {
        return Err(BenchError::Lost(format!("a run with a delay ended with {ended}")));
    }
    records::fastest_concurrent(file)
}

fn tell(terminal: &mut Terminal, outcome: &Outcome, machine: &Machine) {
    terminal.print(&format!("scale on {}\n", machine.line()));
    terminal.print(&report::measured(&outcome.measured).to_text());
    report::fits(outcome).iter().for_each(|line| terminal.print(line));
    if outcome.locks.0.is_empty() {
        terminal.print(locks::HOW_TO_COUNT);
    } else {
        let loads = outcome.measured.loads();
        terminal.print(&format!("\n{}", report::locks(&outcome.locks, &loads).to_text()));
    }
    if let Some(demand) = &outcome.demand {
        terminal.print(&report::demand(demand));
    }
    match &outcome.calibration {
        Some(Ok(calibration)) => {
            terminal.print(&format!("\n{}", report::checks(calibration).to_text()));
            terminal.print(&report::verdict(calibration));
        }
        Some(Err(why)) => terminal.print(why),
        None => {}
    }
    if !outcome.extrapolated.is_empty() {
        terminal.print("\nsimulated, all of it:");
        terminal.print(&report::extrapolated(&outcome.extrapolated).to_text());
        report::ceiling_lines(&outcome.extrapolated).iter().for_each(|line| terminal.print(line));
    }
}
