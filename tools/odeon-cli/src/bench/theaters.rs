//! `odeon bench theaters`: local, remote and mobile actors beside the paper on SALSA Lite.

use super::measuring::{at_most, ended};
use crate::output::Terminal;
use crate::progress::Progress;
use clap::Args;
use odeon_bench::environment::Machine;
use odeon_bench::error::BenchError;
use odeon_bench::parameter::Value;
use odeon_bench::runner::Rounds;
use odeon_bench::theaters_paper::{TheatersPlan, WatchTheaters};
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct TheatersArguments {
    /// Write plots and a page that sets the results beside the paper's figures
    #[arg(long)]
    reproduce: bool,
    /// The folder of page and plots
    #[arg(
        long,
        value_name = "DIR",
        default_value = "theaters-reproduction",
        requires = "reproduce"
    )]
    out: PathBuf,
    /// Small sizes, which compare nothing
    #[arg(long)]
    quick: bool,
    /// Samples of each case, taken in turn, 1 to 1000 [default: 10, with --quick 1]
    #[arg(long, value_name = "N", value_parser = at_most(1, 1000))]
    samples: Option<usize>,
    /// Runs of each case before the samples, 0 to 1000 [default: 1, with --quick 0]
    #[arg(long, value_name = "N", value_parser = at_most(0, 1000))]
    warmup: Option<usize>,
    /// Only these figures, 5 to 9
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(5..=9))]
    only: Vec<u8>,
    /// Worker threads of each theater, 1 to 256, instead of 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=256))]
    workers: Option<u64>,
}

pub(super) fn run(arguments: &TheatersArguments) -> Result<(), BenchError> {
    let quick = arguments.quick;
    let plan = TheatersPlan {
        quick,
        rounds: Rounds {
            warmup: arguments.warmup.unwrap_or(usize::from(!quick)),
            samples: arguments.samples.unwrap_or(if quick { 1 } else { 10 }),
        },
        only: arguments.only.clone(),
        chosen: arguments
            .workers
            .map(|count| ("workers", Value::Number(count)))
            .into_iter()
            .collect(),
    };
    let out = arguments.reproduce.then_some(&arguments.out);
    if let Some(out) = out {
        std::fs::create_dir_all(out).map_err(|error| {
            BenchError::bad_argument("--out", format!("{}: {error}", out.display()))
        })?;
    }
    let mut terminal = Terminal::default();
    terminal.print(&format!("theaters on {}\n", Machine::here().line()));
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

/// A bar for each figure.
struct Display {
    progress: Option<Progress>,
    name: String,
    done: usize,
}

impl WatchTheaters for Display {
    fn figure(&mut self, name: &str, runs: usize) {
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
