//! `odeon bench heterogeneous`: k-means on cores and devices beside the thesis's figures 6.6, 6.7 and 6.8.

use super::measuring::at_most;
use crate::output::Terminal;
use crate::progress::Progress;
use clap::Args;
use odeon_bench::energy;
use odeon_bench::environment::Machine;
use odeon_bench::error::BenchError;
use odeon_bench::heterogeneous::{HeterogeneousPlan, WatchHeterogeneous};
use odeon_bench::runner::Rounds;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct HeterogeneousArguments {
    /// Write plots and a page that sets the results beside the thesis's figures
    #[arg(long)]
    reproduce: bool,
    /// The folder of page and plots
    #[arg(
        long,
        value_name = "DIR",
        default_value = "heterogeneous-reproduction",
        requires = "reproduce"
    )]
    out: PathBuf,
    /// Small sizes, which compare nothing
    #[arg(long)]
    quick: bool,
    /// Samples of each case, taken in turn, 1 to 1000 [default: 5, with --quick 1]
    #[arg(long, value_name = "N", value_parser = at_most(1, 1000))]
    samples: Option<usize>,
    /// Runs of each case before the samples, 0 to 1000 [default: 1, with --quick 0]
    #[arg(long, value_name = "N", value_parser = at_most(0, 1000))]
    warmup: Option<usize>,
}

pub(super) fn run(arguments: &HeterogeneousArguments) -> Result<(), BenchError> {
    let quick = arguments.quick;
    let plan = HeterogeneousPlan {
        quick,
        rounds: Rounds {
            warmup: arguments.warmup.unwrap_or(usize::from(!quick)),
            samples: arguments.samples.unwrap_or(if quick { 1 } else { 5 }),
        },
        chosen: Vec::new(),
    };
    let out = arguments.reproduce.then_some(&arguments.out);
    if let Some(out) = out {
        std::fs::create_dir_all(out).map_err(|error| {
            BenchError::bad_argument("--out", format!("{}: {error}", out.display()))
        })?;
    }
    let mut terminal = Terminal::default();
    terminal.print(&format!("heterogeneous on {}", Machine::here().line()));
    let mut display = Display { progress: None, name: String::new(), done: 0 };
    let outcome = plan.run(&mut display)?;
    drop(display);
    for (title, table) in outcome.tables() {
        terminal.print(&format!("\n{title}\n"));
        terminal.print(&table.to_text());
    }
    if let Some(why) = energy::missing() {
        terminal.print(&why);
    }
    if let Some(out) = out {
        let page = outcome.write(&plan, out)?;
        terminal.print(&format!("plots, and the page beside the thesis: {}", page.display()));
    }
    terminal.finish()
}

/// A bar for each part.
struct Display {
    progress: Option<Progress>,
    name: String,
    done: usize,
}

impl WatchHeterogeneous for Display {
    fn part(&mut self, name: &str, runs: usize) {
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
