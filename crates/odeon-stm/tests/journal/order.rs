//! Several threads at one state: what they log, put in the order of the numbers, is what has
//! happened.

use crate::log::MemoryLog;
use crate::support::Random;
use odeon_stm::collections::{TMap, TQueue};
use odeon_stm::journal::{ApplyError, Changes, Journal, Journaled};
use odeon_stm::staged::{Attempted, attempt_here};
use odeon_stm::{Abort, Mode, Rollback, Snapshot, TCounter, TVar, Tx, atomically, snapshot};
use std::sync::atomic::{AtomicU64, Ordering};

const ACCOUNTS: u64 = 8;
const EACH: i64 = 100;
const THREADS: u64 = 4;
const TRANSACTIONS: u64 = 2_000;

/// Money that moves, and what was seen of it.
struct Bank {
    balances: Vec<TVar<i64>>,
    /// The same in the elements of a map.
    shares: TMap<u64, i64>,
    moves: TCounter,
    /// Counts up; `seen` follows, and is never before it.
    version: TVar<u64>,
    seen: TVar<u64>,
    /// Written without a look at what was there.
    last: TVar<u64>,
    queue: TQueue<u64>,
}

impl Bank {
    fn new() -> Self {
        Self {
            balances: (0..ACCOUNTS).map(|_| TVar::new(EACH)).collect(),
            shares: (0..ACCOUNTS).map(|key| (key, EACH)).collect(),
            moves: TCounter::new(0),
            version: TVar::new(0),
            seen: TVar::new(0),
            last: TVar::new(0),
            queue: TQueue::new(),
        }
    }

    fn named(&self, name: &[u32]) -> &dyn Journaled {
        match name {
            [0, account] => &self.balances[*account as usize],
            [1] => &self.shares,
            [2] => &self.moves,
            [3] => &self.version,
            [4] => &self.seen,
            [5] => &self.last,
            [6] => &self.queue,
            _ => panic!("nothing is called {name:?}"),
        }
    }

    fn step<'t>(&'t self, tx: &mut Tx<'t>, random: &mut Random) -> Result<(), Rollback> {
        let (from, to) = (random.below(ACCOUNTS), random.below(ACCOUNTS));
        match random.below(8) {
            0 | 1 => {
                let amount = self.balances[from as usize].get(tx)?.min(7);
                self.balances[from as usize].update(tx, |n| n - amount)?;
                self.balances[to as usize].update(tx, |n| n + amount)?;
                self.moves.add(tx, 1)
            }
            2 => {
                self.shares.update(tx, &from, |n| n - 3)?;
                self.shares.update(tx, &to, |n| n + 3)?;
                self.moves.add(tx, 1)
            }
            // A key that goes and comes back.
            3 => match self.shares.remove(tx, &from)? {
                Some(share) => self.shares.put(tx, from, *share).map(drop),
                None => Ok(()),
            },
            4 => self.version.update(tx, |n| n + 1),
            5 => {
                let version = self.version.get(tx)?;
                self.seen.set(tx, version)
            }
            6 => self.last.set(tx, random.below(1_000)),
            _ if from % 2 == 0 => self.queue.push(tx, to),
            _ => self.queue.pop(tx).map(drop),
        }
    }

    fn contents(&self) -> String {
        let contents = snapshot(|view| {
            let mut shares = self.shares.entries(view)?;
            shares.sort();
            let balances: Vec<i64> =
                self.balances.iter().map(|balance| balance.get(view)).collect::<Result<_, _>>()?;
            let queue = self.queue.fold(view, Vec::new(), |mut all, one| {
                all.push(*one);
                all
            })?;
            let numbers = (self.moves.get(view)?, self.version.get(view)?, self.seen.get(view)?);
            Ok(format!("{balances:?} {shares:?} {numbers:?} {} {queue:?}", self.last.get(view)?))
        });
        contents.unwrap()
    }

    fn is_in_order(&self) -> bool {
        let balances: i64 = self.balances.iter().map(TVar::peek).sum();
        let shares = snapshot(|view| self.shares.fold(view, 0, |sum, _, share| sum + share));
        let all = EACH * ACCOUNTS as i64;
        (balances, shares) == (all, Ok(all)) && self.seen.peek() <= self.version.peek()
    }

    /// Makes the changes of a record.
    fn apply_all(&self, record: &[u8]) {
        atomically(|tx| {
            for change in Changes::of(record) {
                let change = change.expect("it was written so");
                match self.named(&change.name).apply(tx, change.bytes) {
                    Err(ApplyError::Rollback(rollback)) => return Err(rollback),
                    applied => applied.expect("it was made so"),
                }
            }
            Ok(())
        });
    }
}

impl Journaled for Bank {
    fn enroll(&self, _: &[u32], journal: &mut Journal) {
        for (account, balance) in self.balances.iter().enumerate() {
            balance.enroll(&[0, account as u32], journal);
        }
        (1..=6).for_each(|field| self.named(&[field]).enroll(&[field], journal));
    }

    fn apply<'t>(&'t self, _: &mut Tx<'t>, _: &[u8]) -> Result<(), ApplyError> {
        Err(ApplyError::NoChange)
    }

    fn tell<'t>(&'t self, _: &mut Snapshot<'t>, _: &mut dyn FnMut(&[u8])) -> Result<(), Rollback> {
        Ok(())
    }
}

/// Runs one transaction until it has committed.
fn run_one(bank: &Bank, log: &MemoryLog, random: &mut Random) {
    let seed = random.below(u64::MAX);
    loop {
        let run = attempt_here(Mode::Logged, |tx| {
            tx.log_to(log);
            Ok::<_, Abort<()>>(bank.step(tx, &mut Random::new(seed))?)
        });
        let Attempted::Finished(finished, ()) = run else { continue };
        if finished.commit().is_ok() {
            return;
        }
    }
}

fn prefixes_are_in_order(with_snapshots: bool) {
    let (bank, running) = (Bank::new(), AtomicU64::new(THREADS));
    let log = MemoryLog::of(&bank);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (bank, log, running) = (&bank, &log, &running);
            scope.spawn(move || {
                let random = &mut Random::new(thread + 1);
                for _ in 0..TRANSACTIONS {
                    run_one(bank, log, random);
                }
                running.fetch_sub(1, Ordering::Relaxed);
            });
        }
        while with_snapshots && running.load(Ordering::Relaxed) > 0 {
            assert!(bank.contents().starts_with('['));
        }
    });
    let (copy, records) = (Bank::new(), log.take());
    assert!(records.iter().map(|(number, _)| *number).eq(0..log.numbers()), "without a gap");
    for (number, record) in &records {
        copy.apply_all(record.as_deref().unwrap_or_default());
        assert!(copy.is_in_order(), "behind number {number}: {}", copy.contents());
    }
    assert_eq!(copy.contents(), bank.contents());
    assert!(bank.is_in_order());
}

#[test]
fn each_prefix_of_the_numbers_is_in_order() {
    prefixes_are_in_order(false);
}

#[test]
fn each_prefix_is_in_order_beside_snapshots() {
    prefixes_are_in_order(true);
}
