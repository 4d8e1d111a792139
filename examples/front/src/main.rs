//! Serves accounts by axum, kept in each way in turn, and tells how many requests a second each
//! of them takes.
//!
//! `cargo run --release -p odeon-example-front`

#![forbid(unsafe_code)]

use clap::Parser;
use odeon_example_front::{KEEPERS, Work, requests_per_second};
use std::error::Error;

/// Accounts behind an HTTP server, kept by an actor, a lock or a channel.
#[derive(Parser)]
struct Options {
    /// The ways to keep it that are compared.
    #[arg(long, value_delimiter = ',', default_values_t = KEEPERS.iter().map(|name| (*name).to_owned()))]
    keeper: Vec<String>,
    /// Connections that are kept open.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    connections: u32,
    /// Accounts over which the connections are spread; one actor, lock or task keeps all.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    accounts: u32,
    /// What a deposit computes, in nanoseconds.
    #[arg(long, value_delimiter = ',', default_values_t = [0, 20_000])]
    work_ns: Vec<u64>,
    /// Requests of all connections together in a sample.
    #[arg(long, default_value_t = 30_000)]
    requests: u64,
    /// Samples of each way, by turns.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    samples: u32,
}

fn median(samples: &mut [f64]) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    for &work_ns in &options.work_ns {
        let mut taken = vec![Vec::new(); options.keeper.len()];
        for _ in 0..options.samples {
            for (samples, keeper) in taken.iter_mut().zip(&options.keeper) {
                let work = Work::of_ns(work_ns);
                let (connections, accounts) = (options.connections, options.accounts);
                samples.push(requests_per_second(
                    keeper,
                    accounts as usize,
                    work,
                    connections as usize,
                    options.requests,
                )?);
            }
        }
        println!(
            "deposits of {work_ns} ns, {} connections, {} accounts",
            options.connections, options.accounts
        );
        println!("{:>20}  requests a second (median, least, most)", "kept by");
        for (samples, keeper) in taken.iter_mut().zip(&options.keeper) {
            let median = median(samples);
            let (least, most) = (samples[0], samples[samples.len() - 1]);
            println!("{keeper:>20}  {median:>9.0} {least:>9.0} {most:>9.0}");
        }
        println!();
    }
    Ok(())
}
