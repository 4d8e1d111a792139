//! Ledgers behind the packets of `examples/ledger-server`, in a process of their own.

use super::KeeperKind;
use super::sqlite;
use crate::load::BALANCE;
use crate::running::{NAME, PATIENCE};
use odeon::durable::{SpawnDurable, Store};
use odeon::prelude::*;
use odeon_bench::error::BenchError;
use odeon_example_ledger::{Books, TransferLedger};
use odeon_example_ledger_server::packets::LedgerRequest;
use odeon_example_ledger_server::serve;
use odeon_example_run::child_process::{self, ChildProcess};
use odeon_example_run::{runtime, theater_with};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use tokio::net::TcpListener;

/// The hidden subcommand that [`serve_ledger`] is behind.
pub const SERVE: &str = "ledger";

/// Threads of a server's runtime, and workers of its theater.
/// TUNE: guessed 2026-11: what is served by one core, the other one's is the load's.
const THREADS: usize = 2;

/// What is served.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ServedLedger {
    pub(super) kind: KeeperKind,
    pub(super) accounts: u32,
    pub(super) folder: PathBuf,
}

/// The process. It is killed when this is dropped.
pub(super) struct Served {
    process: ChildProcess,
    pub(super) address: SocketAddr,
    pub(super) version: String,
}

impl Served {
    pub(super) fn start(ledger: &ServedLedger) -> Result<Self, BenchError> {
        let mut process = ChildProcess::start(ledger.kind.to_string(), SERVE, ledger)?;
        let said = process.ready()?;
        let (address, version) = said.split_once(' ').unwrap_or((&said, ""));
        let address = address.parse().map_err(runtime)?;
        Ok(Self { process, address, version: version.to_owned() })
    }

    pub(super) fn books(&self) -> Result<Books, BenchError> {
        let mut request = Vec::new();
        LedgerRequest::Audit.write(&mut request);
        let mut answer = [0; 16];
        let asked = TcpStream::connect(self.address).and_then(|mut connection| {
            connection.write_all(&request)?;
            connection.read_exact(&mut answer)
        });
        asked.map_err(runtime)?;
        let [sum, transfers] = [answer.first_chunk(), answer.last_chunk()]
            .map(|number| u64::from_le_bytes(*number.expect("eight of them")));
        Ok(Books { sum, transfers })
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.process.kill();
    }
}

/// Serves what `told` says, in JSON, until the standard input ends.
///
/// # Errors
/// If it cannot be begun.
pub fn serve_ledger(told: &str) -> Result<(), BenchError> {
    child_process::run(SERVE, told, begin)
}

/// What is served, and what it needs meanwhile, in the order in which that ends.
struct Serving {
    runtime: Option<tokio::runtime::Runtime>,
    theater: Option<Theater>,
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Connections, which have references to the ledger, end first.
        drop(self.runtime.take());
        drop(self.theater.take().map(|theater| theater.shutdown(PATIENCE)));
    }
}

fn begin(ledger: &ServedLedger) -> Result<(Serving, String), BenchError> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let executor = builder.worker_threads(THREADS).enable_all().build().map_err(runtime)?;
    let listener = executor.block_on(TcpListener::bind("127.0.0.1:0")).map_err(runtime)?;
    let address = listener.local_addr().map_err(runtime)?;
    let empty = || TransferLedger::new(ledger.accounts, BALANCE);
    let (theater, version) = match ledger.kind {
        KeeperKind::Sqlite => {
            let keeper = sqlite::begin(&ledger.folder, ledger.accounts)?;
            executor.spawn(keeper.serve(listener));
            (None, sqlite::version())
        }
        kind => {
            let theater = theater_with(THREADS)?;
            let actor = if kind == KeeperKind::Volatile {
                theater.spawn_speculative(empty(), Processing::default()).actor_ref()
            } else {
                let store = Store::open(&ledger.folder).map_err(runtime)?;
                let opened = theater.spawn_durable(&store, NAME, empty(), Processing::default());
                opened.map_err(runtime)?.actor_ref()
            };
            executor.spawn(serve(listener, actor));
            (Some(theater), format!("Odeon {}", env!("CARGO_PKG_VERSION")))
        }
    };
    Ok((Serving { runtime: Some(executor), theater }, format!("{address} {version}")))
}
