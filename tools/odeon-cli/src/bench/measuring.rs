//! Options that all measuring commands share.
//!
//! The structs have no doc comments: clap would make them the description of every command.

use crate::output::Terminal;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use odeon_bench::error::BenchError;
use odeon_bench::peers;
use odeon_bench::runner::Rounds;
use std::path::PathBuf;

#[derive(Args, Clone, Copy)]
pub(super) struct Repetition {
    /// Samples of each case, taken in turn, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = at_most(1, 1000))]
    samples: usize,
    /// Runs of each case before the samples, 0 to 1000
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_most(0, 1000))]
    warmup: usize,
}

impl Repetition {
    pub(super) fn rounds(self) -> Rounds {
        Rounds { warmup: self.warmup, samples: self.samples }
    }
}

#[derive(Args, Clone)]
pub(super) struct Comparison {
    /// Other runtimes or libraries to run the same on, each in a process of its own, built on
    /// demand
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = peers::ACTOR_RUNTIMES)]
    pub(super) vs: Vec<String>,
    /// Write every result with every sample as a line of JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
}

/// A parser of numbers in a range; its messages name the option and the range.
pub(super) fn at_most(min: u64, max: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(min..=max)
}

/// What is measured has been told; that something has failed is the end of the command all the
/// same.
pub(super) fn ended(terminal: Terminal, failures: &[String]) -> Result<(), BenchError> {
    terminal.finish()?;
    match failures {
        [] => Ok(()),
        failures => Err(BenchError::Runtime(failures.join("; "))),
    }
}
