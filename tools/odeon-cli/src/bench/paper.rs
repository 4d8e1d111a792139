//! `odeon bench selectors`, `theaters`, `heterogeneous`, and `--reproduce` of `list` and `geostat`:
//! what papers ran, with plots and a page that sets what comes out beside their figures.

use super::measuring::{at_most, ended};
use crate::output::Terminal;
use crate::progress::RunsProgress;
use clap::builder::StyledStr;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use odeon_bench::environment::Machine;
use odeon_bench::error::BenchError;
use odeon_bench::paper::{self, Chosen, Paper, PaperPlan, WatchPaper};
use odeon_bench::parameter::Value;
use odeon_bench::runner::Rounds;
use odeon_bench::workloads;
use std::path::{Path, PathBuf};

const REPRODUCE: &str = "reproduce";
const QUICK: &str = "quick";
const FULL_SIZE: &str = "paper";
const OUT: &str = "out";
const ONLY: &str = "only";
const WORKERS: &str = "workers";
const SAMPLES: &str = "samples";
const WARMUP: &str = "warmup";

pub(super) struct PaperArguments {
    paper: &'static Paper,
    plan: PaperPlan,
    /// Where page and plots go, if they are asked for.
    out: Option<PathBuf>,
}

/// The papers that are commands of their own: what they reproduce is more than one workload.
pub(super) fn with_commands() -> impl Iterator<Item = &'static Paper> {
    paper::ALL.iter().filter(|paper| workloads::find(paper.name).is_none())
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
}

fn count(name: &'static str, most: (u64, u64)) -> Arg {
    Arg::new(name).long(name).value_name("N").value_parser(at_most(most.0, most.1))
}

fn out_option(help: impl Into<StyledStr>) -> Arg {
    let parser = clap::value_parser!(PathBuf);
    Arg::new(OUT).long(OUT).value_name("DIR").help(help).value_parser(parser)
}

/// The command of one.
pub(super) fn command(paper: &'static Paper) -> Command {
    let samples = format!(
        "Samples of each case, taken in turn, 1 to 1000 [default: {}, with --quick 1]",
        paper.samples
    );
    let out = format!("The folder of page and plots [default: {}-reproduction]", paper.name);
    let warmup = "Runs of each case before the samples, 0 to 1000 [default: 1, with --quick 0]";
    let mut command = Command::new(paper.name)
        .about(paper.about)
        .arg(flag(
            REPRODUCE,
            "Write plots and a page that sets the results beside the paper's figures",
        ))
        .arg(out_option(out).requires(REPRODUCE))
        .arg(flag(QUICK, "Small sizes, which compare nothing"))
        .arg(count(SAMPLES, (1, 1000)).help(samples))
        .arg(count(WARMUP, (0, 1000)).help(warmup));
    let parts = (paper.parts)();
    if !parts.is_empty() {
        let only = Arg::new(ONLY).long(ONLY).value_name("LIST").help("Only these parts");
        command = command.arg(only.value_delimiter(',').value_parser(parts));
    }
    if paper.has_full_size {
        let help = "The paper's parameters: up to ten times the work";
        command = command.arg(flag(FULL_SIZE, help).conflicts_with(QUICK));
    }
    if let Some(usual) = paper.workers {
        let help = format!("Worker threads of each theater, 1 to 256, instead of {usual}");
        command = command.arg(count(WORKERS, (1, 256)).help(help));
    }
    command
}

/// Adds the options to a workload that is reproduced. WHY `out` without a default: with some
/// workloads it also asks for pictures.
pub(super) fn with_options(command: Command) -> Command {
    if paper::find(command.get_name()).is_none() {
        return command;
    }
    let out_help = match command.get_name() {
        "geostat" => {
            "With --reproduce: the folder of page and plots; else: simulate once more, with pictures and the result written into this folder"
        }
        _ => "With --reproduce: the folder of page and plots",
    };
    let is_there = |name: &&str| command.get_arguments().any(|arg| arg.get_id() == *name);
    let others: Vec<&str> =
        ["vs", "json", "plot", "history", "trace"].into_iter().filter(is_there).collect();
    let reproduce = flag(
        REPRODUCE,
        "Run what the papers ran, and write plots and a page beside their figures; other options replace their values",
    );
    command
        .arg(reproduce.conflicts_with_all(others))
        .arg(
            flag(QUICK, "With --reproduce: small sizes, which compare nothing").requires(REPRODUCE),
        )
        .arg(out_option(out_help))
}

