//! One run without a network: a ledger, its clients and auditors in one theater.

use crate::client::{Auditor, LedgerClient, ToClient};
use crate::load::BALANCE;
use crate::{HotLoad, HotWay, StopFlag};
use odeon::durable::{DurableRef, SpawnDurable, Store};
use odeon::prelude::*;
use odeon_bench::error::BenchError;
use odeon_bench::latency::Latency;
use odeon_bench::memory::cpu_time_ns;
use odeon_example_ledger::{Books, ToLedger, TransferLedger};
use odeon_example_run::{Post, finish_line, runtime, theater_with};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// The ledger's name in its store.
pub(crate) const NAME: &str = "ledger";

/// How long a theater may take to end: as long as a disk takes for what is in memory.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// What one run came to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HotSample {
    /// Acknowledged transfers a second, from the first to the last.
    pub per_second: f64,
    /// Of an acknowledgement.
    pub latency: Latency,
    /// Processor time of all threads for a transfer.
    pub cpu_ns: f64,
    /// Sums of all accounts that were made meanwhile, in a second.
    pub audits_per_second: f64,
}

/// Runs once, and checks what came out: that all is there after the theater has ended, if it is to
/// be there.
pub(crate) fn run(
    way: HotWay,
    load: &HotLoad,
    workers: usize,
    store: &Store,
    stop: &StopFlag,
) -> Result<HotSample, BenchError> {
    let theater = theater_with(workers)?;
    let sample = match way {
        HotWay::Volatile => {
            let ledger = TransferLedger::new(load.accounts, BALANCE);
            let ledger = theater.spawn_speculative(ledger, Processing::default());
            run_on(&theater, load, &ledger.actor_ref(), stop)
        }
        HotWay::Durable => {
            run_on(&theater, load, &open(&theater, store, load.accounts)?.actor_ref(), stop)
        }
    };
    drop(theater.shutdown(PATIENCE));
    if way == HotWay::Durable {
        check_again(load, workers, store)?;
    }
    sample
}

/// The ledger of a store as a durable actor.
pub(crate) fn open(
    theater: &Theater,
    store: &Store,
    accounts: u32,
) -> Result<DurableRef<ToLedger>, BenchError> {
    let ledger = TransferLedger::new(accounts, BALANCE);
    theater.spawn_durable(store, NAME, ledger, Processing::default()).map_err(runtime)
}

/// What a ledger has after all transfers of a load.
fn expected(load: &HotLoad) -> Books {
    Books { sum: u64::from(load.accounts) * BALANCE, transfers: load.transfers }
}

fn check(load: &HotLoad, ledger: &ActorRef<ToLedger>) -> Result<(), BenchError> {
    let books = ledger.ask(ToLedger::Audit).wait().map_err(runtime)?;
    let expected = expected(load);
    if books == expected {
        Ok(())
    } else {
        Err(BenchError::WrongResult(format!("the ledger has {books:?}, not {expected:?}")))
    }
}

/// Opens the ledger again.
fn check_again(load: &HotLoad, workers: usize, store: &Store) -> Result<(), BenchError> {
    let theater = theater_with(workers)?;
    let ledger = open(&theater, store, load.accounts)?.actor_ref();
    let checked = check(load, &ledger);
    drop(ledger);
    drop(theater.shutdown(PATIENCE));
    checked
}

fn run_on(
    theater: &Theater,
    load: &HotLoad,
    ledger: &ActorRef<ToLedger>,
    stop: &StopFlag,
) -> Result<HotSample, BenchError> {
    let (finish, waiting) = finish_line(load.clients);
    let (tell, told) = channel();
    let new_client = |wanted| {
        theater.spawn(LedgerClient::new(wanted, ledger.clone(), tell.clone(), finish.clone()))
    };
    let clients: Vec<_> = load.of_clients()?.into_iter().map(new_client).collect();
    let (audits, is_over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let sum = expected(load).sum;

    let (begun, cpu_before) = (Instant::now(), cpu_time_ns());
    let new_auditor = |_| {
        let (ledger, done, is_over) = (ledger.clone(), audits.clone(), is_over.clone());
        theater.spawn(Auditor { ledger, sum, done, is_over, finish: finish.clone() })
    };
    let auditors: Vec<_> = (0..load.auditors).map(new_auditor).collect();
    clients.iter().for_each(|client| client.post(ToClient::Begin { window: load.window }));
    let finished = waiting.wait_while(|| stop.check());
    let (elapsed, cpu_ns) = (begun.elapsed().as_secs_f64(), cpu_time_ns() - cpu_before);
    // ORDERING: Relaxed: a hint, and a count of what is over.
    is_over.store(true, Ordering::Relaxed);
    let audits = audits.load(Ordering::Relaxed);
    drop(auditors);
    finished?;
    check(load, ledger)?;

    // A client tells its latencies before it arrives.
    let latencies = told.try_iter().flatten().collect();
    let latency = Latency::of(latencies);
    Ok(HotSample {
        per_second: load.transfers as f64 / elapsed,
        latency: latency.ok_or_else(|| BenchError::WrongResult("nothing was done".to_owned()))?,
        cpu_ns: cpu_ns as f64 / load.transfers as f64,
        audits_per_second: audits as f64 / elapsed,
    })
}
