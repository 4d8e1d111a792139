//! Serves a durable ledger until it is told to end.
//!
//! `cargo run --release -p odeon-example-ledger-server -- --folder /var/lib/ledger`

#![forbid(unsafe_code)]

use clap::Parser;
use odeon::durable::{SpawnDurable, Store};
use odeon::prelude::*;
use odeon_example_ledger::TransferLedger;
use odeon_example_ledger_server::{router, serve};
use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use tokio::net::TcpListener;

/// A ledger whose transfers are on the disk when they are answered.
#[derive(Parser)]
struct Options {
    /// Where its log is.
    #[arg(long)]
    folder: PathBuf,
    /// Accounts. There may be more than when it was last started, never less.
    #[arg(long, default_value_t = 100_000)]
    accounts: u32,
    /// What an account has that nobody has transferred from or to.
    #[arg(long, default_value_t = 1_000_000)]
    balance: u64,
    /// Where packets come.
    #[arg(long, default_value = "127.0.0.1:7400")]
    binary: SocketAddr,
    /// Where HTTP comes.
    #[arg(long, default_value = "127.0.0.1:7480")]
    http: SocketAddr,
}

/// How long what is under way may take at the end.
const PATIENCE: Duration = Duration::from_secs(30);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let (theater, store) = (Theater::new()?, Store::open(&options.folder)?);
    let ledger = TransferLedger::new(options.accounts, options.balance);
    let ledger = theater.spawn_durable(&store, "ledger", ledger, Processing::default())?;
    let (binary, http) =
        (TcpListener::bind(options.binary).await?, TcpListener::bind(options.http).await?);
    println!(
        "{} commits were there; packets to {}, HTTP to {}",
        ledger.recovered_commits(),
        binary.local_addr()?,
        http.local_addr()?
    );
    tokio::select! {
        ended = serve(binary, ledger.actor_ref()) => ended?,
        ended = axum::serve(http, router(ledger.actor_ref())) => ended?,
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    drop(ledger);
    // Drops what was not handled: nobody was told of it.
    let report = tokio::task::spawn_blocking(move || theater.shutdown(PATIENCE)).await?;
    drop(report);
    Ok(())
}
