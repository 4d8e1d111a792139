//! `odeon bench list --reproduce`, `odeon bench geostat --reproduce`: the workload as the papers ran it, with plots and a page.

use super::measuring::ended;
use crate::output::Terminal;
use crate::progress::Progress;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use odeon_bench::error::BenchError;
#[cfg(feature = "devices")]
use odeon_bench::geostat_paper::GeostatPlan;
use odeon_bench::reproduction::{Chosen, ReproductionPlan, WatchReproduction, Written};
use odeon_bench::runner::Rounds;
use std::path::{Path, PathBuf};

/// The workloads that have the option.
const LIST: &str = "list";
const GEOSTAT: &str = "geostat";

const REPRODUCE: &str = "reproduce";
const QUICK: &str = "quick";
const OUT: &str = "out";
const SAMPLES: &str = "samples";
const WARMUP: &str = "warmup";
/// Samples, unless the command line says otherwise: as many as the papers took.
const PAPERS_SAMPLES: usize = 7;

pub(super) struct ReproduceArguments {
    plan: Plan,
    out: PathBuf,
}

enum Plan {
    List(ReproductionPlan),
    #[cfg(feature = "devices")]
    Geostat(GeostatPlan),
}

/// Whether a workload has the option.
pub(super) fn is_reproduced(workload: &str) -> bool {
    [LIST, GEOSTAT].contains(&workload)
}

/// Adds the options. WHY `out` without a default: with some workloads it also asks for pictures.
pub(super) fn with_options(command: Command) -> Command {
    let out_help = match command.get_name() {
        GEOSTAT => {
            "With --reproduce: the folder of page and plots; else: simulate once more, with pictures and the result written into this folder"
        }
        _ => "With --reproduce: the folder of page and plots",
    };
    let is_there = |name: &&str| command.get_arguments().any(|arg| arg.get_id() == *name);
    let others: Vec<&str> =
        ["vs", "json", "plot", "history", "trace"].into_iter().filter(is_there).collect();
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    command
        .arg(
            flag(REPRODUCE)
                .help("Run what the papers ran, and write plots and a page beside their figures; other options replace their values")
                .conflicts_with_all(others),
        )
        .arg(flag(QUICK).help("With --reproduce: small sizes, which compare nothing").requires(REPRODUCE))
        .arg(
            Arg::new(OUT)
                .long(OUT)
                .value_name("DIR")
                .help(out_help)
                .value_parser(clap::value_parser!(PathBuf)),
        )
}

impl ReproduceArguments {
    /// `None` if nothing is to be reproduced; `sweeps` are all parameters, `rounds` what the options say.
    pub(super) fn read(
        workload: &str,
        matches: &ArgMatches,
        sweeps: &[Chosen],
        rounds: Rounds,
    ) -> Option<Self> {
        // An error means that the workload has no such option.
        matches.try_get_one::<bool>(REPRODUCE).ok().flatten().filter(|asked| **asked)?;
        let is_given = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
        let quick = matches.get_flag(QUICK);
        let rounds = Rounds {
            samples: match (is_given(SAMPLES), quick) {
                (true, _) => rounds.samples,
                (false, true) => 1,
                (false, false) => PAPERS_SAMPLES,
            },
            warmup: if quick && !is_given(WARMUP) { 0 } else { rounds.warmup },
        };
        let chosen = sweeps.iter().filter(|(name, _)| is_given(name)).cloned().collect();
        let out = out(matches).unwrap_or_else(|| format!("{workload}-reproduction").into());
        let plan = match workload {
            #[cfg(feature = "devices")]
            GEOSTAT => Plan::Geostat(GeostatPlan { quick, rounds, chosen }),
            _ => Plan::List(ReproductionPlan { quick, rounds, chosen }),
        };
        Some(Self { plan, out })
    }
}

/// The folder that the command line names.
pub(super) fn out(matches: &ArgMatches) -> Option<PathBuf> {
    // An error means that the workload has no such option.
    matches.try_get_one::<PathBuf>(OUT).ok().flatten().cloned()
}

/// Makes the folder if need be.
pub(super) fn create(out: &Path) -> Result<(), BenchError> {
    let refused = |error| BenchError::bad_argument("--out", format!("{}: {error}", out.display()));
    std::fs::create_dir_all(out).map_err(refused)
}

pub(super) fn run(arguments: &ReproduceArguments) -> Result<(), BenchError> {
    let ReproduceArguments { plan, out } = arguments;
    match plan {
        Plan::List(plan) => plan.check()?,
        #[cfg(feature = "devices")]
        Plan::Geostat(plan) => plan.check()?,
    }
    create(out)?;
    let mut display = Display { progress: None, part: String::new(), done: 0 };
    let written: Written = match plan {
        Plan::List(plan) => plan.run(out, &mut display)?,
        #[cfg(feature = "devices")]
        Plan::Geostat(plan) => plan.run(out, &mut display)?,
    };
    drop(display);
    let mut terminal = Terminal::default();
    terminal.print(&format!(
        "{} plots, and the page beside the papers: {}",
        written.plots.len(),
        written.page.display()
    ));
    ended(terminal, &written.failures)
}

/// A bar for each part.
struct Display {
    progress: Option<Progress>,
    part: String,
    done: usize,
}

impl WatchReproduction for Display {
    fn part(&mut self, name: &str, runs: usize) {
        self.part = name.to_owned();
        self.done = 0;
        self.progress = Some(Progress::new(runs));
    }

    fn run(&mut self, what: String) {
        if let Some(progress) = &mut self.progress {
            progress.begin(format!("{}: {what}", self.part), self.done);
        }
        self.done += 1;
    }
}
