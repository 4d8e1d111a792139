//! `odeon bench <workload>`: measure one workload for every combination of the given values.

use super::measuring::{Comparison, Repetition};
use super::paper::{self, PaperArguments};
use crate::output::{self, Terminal};
use crate::progress::RunsProgress;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use odeon_bench::environment::Machine;
use odeon_bench::error::BenchError;
use odeon_bench::parameter::{Parameter, Params, Value};
use odeon_bench::peers::Peers;
use odeon_bench::runner::{self, CasePlan, Results, Wrong};
use odeon_bench::workload::{Variant, Workload};
use odeon_bench::{energy, plot, report, sweep, trace};
use std::path::{Path, PathBuf};

pub(super) struct WorkloadArguments {
    workload: &'static Workload,
    variants: Vec<Variant>,
    sweeps: Vec<(&'static str, Vec<Value>)>,
    repetition: Repetition,
    comparison: Comparison,
    plot: Option<PathBuf>,
    history: Option<PathBuf>,
    trace: Option<PathBuf>,
    pictures: Option<PathBuf>,
    reproduce: Option<PaperArguments>,
}

const PLOT: &str = "plot";
const HISTORY: &str = "history";
const TRACE: &str = "trace";
const BOTH: &str = "both";

/// The subcommand of a workload, from its table of parameters.
pub(super) fn command(workload: &'static Workload) -> Command {
    let about = workload;
    let floor = format!("Floor: {}.", about.floor_is);
    let mut command = Command::new(about.name).about(about.summary).after_help(floor);
    command = command.args(about.parameters.iter().map(parameter_option));
    command = command.args(variant_option(workload));
    command = Comparison::augment_args(Repetition::augment_args(command));
    // WHY: the option belongs to all commands, and not every peer runs every workload.
    let peers = PossibleValuesParser::new(workload.peers);
    command = command.mut_arg("vs", |vs| vs.value_parser(peers));
    command = command.arg(file_option(PLOT).help("Draw the results into an SVG file"));
    if workload.recorder.is_some() {
        let help = "Record one more run as JSON lines for a linearizability checker; \
                    sums over several list actors are atomic if they are coordinated";
        command = command.arg(file_option(HISTORY).help(help));
    }
    if !workload.traced_modes.is_empty() {
        let help = "Record one more run as JSON lines: width, commits and rollbacks of speculative actors \
                    every 5 ms, at the end which messages were rolled back at which variables";
        command = command.arg(file_option(TRACE).help(help));
    }
    paper::with_options(command)
}

fn parameter_option(parameter: &'static Parameter) -> Arg {
    let help = format!("{} [{}]", parameter.about, parameter.domain);
    Arg::new(parameter.name)
        .long(parameter.long())
        .value_name("LIST")
        .help(help)
        .default_value(parameter.default_value().to_string())
        // WHY: `--actors -1` shall be answered with the range, not with "unexpected argument".
        .allow_hyphen_values(true)
        .value_parser(move |text: &str| sweep::parse_sweep(parameter, text).map(Sweep))
}

/// A wrapper, because clap gives a plain `Vec` another meaning.
#[derive(Clone)]
struct Sweep(Vec<Value>);

/// `--stage` for workloads that run on stages, nothing for those that run in modes, which are a
/// parameter, or without actors.
fn variant_option(workload: &Workload) -> Option<Arg> {
    let variants = workload.variants;
    let (option, help) = match variants[0] {
        Variant::Pool | Variant::Pinned | Variant::Async => {
            ("stage", "Where the actors run, or on the pool with asynchronous handlers")
        }
        Variant::Stm => return None,
    };
    let mut words: Vec<&'static str> = variants.iter().map(|variant| variant.word()).collect();
    if words.len() > 1 {
        words.push(BOTH);
    }
    let option = Arg::new(VARIANT).long(option).value_name("WORD").help(help);
    Some(option.default_value(words[0]).value_parser(words))
}

const VARIANT: &str = "variant";

fn file_option(name: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("FILE").value_parser(clap::value_parser!(PathBuf))
}

impl WorkloadArguments {
    pub(super) fn read(workload: &'static Workload, matches: &ArgMatches) -> Result<Self, Error> {
        let about = workload;
        let sweeps = about.parameters.iter().filter_map(|parameter| {
            let Sweep(values) = matches.get_one::<Sweep>(parameter.name)?;
            Some((parameter.name, values.clone()))
        });
        // An error means that the workload has no such option.
        let word = matches.try_get_one::<String>(VARIANT).ok().flatten();
        let word = word.map_or(BOTH, String::as_str);
        let chosen = |variant: &&Variant| word == BOTH || variant.word() == word;
        let sweeps: Vec<_> = sweeps.collect();
        let repetition = Repetition::from_arg_matches(matches)?;
        let history = workload.recorder.and_then(|_| matches.get_one::<PathBuf>(HISTORY));
        Ok(Self {
            workload,
            variants: about.variants.iter().filter(chosen).copied().collect(),
            reproduce: PaperArguments::of_workload(about.name, matches, &sweeps),
            sweeps,
            repetition,
            comparison: Comparison::from_arg_matches(matches)?,
            plot: matches.get_one::<PathBuf>(PLOT).cloned(),
            history: history.cloned(),
            // An error means that the workload has no such option.
            pictures: workload.pictures.and_then(|_| paper::out(matches)),
            trace: matches.try_get_one::<PathBuf>(TRACE).ok().flatten().cloned(),
        })
    }
}

pub(super) fn run(arguments: &WorkloadArguments) -> Result<(), BenchError> {
    if let Some(reproduce) = &arguments.reproduce {
        return paper::run(reproduce);
    }
    let WorkloadArguments { workload, variants, comparison, .. } = arguments;
    let combinations = sweep::combinations(workload, &arguments.sweeps)?;
    output::check_distinct(&[
        ("--json", comparison.json.as_deref()),
        ("--plot", arguments.plot.as_deref()),
        ("--history", arguments.history.as_deref()),
        ("--trace", arguments.trace.as_deref()),
    ])?;
    let cases = combinations.len() * variants.len();
    check_recording("--history", arguments.history.as_deref(), cases)?;
    check_recording("--trace", arguments.trace.as_deref(), cases)?;
    check_mode(arguments, &combinations)?;
    if let Some(out) = &arguments.pictures {
        check_one("--out", cases)?;
        paper::create(out)?;
    }
    if let Some(path) = &arguments.plot {
        output::check("--plot", path)?;
    }
    let json = output::json(comparison.json.as_deref())?;

    let mut peers = Peers::start(&comparison.vs)?;
    let mut plan = CasePlan::default();
    let mut missing = Vec::new();
    for params in &combinations {
        if let Some(what) = workload.missing(params) {
            missing.push(format!("not measured: {what} ({params})"));
            continue;
        }
        for variant in variants {
            plan.add(workload, *variant, params, &comparison.vs);
        }
    }
    let machine = Machine::here();
    let mut terminal = Terminal::default();
    if plan.cases().is_empty() {
        missing.iter().for_each(|what| terminal.print(what));
        return terminal.finish();
    }
    let (results, wrong) = measure(&plan, arguments.repetition, &mut peers)?;

    terminal.print(&format!("{} on {}\n", workload.name, machine.line()));
    terminal.print(&report::table_with(&results, &wrong).to_text());
    for Wrong { case, error } in &wrong {
        let who = case.contender.implementation();
        terminal.print(&format!("{who}: {error} ({})", case.params));
    }
    missing.iter().for_each(|what| terminal.print(what));
    notes(workload, &combinations).into_iter().for_each(|note| terminal.print(&note));
    if let Some(why) = workload.looks_at_energy.then(energy::missing).flatten() {
        terminal.print(&why);
    }
    for hello in peers.hellos() {
        let allocator = &hello.allocator;
        terminal
            .print(&format!("{} {}, allocator {allocator}", hello.implementation, hello.version));
    }
    let json = json.filter(|_| !results.0.is_empty());
    if let Some(mut json) = json {
        json.write_all(&results, &peers, &machine)?;
        json.finish()?;
    }
    if let Some(path) = arguments.plot.as_ref().filter(|_| !results.0.is_empty()) {
        plot::draw(&results, path)?;
    }
    if let Some(Wrong { error, .. }) = wrong.into_iter().next() {
        // What is measured is told; that something is wrong stays the end of the command.
        terminal.finish()?;
        return Err(error);
    }
    write_history(arguments, &combinations)?;
    write_trace(arguments, &combinations)?;
    if let (Some(out), Some(write)) = (&arguments.pictures, workload.pictures) {
        terminal.print(&write(&combinations[0], out)?);
    }
    terminal.finish()
}

/// Each note once.
fn notes(workload: &Workload, combinations: &[Params]) -> Vec<String> {
    let mut notes: Vec<_> = combinations.iter().filter_map(|one| workload.note(one)).collect();
    notes.sort_unstable();
    notes.dedup();
    notes
}

fn measure(
    plan: &CasePlan,
    repetition: Repetition,
    peers: &mut Peers,
) -> Result<(Results, Vec<Wrong>), BenchError> {
    let rounds = repetition.rounds();
    let mut progress = RunsProgress::new(rounds.runs(plan));
    let mut done = 0;
    runner::measure_right_ones(plan, rounds, peers, |case| {
        progress.begin(format!("{} {}", case.contender.implementation(), case.params), done);
        done += 1;
    })
}

fn check_recording(option: &str, path: Option<&Path>, cases: usize) -> Result<(), BenchError> {
    let Some(path) = path else {
        return Ok(());
    };
    check_one(option, cases)?;
    output::check(option, path)
}

fn check_one(option: &str, cases: usize) -> Result<(), BenchError> {
    if cases != 1 {
        let problem = format!("records one combination of values, not {cases}");
        return Err(BenchError::bad_argument(option, problem));
    }
    Ok(())
}

/// A trace needs speculative actors.
fn check_mode(arguments: &WorkloadArguments, combinations: &[Params]) -> Result<(), BenchError> {
    if arguments.trace.is_none() {
        return Ok(());
    }
    let modes = arguments.workload.traced_modes;
    let has_none = |params: &&Params| !modes.contains(&params.word("mode"));
    match combinations.iter().find(has_none) {
        Some(params) => {
            let (modes, mode) = (modes.join(", "), params.word("mode"));
            let problem = format!("records --mode {modes}, not '{mode}'");
            Err(BenchError::bad_argument("--trace", problem))
        }
        None => Ok(()),
    }
}

fn write_trace(arguments: &WorkloadArguments, combinations: &[Params]) -> Result<(), BenchError> {
    let Some(path) = &arguments.trace else {
        return Ok(());
    };
    let recorded =
        trace::record(|| arguments.workload.run(arguments.variants[0], &combinations[0]))?;
    let file = std::io::BufWriter::new(output::create("--trace", path)?);
    recorded.write(file).map_err(|source| BenchError::File { path: path.clone(), source })
}

fn write_history(arguments: &WorkloadArguments, combinations: &[Params]) -> Result<(), BenchError> {
    let (Some(path), Some(record)) = (&arguments.history, arguments.workload.recorder) else {
        return Ok(());
    };
    let history = record(arguments.variants[0], &combinations[0])?;
    let file = std::io::BufWriter::new(output::create("--history", path)?);
    history.write(file).map_err(|source| BenchError::File { path: path.clone(), source })
}
