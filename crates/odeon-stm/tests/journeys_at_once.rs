//! Journeys of several threads at once, with ordinary transactions and snapshots between them.

use odeon_stm::staged::{Attempted, Journey};
use odeon_stm::{Abort, Mode, TVar, atomically, snapshot};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

type Number = Arc<TVar<i64>>;

/// Several threads send journeys over all accounts, with each part protected before the next one;
/// others look.
#[test]
fn journeys_ordinary_transactions_and_snapshots_at_once() {
    const ROUNDS: i64 = 300;
    let accounts: Vec<_> = (0..4).map(|_| Number::new(TVar::new(100))).collect();
    let is_over = AtomicBool::new(false);
    let committed = AtomicU32::new(0);
    thread::scope(|scope| {
        let travel = |step: usize, protects: bool| {
            for round in 0..ROUNDS {
                while !transfer(&accounts, round as usize, step, protects) {
                    thread::yield_now();
                }
                committed.fetch_add(1, Ordering::SeqCst);
            }
        };
        let travellers = [(1, true), (3, true), (1, false)]
            .map(|(step, protects)| scope.spawn(move || travel(step, protects)));
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                let total = |seen: Vec<i64>| seen.into_iter().sum::<i64>();
                let seen =
                    snapshot(|view| accounts.iter().map(|account| account.get(view)).collect());
                assert_eq!(seen.map(total), Ok(400));
                atomically(|tx| {
                    accounts[0].update(tx, |n| n - 1)?;
                    accounts[2].update(tx, |n| n + 1)
                });
            }
        });
        let outcome = travellers.map(thread::ScopedJoinHandle::join);
        is_over.store(true, Ordering::SeqCst);
        assert!(outcome.iter().all(Result::is_ok));
    });
    assert_eq!(accounts.iter().map(|account| account.peek()).sum::<i64>(), 400);
    assert_eq!(committed.load(Ordering::SeqCst) as i64, 3 * ROUNDS);
    // Nothing is held: this does not wait.
    atomically(|tx| accounts.iter().try_for_each(|account| account.set(tx, 0)));
}

/// One journey over all accounts; `false` if it met somebody. It holds nothing while its thread
/// goes on.
fn transfer(accounts: &[Number], first: usize, step: usize, protects: bool) -> bool {
    let mut journey = Journey::begin(Mode::Logged);
    for place in 0..accounts.len() {
        let account = &accounts[(first + place * step) % accounts.len()];
        let more = if place == 0 { 3 } else { -1 };
        let run = journey.part(account, |account, tx| {
            account.get(tx)?;
            Ok::<_, Abort<()>>(account.update(tx, |n| n + more)?)
        });
        let finished = matches!(run, Attempted::Finished((), ()));
        if !finished || protects && journey.protect().is_err() {
            return false;
        }
    }
    journey.commit_before_hooks().map(odeon_stm::staged::AfterCommit::call).is_ok()
}
