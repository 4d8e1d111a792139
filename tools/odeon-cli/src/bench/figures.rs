//! `odeon bench figures`: everything that Odeon promises in numbers, and the page about it.

mod from_files;

use super::measuring::{at_most, ended};
use crate::output::{self, Terminal};
use crate::progress::RunsProgress;
use clap::Args;
use odeon_bench::environment::Machine;
use odeon_bench::error::BenchError;
use odeon_bench::figures::hardware::HardwarePart;
use odeon_bench::figures_page::ToldFigures;
use odeon_bench::figures_run::{FiguresPlan, List, Watch, table};
use odeon_bench::json_lines::JsonLines;
use odeon_bench::peers::Peers;
use odeon_bench::runner::{Case, Results, Rounds};
use odeon_bench::{hardware_page, report, workloads};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Args)]
pub(super) struct FiguresArguments {
    /// Not the usual figures, but those that need real hardware: sixteen cores, a GPU
    #[arg(long, value_name = "PART", num_args = 0..=1, default_missing_value = ALL, value_parser = [CORES, GPU, ALL])]
    hardware: Option<String>,
    /// When so many seconds have passed, no further group of figures begins
    #[arg(long, value_name = "SECONDS", value_parser = at_most(0, 1_000_000))]
    within: Option<usize>,
    /// Small parameters and 3 samples: shows that everything works, judges nothing seriously
    #[arg(long)]
    quick: bool,
    /// Samples of each case, taken in turn, 1 to 1000 [default: 10, with --quick 3]
    #[arg(long, value_name = "N", value_parser = at_most(1, 1000))]
    samples: Option<usize>,
    /// Runs of each case before the samples, 0 to 1000
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_most(0, 1000))]
    warmup: usize,
    /// Only the figures of these workloads; `idle` is one
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = names())]
    only: Vec<String>,
    /// Leave out the comparisons with other runtimes
    #[arg(long)]
    no_peers: bool,
    /// Measure nothing, but write the pages from what a run has written beside its page. With
    /// --hardware: judge what these files of lines of JSON tell, and write it into the section of
    /// the page of --report that is about real hardware
    #[arg(long, value_name = "FILES", value_delimiter = ',', conflicts_with_all = ["json", "within", "samples"])]
    from: Vec<PathBuf>,
    /// Write the page of figures in Markdown, and beside it the same as lines of JSON; paragraphs
    /// about figures that are not reached come from benchmarks-notes.md beside it, what was
    /// measured on real hardware from files in the folder `hardware` beside it
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write a page of the few comparisons to look at first
    #[arg(long, value_name = "FILE", conflicts_with = "hardware")]
    headlines: Option<PathBuf>,
    /// Write every result with every sample as a line of JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// What the name of a file of lines beside a page ends in.
const LINES: &str = "jsonl";

const ALL: &str = "all";
const CORES: &str = "cores";
const GPU: &str = "gpu";

impl FiguresArguments {
    fn list(&self) -> List {
        match self.hardware.as_deref() {
            None => List::Usual,
            Some(CORES) => List::Hardware(vec![HardwarePart::Cores]),
            Some(GPU) => List::Hardware(vec![HardwarePart::Gpu]),
            Some(_) => List::Hardware(vec![HardwarePart::Cores, HardwarePart::Gpu]),
        }
    }
}

fn names() -> Vec<&'static str> {
    let all = workloads::ALL.iter().map(|workload| workload.name);
    all.chain(["idle"]).collect()
}

