//! The command `odeon`.
//!
//! Exit codes: 0 when all went well, 1 when something failed, 2 when the command line is to blame.

mod bench;
mod energy;
mod log;
mod output;
mod progress;
#[cfg(feature = "theaters")]
mod theater;

use clap::{Parser, Subcommand};
use energy::EnergyError;
use odeon_bench::error::BenchError;
use odeon_bench::heap_bytes::CountingAllocator;
use odeon_bench::standard_error;
use std::fmt::Display;
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
    /// Run a theater that others can create actors in and move them to, or look after those that
    /// run.
    #[cfg(feature = "theaters")]
    Theater(Box<theater::TheaterArguments>),
    /// Show which energy counters this machine has, who chooses its frequencies, and what it draws
    /// when idle.
    Energy(energy::EnergyArguments),
    /// Look at the log of durable actors, or for damage in it. Nothing is changed.
    Log(log::LogArguments),
    /// A member of a workload that has several processes; the one that measures starts it.
    #[cfg(feature = "theaters")]
    #[command(hide = true)]
    Member {
        /// What it does, as JSON.
        seat: String,
    },
    /// Keeps a ledger behind the network; the one that measures starts it.
    #[cfg(feature = "network")]
    #[command(hide = true)]
    Ledger {
        /// Which, as JSON.
        told: String,
    },
    /// Does pieces of k-means that come by a RabbitMQ broker; the one that measures starts it.
    #[cfg(feature = "devices")]
    #[command(hide = true)]
    Serve {
        /// Where they come, as JSON.
        post: String,
    },
}

fn main() -> ExitCode {
    let Arguments { command } = Arguments::parse();
    match command {
        Command::Bench(arguments) => exit(bench::run(&arguments), BenchError::is_bad_argument),
        #[cfg(feature = "theaters")]
        Command::Theater(arguments) => {
            exit(theater::run(&arguments), theater::TheaterError::is_bad_argument)
        }
        Command::Energy(arguments) => exit(energy::run(&arguments), EnergyError::is_bad_argument),
        Command::Log(arguments) => exit(log::run(&arguments), log::ToolError::is_bad_argument),
        #[cfg(feature = "devices")]
        Command::Serve { post } => {
            exit(odeon_bench::run_server(&post), BenchError::is_bad_argument)
        }
        #[cfg(feature = "network")]
        Command::Ledger { told } => {
            exit(odeon_hot::network::serve_ledger(&told), BenchError::is_bad_argument)
        }
        #[cfg(feature = "theaters")]
        Command::Member { seat } => {
            let done = odeon_bench::workloads::theaters::run_member(&seat);
            exit(done, BenchError::is_bad_argument)
        }
    }
}

fn exit<E: Display>(done: Result<(), E>, is_bad_argument: impl FnOnce(&E) -> bool) -> ExitCode {
    let Err(error) = done else { return ExitCode::SUCCESS };
    standard_error::say(format_args!("error: {error}"));
    if is_bad_argument(&error) { ExitCode::from(2) } else { ExitCode::FAILURE }
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