/// The value of an option that not all commands have.
fn get<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Option<T> {
    // An error means that this one has no such option.
    matches.try_get_one::<T>(name).ok().flatten().cloned()
}

impl PaperArguments {
    /// Of a command of its own.
    pub(super) fn read(paper: &'static Paper, matches: &ArgMatches) -> Self {
        let workers = get::<usize>(matches, WORKERS);
        let workers = workers.map(|count| (WORKERS, vec![Value::Number(count as u64)]));
        let this = Self::with(paper, matches, workers.into_iter().collect());
        let out = matches.get_flag(REPRODUCE).then_some(this.out).flatten();
        Self { out, ..this }
    }

    /// Of a workload; `None` if nothing is to be reproduced. `sweeps` are all parameters.
    pub(super) fn of_workload(
        workload: &str,
        matches: &ArgMatches,
        sweeps: &[Chosen],
    ) -> Option<Self> {
        let is_asked = get::<bool>(matches, REPRODUCE).unwrap_or_default();
        let is_given = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
        let chosen = || sweeps.iter().filter(|(name, _)| is_given(name)).cloned().collect();
        let paper = paper::find(workload).filter(|_| is_asked)?;
        Some(Self::with(paper, matches, chosen()))
    }

    fn with(paper: &'static Paper, matches: &ArgMatches, chosen: Vec<Chosen>) -> Self {
        let quick = matches.get_flag(QUICK);
        let given = |name: &str| {
            let is_given = matches.value_source(name) == Some(ValueSource::CommandLine);
            get::<usize>(matches, name).filter(|_| is_given)
        };
        let rounds = Rounds {
            samples: given(SAMPLES).unwrap_or(if quick { 1 } else { paper.samples }),
            warmup: given(WARMUP).unwrap_or(usize::from(!quick)),
        };
        let only = matches.try_get_many::<String>(ONLY).ok().flatten();
        let plan = PaperPlan {
            quick,
            full_size: get(matches, FULL_SIZE).unwrap_or_default(),
            rounds,
            only: only.map_or_else(Vec::new, |only| only.cloned().collect()),
            chosen,
        };
        let out = out(matches).unwrap_or_else(|| format!("{}-reproduction", paper.name).into());
        Self { paper, plan, out: Some(out) }
    }
}

/// The folder that the command line names.
pub(super) fn out(matches: &ArgMatches) -> Option<PathBuf> {
    get(matches, OUT)
}

/// Makes the folder if need be.
pub(super) fn create(out: &Path) -> Result<(), BenchError> {
    let refused = |error| BenchError::bad_argument("--out", format!("{}: {error}", out.display()));
    std::fs::create_dir_all(out).map_err(refused)
}

pub(super) fn run(arguments: &PaperArguments) -> Result<(), BenchError> {
    let PaperArguments { paper, plan, out } = arguments;
    paper.check(plan)?;
    out.as_deref().map_or(Ok(()), create)?;
    let mut terminal = Terminal::default();
    terminal.print(&format!("{} on {}\n", paper.name, Machine::here().line()));
    let mut display = Display { progress: None, part: String::new(), done: 0 };
    let outcome = paper.run(plan, &mut display)?;
    drop(display);
    for (title, table) in &outcome.tables {
        if !title.is_empty() {
            terminal.print(&format!("\n{title}\n"));
        }
        terminal.print(&table.to_text());
    }
    outcome.notes.iter().for_each(|note| terminal.print(note));
    if let Some(out) = out {
        let written = outcome.write(out)?;
        let (plots, page) = (written.plots.len(), written.page.display());
        terminal.print(&format!("{plots} plots, and the page beside the paper: {page}"));
    }
    ended(terminal, &outcome.failures)
}

/// A bar for each part.
struct Display {
    progress: Option<RunsProgress>,
    part: String,
    done: usize,
}

impl WatchPaper for Display {
    fn part(&mut self, name: &str, runs: usize) {
        self.part = name.to_owned();
        self.done = 0;
        self.progress = Some(RunsProgress::new(runs));
    }

    fn run(&mut self, what: String) {
        if let Some(progress) = &mut self.progress {
            progress.begin(format!("{}: {what}", self.part), self.done);
        }
        self.done += 1;
    }
}