pub(super) fn run(arguments: &FiguresArguments) -> Result<(), BenchError> {
    let plan = FiguresPlan {
        list: arguments.list(),
        quick: arguments.quick,
        rounds: Rounds {
            warmup: arguments.warmup,
            samples: arguments.samples.unwrap_or(if arguments.quick { 3 } else { 10 }),
        },
        only: arguments.only.clone(),
        idle_seconds: if arguments.quick { 2 } else { 10 },
        within: arguments.within.map(|seconds| Duration::from_secs(seconds as u64)),
    };
    let beside = arguments.report.as_ref().map(|report| report.with_extension(LINES));
    output::check_distinct(&[
        ("--json", arguments.json.as_deref()),
        ("--report", arguments.report.as_deref()),
        ("--report", beside.as_deref()),
        ("--headlines", arguments.headlines.as_deref()),
    ])?;
    let notes = notes_beside(arguments.report.as_deref())?;
    if let ([from], List::Usual) = (&arguments.from[..], &plan.list) {
        let told = ToldFigures::read(from)
            .map_err(|error| BenchError::bad_argument("--from", error.to_string()))?;
        return write(&told, arguments, &notes);
    }
    if !arguments.from.is_empty() {
        if plan.list == List::Usual {
            return Err(BenchError::bad_argument("--from", "takes one file without --hardware"));
        }
        return from_files::judge(&arguments.from, &plan, arguments.report.as_deref(), &notes);
    }
    if plan.list != List::Usual && arguments.report.is_some() {
        let problem = "with --hardware it is written from files of lines: --from";
        return Err(BenchError::bad_argument("--report", problem));
    }
    let json = output::json(arguments.json.as_deref())?;
    let names = plan.peers().into_iter().filter(|_| !arguments.no_peers);
    let names: Vec<String> = names.map(str::to_owned).collect();
    let mut peers = Peers::start(&names)?;

    let mut display = Display {
        terminal: Terminal::default(),
        json,
        machine: Machine::here(),
        progress: None,
        group: String::new(),
        done: 0,
    };
    display.terminal.print(&format!("figures on {}\n", display.machine.line()));
    let outcome = plan.run(&mut peers, &mut display)?;
    let Display { mut terminal, json, progress, .. } = display;
    drop(progress);
    json.map_or(Ok(()), JsonLines::finish)?;

    terminal.print(&table(&outcome.verdicts).to_text());
    if !outcome.left_out.is_empty() {
        terminal.print(&format!("The time was over before: {}.", outcome.left_out.join("; ")));
    }
    let told = ToldFigures::of(&outcome, &plan, &peers);
    write(&told, arguments, &notes)?;
    if let Some(path) = &arguments.report {
        write_file(&path.with_extension(LINES), &told.lines())?;
    }
    ended(terminal, &outcome.failures)
}

/// The pages that are asked for.
fn write(told: &ToldFigures, arguments: &FiguresArguments, notes: &str) -> Result<(), BenchError> {
    if let Some(path) = &arguments.report {
        let page = told.page(notes);
        let hardware = from_files::section_beside(path, notes)?;
        let page = hardware.map_or(page.clone(), |section| hardware_page::put(&page, &section));
        write_file(path, &page)?;
    }
    match &arguments.headlines {
        Some(path) => write_file(path, &told.headlines()),
        None => Ok(()),
    }
}

fn write_file(path: &Path, text: &str) -> Result<(), BenchError> {
    std::fs::write(path, text).map_err(|source| BenchError::File { path: path.to_owned(), source })
}

/// The text of `benchmarks-notes.md` beside the report; empty when there is none.
/// Refuses a report in a folder that does not exist, before anything is measured.
fn notes_beside(report: Option<&Path>) -> Result<String, BenchError> {
    let Some(report) = report else {
        return Ok(String::new());
    };
    let folder = report.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) || report.is_dir() {
        let problem = format!("{}: no file can be written there", report.display());
        return Err(BenchError::bad_argument("--report", problem));
    }
    let notes = report.with_file_name("benchmarks-notes.md");
    match std::fs::read_to_string(&notes) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(source) => Err(BenchError::File { path: notes, source }),
    }
}

/// Shows a bar per group, then its table, and writes its lines of JSON.
struct Display {
    terminal: Terminal,
    json: Option<JsonLines>,
    machine: Machine,
    progress: Option<RunsProgress>,
    group: String,
    done: usize,
}

impl Watch for Display {
    fn group(&mut self, name: &str, runs: usize) {
        self.group = name.to_owned();
        self.done = 0;
        self.progress = Some(RunsProgress::new(runs));
    }

    fn run(&mut self, case: &Case) {
        if let Some(progress) = &mut self.progress {
            let message = format!("{}: {}", self.group, case.contender.implementation());
            progress.begin(message, self.done);
        }
        self.done += 1;
    }

    fn results(&mut self, results: &Results, peers: &Peers) -> Result<(), BenchError> {
        self.progress = None;
        self.terminal.print(&format!("{}\n{}", self.group, report::table(results).to_text()));
        match &mut self.json {
            Some(json) => {
                self.machine.look_again();
                json.write_all(results, peers, &self.machine)
            }
            None => Ok(()),
        }
    }
}
