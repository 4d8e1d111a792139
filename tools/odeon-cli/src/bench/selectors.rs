//! `odeon bench selectors`: selectors beside plain actors, and both beside the paper.

use super::measuring::{at_most, ended};
use crate::output::Terminal;
use crate::progress::Progress;
use clap::Args;
use odeon_bench::environment::Machine;
use odeon_bench::error::BenchError;
use odeon_bench::runner::Rounds;
use odeon_bench::selectors::{SelectorsPlan, WatchSelectors, names};
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct SelectorsArguments {
    /// Write plots and a page that sets the results beside the paper's figures
    #[arg(long)]
    reproduce: bool,
    /// The folder of page and plots
    #[arg(
        long,
        value_name = "DIR",
        default_value = "selectors-reproduction",
        requires = "reproduce"
    )]
    out: PathBuf,
    /// The paper's parameters: up to ten times the work
    #[arg(long)]
    paper: bool,
    /// Small sizes, which compare nothing
    #[arg(long, conflicts_with = "paper")]
    quick: bool,
    /// Samples of each version, taken in turn, 1 to 1000 [default: 10, with --quick 1]
    #[arg(long, value_name = "N", value_parser = at_most(1, 1000))]
    samples: Option<usize>,
    /// Runs of each version before the samples, 0 to 1000 [default: 1, with --quick 0]
    #[arg(long, value_name = "N", value_parser = at_most(0, 1000))]
    warmup: Option<usize>,
    /// Only these benchmarks
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = names())]
    only: Vec<String>,
}

pub(super) fn run(arguments: &SelectorsArguments) -> Result<(), BenchError> {
    let quick = arguments.quick;
    let plan = SelectorsPlan {
        quick,
        paper: arguments.paper,
        rounds: Rounds {
            warmup: arguments.warmup.unwrap_or(usize::from(!quick)),
            samples: arguments.samples.unwrap_or(if quick { 1 } else { 10 }),
        },
        only: arguments.only.clone(),
    };
    let out = arguments.reproduce.then_some(&arguments.out);
    if let Some(out) = out {
        std::fs::create_dir_all(out).map_err(|error| {
            BenchError::bad_argument("--out", format!("{}: {error}", out.display()))
        })?;
    }
    let mut terminal = Terminal::default();
    terminal.print(&format!("selectors on {}\n", Machine::here().line()));
    let mut display = Display { progress: None, name: String::new(), done: 0 };
    let outcome = plan.run(&mut display)?;
    drop(display);
    terminal.print(&outcome.table().to_text());
    if let Some(out) = out {
        let page = outcome.write(&plan, out)?;
        terminal.print(&format!("plots, and the page beside the paper: {}", page.display()));
    }
    ended(terminal, &outcome.failures())
}

/// A bar for each benchmark.
struct Display {
    progress: Option<Progress>,
    name: String,
    done: usize,
}

impl WatchSelectors for Display {
    fn comparison(&mut self, name: &str, runs: usize) {
        self.name = name.to_owned();
        self.done = 0;
        self.progress = Some(Progress::new(runs));
    }

    fn run(&mut self, what: String) {
        if let Some(progress) = &mut self.progress {
            progress.begin(format!("{}: {what}", self.name), self.done);
        }
        self.done += 1;
    }
}
