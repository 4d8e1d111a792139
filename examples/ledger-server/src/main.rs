//! Serves a durable ledger until it is told to end.
//!
//! `cargo run --release -p odeon-example-ledger-server -- --folder /var/lib/ledger`

#![forbid(unsafe_code)]

use clap::Parser;
use odeon::durable::{DurableRef, SpawnDurable, Store};
use odeon::prelude::*;
use odeon_example_ledger::{ToLedger, TransferLedger};
use odeon_example_ledger_server::{router, serve};
use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

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
async fn main() -> ExitCode {
    match run(&Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    if u64::from(options.accounts).checked_mul(options.balance).is_none() {
        return Err("--balance: all accounts together have more than 64 bits can count".into());
    }
    let mut told_to_end = signal(SignalKind::terminate())?;
    let (binary, http) =
        (bind("--binary", options.binary).await?, bind("--http", options.http).await?);
    let theater = Theater::new()?;
    let ledger = open(&theater, options)
        .map_err(|error| format!("--folder: {}: {error}", options.folder.display()))?;
    if let Some(torn) = ledger.torn_end() {
        println!("{torn}");
    }
    println!(
        "{} commits were there; packets to {}, HTTP to {}",
        ledger.recovered_commits(),
        binary.local_addr()?,
        http.local_addr()?
    );
    tokio::select! {
        () = serve(binary, ledger.actor_ref()) => {}
        ended = axum::serve(http, router(ledger.actor_ref())) => ended?,
        interrupted = tokio::signal::ctrl_c() => interrupted?,
        _ = told_to_end.recv() => {}
    }
    drop(ledger);
    // Drops what was not handled: nobody was told of it.
    let report = tokio::task::spawn_blocking(move || theater.shutdown(PATIENCE)).await?;
    drop(report);
    Ok(())
}

fn open(theater: &Theater, options: &Options) -> Result<DurableRef<ToLedger>, Box<dyn Error>> {
    let store = Store::open(&options.folder)?;
    let ledger = TransferLedger::new(options.accounts, options.balance);
    Ok(theater.spawn_durable(&store, "ledger", ledger, Processing::default())?)
}

async fn bind(option: &str, address: SocketAddr) -> Result<TcpListener, String> {
    TcpListener::bind(address).await.map_err(|error| format!("{option}: {address}: {error}"))
}
