//! What the implementations of `front` have in common: the balance, and those who ask for it.

use std::fmt::Display;
use std::future::Future;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::task::JoinSet;

use crate::host::Host;
use crate::params::{Askers, Front};
use crate::peer::Sample;
use crate::work::Work;

/// What is kept. A deposit computes for a while, as a handler of an application does.
pub struct Balance {
    deposits: u64,
    work: Work,
}

impl Balance {
    pub fn new(params: &Front) -> Self {
        Self { deposits: 0, work: Work::of_ns(params.handler_ns) }
    }

    /// One more; answers the balance.
    pub fn deposit(&mut self) -> u64 {
        self.work.compute(self.deposits);
        self.deposits += 1;
        self.deposits
    }
}

/// A reference to who keeps the balance. A deposit is of one, and answered with the balance.
pub trait Account: Clone + Send + Sync + 'static {
    /// From a task, which awaits the answer.
    fn deposit(&self) -> impl Future<Output = Result<u64, String>> + Send;

    /// From a thread that is none of the runtime's, and waits for the answer.
    fn deposit_in_thread(&self, runtime: &Handle) -> Result<u64, String> {
        runtime.block_on(self.deposit())
    }
}

pub fn gone(problem: impl Display) -> String {
    format!("the account is gone: {problem}")
}

/// The balances that askers were told.
#[derive(Default)]
struct Told {
    sum: u128,
    highest: u64,
}

impl Told {
    fn hear(&mut self, balance: u64) {
        self.sum += u128::from(balance);
        self.highest = balance;
    }

    fn add(&mut self, other: &Self) {
        self.sum += other.sum;
        self.highest = self.highest.max(other.highest);
    }

    /// They are 1, 2, 3 and so on, each once, up to the last one.
    fn check(&self, deposits: u64) -> Result<(), String> {
        let all = u128::from(deposits);
        let Self { sum, highest } = self;
        if *highest == deposits && *sum == all * (all + 1) / 2 {
            return Ok(());
        }
        Err(format!("{deposits} deposits come to {highest}, all balances to {sum}"))
    }
}

/// Times all deposits, from the first question to the last answer.
pub fn ask(host: &Host, params: &Front, account: &impl Account) -> Result<Sample, String> {
    let of_each = params.deposits.div_ceil(params.senders as u64);
    let (elapsed, told) = match params.askers {
        Askers::Threads => ask_by_threads(host, params.senders, of_each, account)?,
        Askers::Tasks => ask_by_tasks(host, params.senders, of_each, account)?,
    };
    let ops = of_each * params.senders as u64;
    told.check(ops)?;
    Ok(Sample { ops, elapsed })
}

fn ask_by_threads(
    host: &Host,
    senders: usize,
    of_each: u64,
    account: &impl Account,
) -> Result<(Duration, Told), String> {
    let begin = Barrier::new(senders + 1);
    let end = Barrier::new(senders + 1);
    let one = || {
        let ask_all = || {
            let mut told = Told::default();
            for _ in 0..of_each {
                told.hear(account.deposit_in_thread(host.handle())?);
            }
            Ok::<_, String>(told)
        };
        begin.wait();
        let told = ask_all();
        end.wait();
        told
    };
    thread::scope(|scope| {
        let askers: Vec<_> = (0..senders).map(|_| scope.spawn(one)).collect();
        begin.wait();
        let started = Instant::now();
        end.wait();
        let elapsed = started.elapsed();
        let mut told = Told::default();
        for asker in askers {
            told.add(&asker.join().map_err(|_| "a thread that asks panicked")??);
        }
        Ok((elapsed, told))
    })
}

fn ask_by_tasks(
    host: &Host,
    senders: usize,
    of_each: u64,
    account: &impl Account,
) -> Result<(Duration, Told), String> {
    let started = Instant::now();
    let told = host.block_on(async {
        let mut askers = JoinSet::new();
        for _ in 0..senders {
            let account = account.clone();
            askers.spawn(async move {
                let mut told = Told::default();
                for _ in 0..of_each {
                    told.hear(account.deposit().await?);
                }
                Ok::<_, String>(told)
            });
        }
        let mut told = Told::default();
        while let Some(asker) = askers.join_next().await {
            told.add(&asker.map_err(|problem| problem.to_string())??);
        }
        Ok::<_, String>(told)
    })?;
    Ok((started.elapsed(), told))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(balances: &[u64]) -> Told {
        let mut told = Told::default();
        balances.iter().for_each(|balance| told.hear(*balance));
        told
    }

    #[test]
    fn a_deposit_that_got_lost_shows() {
        let mut all = told(&[1, 3, 5]);
        all.add(&told(&[2, 4]));
        assert_eq!(all.check(5), Ok(()));
        assert!(all.check(6).is_err());
        assert!(told(&[1, 2, 2]).check(3).is_err());
        assert!(told(&[1, 1, 4]).check(3).is_err());
    }
}
