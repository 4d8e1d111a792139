//! The command `odeon`.
//!
//! Exit codes: 0 when all went well, 1 when something failed, 2 when the command line is to blame.

mod bench;
mod output;
mod progress;

use clap::{Parser, Subcommand};
use odeon_bench::error::BenchError;
use odeon_bench::heap_bytes::CountingAllocator;
use odeon_bench::workloads::theaters::run_member;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Odeon: an actor runtime.
#[derive(Parser)]
#[command(name = "odeon", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure workloads beside their floors and other runtimes.
    Bench(Box<bench::BenchArguments>),
    /// A member of a workload that has several processes; the one that measures starts it.
    #[command(hide = true)]
    Member {
        /// What it does, as JSON.
        seat: String,
    },
}

fn main() -> ExitCode {
    let Arguments { command } = Arguments::parse();
    let done = match command {
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Member { seat } => run_member(&seat),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            exit_code(&error)
        }
    }
}

fn exit_code(error: &BenchError) -> ExitCode {
    if error.is_bad_argument() { ExitCode::from(2) } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }
}
