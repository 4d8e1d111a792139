//! Threads or tasks that ask one account.

use crate::account::{Account, failed, theater_of};
use odeon_example_run::{RunError, Timed};
use odeon_example_shared_state::Work;
use std::sync::Barrier;
use std::thread;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// Who asks, and for what.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// The way in which the account is kept: one of [`KEEPERS`](crate::KEEPERS).
    pub keeper: &'a str,
    /// How many ask, each its next question when it has its answer.
    pub askers: usize,
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
    let account = Account::kept(asking.keeper, asking.work, &theater, runtime.handle())?;
    let (timed, sum) = match asking.by_tasks {
        true => by_tasks(asking, &account, &runtime)?,
        false => by_threads(asking, &account)?,
    };
    // The balances that the askers were told are 1, 2, 3 and so on, each once.
    let all = u128::from(asking.of_all());
    if sum != all * (all + 1) / 2 {
        return Err(failed(format!("the balances of {all} deposits sum up to {sum}")));
    }
    Ok(timed)
}

fn by_threads(asking: &Asking<'_>, account: &Account) -> Result<(Timed, u128), RunError> {
    let begin = Barrier::new(asking.askers + 1);
    let one = || {
        begin.wait();
        let sum: Result<u128, _> =
            (0..asking.of_each()).map(|_| account.deposit().map(u128::from)).sum();
        begin.wait();
        sum
    };
    thread::scope(|scope| {
        let askers: Vec<_> = (0..asking.askers).map(|_| scope.spawn(one)).collect();
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
    account: &Account,
    runtime: &Runtime,
) -> Result<(Timed, u128), RunError> {
    let deposits = asking.of_each();
    let (timed, sum) = Timed::of(asking.of_all(), || {
        runtime.block_on(async {
            let mut askers = JoinSet::new();
            for _ in 0..asking.askers {
                let account = account.clone();
                askers.spawn(async move {
                    let mut sum = 0;
                    for _ in 0..deposits {
                        sum += u128::from(account.deposit_in_task().await?);
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
