//! Threads or tasks that make deposits.

use crate::account::{Accounts, failed, theater_of};
use odeon_example_run::{RunError, Timed};
use odeon_example_shared_state::Work;
use std::sync::Barrier;
use std::thread;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// Who asks, and for what.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// The way in which the accounts are kept: one of [`KEEPERS`](crate::KEEPERS).
    pub keeper: &'a str,
    /// How many ask, each its next question when it has its answer.
    pub askers: usize,
    /// Over how many accounts they are spread.
    pub accounts: usize,
    /// Tasks of a runtime of tokio with as many threads as the theater has workers, not threads.
    pub by_tasks: bool,
    /// Deposits of all askers together; each makes as many.
    pub deposits: u64,
    /// What a deposit computes.
    pub work: Work,
    /// Workers of the theater.
    pub workers: usize,
}

impl Asking<'_> {
    fn of_each(&self) -> u64 {
        self.deposits.div_ceil(self.askers as u64)
    }

    fn of_all(&self) -> u64 {
        self.of_each() * self.askers as u64
    }

    /// The balances that all askers are told, together: of each account 1, 2, 3 and so on, each
    /// once.
    fn sum(&self) -> u128 {
        let deposits = |account| {
            let askers = (self.askers + self.accounts - 1 - account) / self.accounts;
            u128::from(self.of_each()) * askers as u128
        };
        (0..self.accounts).map(deposits).map(|last| last * (last + 1) / 2).sum()
    }
}

/// A runtime of tokio with so many threads.
pub(crate) fn tokio_runtime(threads: usize) -> Result<Runtime, RunError> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(threads).enable_all().build().map_err(failed)
}

/// Times all deposits, from the first question to the last answer.
///
/// # Errors
/// If the account does not come to what was deposited, or a runtime does not start.
pub fn run(asking: &Asking<'_>) -> Result<Timed, RunError> {
    let runtime = tokio_runtime(asking.workers)?;
    let theater = theater_of(asking.keeper, asking.workers, runtime.handle())?;
    let accounts =
        Accounts::kept(asking.keeper, asking.accounts, asking.work, &theater, runtime.handle())?;
    let (timed, sum) = match asking.by_tasks {
        true => by_tasks(asking, &accounts, &runtime)?,
        false => by_threads(asking, &accounts)?,
    };
    if sum != asking.sum() {
        let all = asking.of_all();
        return Err(failed(format!("the balances of {all} deposits sum up to {sum}")));
    }
    Ok(timed)
}

fn by_threads(asking: &Asking<'_>, accounts: &Accounts) -> Result<(Timed, u128), RunError> {
    let begin = Barrier::new(asking.askers + 1);
    let one = |account| {
        begin.wait();
        let sum: Result<u128, _> =
            (0..asking.of_each()).map(|_| accounts.deposit(account).map(u128::from)).sum();
        begin.wait();
        sum
    };
    thread::scope(|scope| {
        let askers: Vec<_> = (0..asking.askers)
            .map(|asker| scope.spawn(move || one(asker % asking.accounts)))
            .collect();
        let (timed, ()) = Timed::of(asking.of_all(), || {
            begin.wait();
            begin.wait();
        });
        let sums = askers.into_iter().map(|asker| {
            asker.join().unwrap_or_else(|_| Err(failed("a thread that asks panicked")))
        });
        Ok((timed, sums.sum::<Result<_, _>>()?))
    })
}

fn by_tasks(
    asking: &Asking<'_>,
    accounts: &Accounts,
    runtime: &Runtime,
) -> Result<(Timed, u128), RunError> {
    let deposits = asking.of_each();
    let (timed, sum) = Timed::of(asking.of_all(), || {
        runtime.block_on(async {
            let mut askers = JoinSet::new();
            for asker in 0..asking.askers {
                let (accounts, account) = (accounts.clone(), asker % asking.accounts);
                askers.spawn(async move {
                    let mut sum = 0;
                    for _ in 0..deposits {
                        sum += u128::from(accounts.deposit_in_task(account).await?);
                    }
                    Ok(sum)
                });
            }
            let mut sum = 0;
            while let Some(asker) = askers.join_next().await {
                sum += asker.map_err(failed)??;
            }
            Ok(sum)
        })
    });
    sum.map(|sum| (timed, sum))
}

/// One thread that makes all deposits without anything between.
///
/// # Errors
/// None.
pub fn floor(deposits: u64, work: Work) -> Result<Timed, RunError> {
    let (timed, _) = Timed::of(deposits, || {
        (0..deposits).for_each(|balance| work.compute(std::hint::black_box(balance)));
    });
    Ok(timed)
}
