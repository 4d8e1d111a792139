//! Transactions on states of all kinds of variables, told by a journal and made again by their
//! names.

use crate::leaves::told;
use odeon_core::Random;
use odeon_durable::state::{Durable, RestoreError, Restorer};
use odeon_macros::Durable;
use odeon_stm::journal::{Changes, CommitLog, Journal};
use odeon_stm::staged::{Attempted, attempt_here};
use odeon_stm::{
    Abort, Labelled, Mode, Rollback, ScopedTx, TCounter, TList, TMap, TMax, TMin, TOrdMap, TQueue,
    TSet, TVar, TVec, TWord, Tx, Word,
};
use odeon_testkit::for_seeds;
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
enum Status {
    #[default]
    Open,
    Closed {
        by: String,
    },
}

#[derive(Clone, Copy, Default)]
struct Euros(i64);

impl Word for Euros {
    fn to_bits(self) -> u64 {
        self.0 as u64
    }

    fn from_bits(bits: u64) -> Self {
        Self(bits as i64)
    }
}

#[derive(Durable, Default)]
#[durable(crate = odeon_durable)]
struct Account<T: Send + Sync + 'static> {
    #[durable(1)]
    balance: TWord<Euros>,
    #[durable(2)]
    status: TVar<T>,
}

#[derive(Durable)]
#[durable(crate = odeon_durable)]
struct Bank {
    #[durable(1)]
    accounts: Vec<Account<Status>>,
    #[durable(2)]
    total: TCounter,
    #[durable(3)]
    extremes: (TMax, TMin),
    #[durable(4)]
    by_name: Labelled<TMap<String, u32>>,
    #[durable(5)]
    by_age: TOrdMap<u32, String>,
    #[durable(6)]
    closed: TSet<u32>,
    #[durable(7)]
    sorted: TList<u32>,
    #[durable(8)]
    history: [TVec<u32>; 2],
    #[durable(9)]
    waiting: Arc<TQueue<u32>>,
}

fn bank() -> Bank {
    Bank {
        accounts: (0..7).map(|_| Account::default()).collect(),
        total: TCounter::new(0),
        extremes: (TMax::new(0), TMin::new(0)),
        by_name: Labelled::new("names", TMap::new()),
        by_age: TOrdMap::new(),
        closed: TSet::new(),
        sorted: TList::new(),
        history: Default::default(),
        waiting: Arc::default(),
    }
}

/// Does something to the bank, what the numbers say.
fn change<'t>(bank: &'t Bank, tx: &mut Tx<'t>, what: usize, n: u32) -> Result<(), Rollback> {
    let account = &bank.accounts[n as usize % bank.accounts.len()];
    match what {
        0 => account.balance.set(tx, Euros(-i64::from(n))),
        1 => account.status.set(tx, Status::Closed { by: n.to_string() }),
        2 => bank.total.add(tx, i64::from(n) - 10),
        3 => bank.extremes.0.raise(tx, i64::from(n)),
        4 => bank.extremes.1.lower(tx, -i64::from(n)),
        5 => bank.by_name.insert(tx, (n % 5).to_string(), n).map(drop),
        6 => bank.by_name.remove(tx, &*(n % 5).to_string()).map(drop),
        7 => bank.by_age.insert(tx, n % 5, n.to_string()).map(drop),
        8 => bank.closed.add(tx, n),
        9 => bank.sorted.insert(tx, n).map(drop),
        10 => bank.history[n as usize % 2].push(tx, n).map(drop),
        11 => bank.waiting.push(tx, n),
        _ => bank.waiting.pop(tx).map(drop),
    }
}

/// A log of one record.
struct LastRecord {
    journal: Journal,
    record: Mutex<Vec<u8>>,
}

impl LastRecord {
    fn of(state: &impl Durable) -> Self {
        Self { journal: state.node().journal(), record: Mutex::default() }
    }
}

impl CommitLog for LastRecord {
    fn journal(&self) -> &Journal {
        &self.journal
    }

    fn number(&self) -> u64 {
        0
    }

    fn committed(&self, _: u64, changes: &[u8]) {
        *self.record.lock().unwrap() = changes.to_vec();
    }

    fn given_up(&self, _: u64) {
        panic!("nobody else is here");
    }
}

/// What a commit of this closure is in a log.
fn logged<'s>(
    log: &'s LastRecord,
    each: impl for<'t> FnOnce(&mut ScopedTx<'t, 's>) -> Result<(), Rollback>,
) -> Vec<u8> {
    let run = attempt_here(Mode::Logged, |tx| {
        tx.log_to(log);
        each(tx).map_err(Abort::<()>::Rollback)
    });
    let Attempted::Finished(finished, ()) = run else { panic!("nobody else is here") };
    finished.commit().expect("nobody else is here");
    std::mem::take(&mut log.record.lock().unwrap())
}

fn restore(bank: &Bank, records: &[Vec<u8>]) -> Result<(), RestoreError> {
    let mut restorer = Restorer::new(bank);
    for record in records {
        restorer.apply_together(|apply| {
            Changes::of(record).try_for_each(|change| {
                let change = change.expect("it was written so");
                apply(&change.name, change.bytes)
            })
        })?;
    }
    restorer.finish();
    Ok(())
}

fn sorted(mut told: Vec<(Vec<u32>, Vec<u8>)>) -> Vec<(Vec<u32>, Vec<u8>)> {
    // Maps tell their elements in no order.
    told.sort();
    told
}

#[test]
fn records_make_the_state_again_that_the_transactions_made() {
    for_seeds(200, |seed| {
        let mut random = Random::from_seed(seed);
        let before = bank();
        let log = LastRecord::of(&before);
        let mut records = Vec::new();
        for _ in 0..random.below(30) {
            let changes: Vec<_> =
                (0..random.below(8)).map(|_| (random.below(13), random.below(20) as u32)).collect();
            records.push(logged(&log, |tx| {
                changes.iter().try_for_each(|&(what, n)| change(&before, tx, what, n))
            }));
        }
        let after = bank();
        restore(&after, &records).expect("they are changes of it");
        assert_eq!(sorted(told(&before)), sorted(told(&after)));
    });
}

#[test]
fn a_variable_that_is_there_twice_cannot_be_enrolled() {
    let shared = Arc::new(TCounter::new(0));
    let state = [shared.clone(), shared];
    assert!(catch_unwind(AssertUnwindSafe(|| state.node().journal())).is_err());
}
