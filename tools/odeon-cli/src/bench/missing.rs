//! Benchmarks that this program was built without: it says how it is built with them.

use clap::{Arg, ArgAction, Command};
use odeon_bench::error::BenchError;
use odeon_bench::workloads::{feature_of, with_features};

/// A hidden command for each, which takes any arguments.
pub(super) fn commands() -> impl Iterator<Item = Command> {
    let missing = with_features().filter(|name| feature_of(name).is_some());
    missing.map(|name| {
        let anything = Arg::new("anything")
            .action(ArgAction::Append)
            .allow_hyphen_values(true)
            .trailing_var_arg(true);
        Command::new(name).hide(true).disable_help_flag(true).arg(anything)
    })
}

/// The name of a benchmark that is missing.
pub(super) fn found(name: &str) -> Option<&'static str> {
    with_features().find(|missing| *missing == name && feature_of(missing).is_some())
}

pub(super) fn run(benchmark: &str) -> Result<(), BenchError> {
    let feature = feature_of(benchmark).unwrap_or_default();
    let text = format!(
        "this benchmark needs `--features {feature}`: cargo run --release -p odeon-cli --features {feature} -- bench {benchmark}"
    );
    Err(BenchError::bad_argument(benchmark, text))
}
