//! Attempts in stages: moved between threads, prepared, decided elsewhere, waited for without a
//! thread.

use odeon_stm::staged::{Attempted, Finished, Prepared, attempt};
use odeon_stm::{Abort, Cause, Mode, TMax, TVar, Tickets, atomically, snapshot, stats};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Wake, Waker};
use std::thread;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

/// Counts how often it was woken.
#[derive(Default)]
struct Counting(AtomicU32);

impl Wake for Counting {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Counting {
    fn new() -> (Arc<Self>, Waker) {
        let counting = Arc::new(Self::default());
        (counting.clone(), Waker::from(counting))
    }

    fn count(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

struct Accounts {
    from: TVar<i64>,
    to: TVar<i64>,
}

fn accounts() -> Arc<Accounts> {
    Arc::new(Accounts { from: TVar::new(100), to: TVar::new(0) })
}

/// Moves `amount`, up to the commit.
fn transfer(accounts: &Arc<Accounts>, amount: i64) -> Finished<Accounts> {
    let run = attempt(accounts.clone(), Mode::Logged, move |accounts, tx| {
        accounts.from.update(tx, |balance| balance - amount)?;
        Ok::<_, Abort<()>>(accounts.to.update(tx, |balance| balance + amount)?)
    });
    let Attempted::Finished(finished, ()) = run else { panic!("nobody is in the way") };
    finished
}

fn prepared(accounts: &Arc<Accounts>, amount: i64) -> Prepared<Accounts> {
    transfer(accounts, amount).prepare().expect("nobody is in the way")
}

fn balances(accounts: &Accounts) -> (i64, i64) {
    (accounts.from.peek(), accounts.to.peek())
}

/// `act` on another thread, to its end; fails instead of waiting for ever.
fn soon<R: Send + 'static>(act: impl FnOnce() -> R + Send + 'static) -> R {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || send.send(act()));
    receive.recv_timeout(PATIENCE).expect("it waits for ever")
}

#[test]
fn every_stage_may_be_on_another_thread() {
    let accounts = accounts();
    let finished = soon({
        let accounts = accounts.clone();
        move || transfer(&accounts, 5)
    });
    let prepared = soon(move || finished.prepare().expect("nobody is in the way"));
    assert_eq!(balances(&accounts), (100, 0));
    soon(move || prepared.commit());
    assert_eq!(balances(&accounts), (95, 5));
    // The threads that have ended leave no slot behind that holds values back.
    atomically(|tx| accounts.from.update(tx, |balance| balance + 1));
}

#[test]
fn dropping_a_stage_rolls_back() {
    let accounts = accounts();
    drop(transfer(&accounts, 1));
    drop(prepared(&accounts, 2));
    prepared(&accounts, 3).roll_back();
    transfer(&accounts, 4).roll_back();
    assert_eq!(balances(&accounts), (100, 0));
    transfer(&accounts, 5).commit().unwrap();
    assert_eq!(balances(&accounts), (95, 5));
}

#[test]
fn a_transaction_waits_for_a_prepared_attempt_in_its_way() {
    for commits in [true, false] {
        let accounts = accounts();
        let prepared = prepared(&accounts, 10);
        let (send, receive) = mpsc::channel();
        let other = accounts.clone();
        thread::spawn(move || {
            atomically(|tx| other.from.update(tx, |balance| balance * 2));
            send.send(()).unwrap();
        });
        assert!(receive.recv_timeout(Duration::from_millis(50)).is_err(), "it has to wait");
        // Not in anybody's way: other variables, snapshots, peeks.
        let mine = TVar::new(0);
        atomically(|tx| mine.update(tx, |n| n + 1));
        let seen = snapshot(|view| Ok((accounts.from.get(view)?, accounts.to.get(view)?)));
        assert_eq!(seen, Ok((100, 0)));
        if commits {
            prepared.commit()
        } else {
            prepared.roll_back()
        }
        receive.recv_timeout(PATIENCE).expect("it was not woken");
        assert_eq!(balances(&accounts), if commits { (180, 10) } else { (200, 0) });
    }
}

#[test]
fn a_waker_is_woken_once_and_no_thread_is_held() {
    for commits in [true, false] {
        let accounts = accounts();
        let prepared = prepared(&accounts, 10);
        let run = attempt(accounts.clone(), Mode::Logged, |accounts, tx| {
            Ok::<_, Abort<()>>(accounts.to.get(tx)?)
        });
        let Attempted::RolledBack(rolled_back) = run else { panic!("a prepared one is there") };
        assert_eq!(rolled_back.cause(), Cause::Prepared);
        let (counting, waker) = Counting::new();
        let awaited = rolled_back.wake(waker);
        assert_eq!((counting.count(), awaited.is_over()), (0, false));
        // Who cancels is not woken.
        let run = attempt(accounts.clone(), Mode::Logged, |accounts, tx| {
            Ok::<_, Abort<()>>(accounts.to.set(tx, 1)?)
        });
        let Attempted::Finished(finished, ()) = run else { panic!("a write does not look") };
        let (cancelled, waker) = Counting::new();
        drop(finished.commit().expect_err("a prepared one is there").wake(waker));
        soon(move || if commits { prepared.commit() } else { prepared.roll_back() });
        assert_eq!((counting.count(), awaited.is_over(), cancelled.count()), (1, true, 0));
        transfer(&accounts, 1).commit().unwrap();
        assert_eq!(counting.count(), 1);
    }
}

/// A decision that changes nothing is a decision.
#[test]
fn who_waits_for_a_prepared_offer_that_changes_nothing_is_woken() {
    let best = Arc::new(TMax::new(10));
    let run =
        attempt(best.clone(), Mode::Logged, |best, tx| Ok::<_, Abort<()>>(best.raise(tx, 3)?));
    let Attempted::Finished(finished, ()) = run else { panic!("nobody is in the way") };
    let prepared = finished.prepare().unwrap();
    let (send, receive) = mpsc::channel();
    let other = best.clone();
    thread::spawn(move || send.send(atomically(|tx| other.get(tx))));
    assert!(receive.recv_timeout(Duration::from_millis(50)).is_err());
    prepared.commit();
    assert_eq!(receive.recv_timeout(PATIENCE), Ok(10));
}

#[test]
fn a_retry_in_stages_is_woken_by_a_change() {
    let stock = Arc::new(TVar::new(0_u32));
    let take = |stock: &Arc<TVar<u32>>| {
        attempt(stock.clone(), Mode::Logged, |stock, tx| {
            let n = stock.get(tx)?;
            if n == 0 {
                return Ok::<_, Abort<()>>(tx.retry()?);
            }
            Ok(stock.set(tx, n - 1)?)
        })
    };
    let Attempted::RolledBack(rolled_back) = take(&stock) else { panic!("there is none") };
    assert_eq!(rolled_back.cause(), Cause::Retry);
    // The change may come before the waker.
    atomically(|tx| stock.set(tx, 1));
    let (counting, waker) = Counting::new();
    assert!(rolled_back.wake(waker).is_over());
    assert_eq!(counting.count(), 1);
    let Attempted::Finished(finished, ()) = take(&stock) else { panic!("there is one") };
    finished.commit().unwrap();
    assert_eq!(stock.peek(), 0);
}

/// Wakers are anybody's code and run in the middle of somebody else's commit.
struct Rude(TVar<u32>);

impl Wake for Rude {
    fn wake(self: Arc<Self>) {
        atomically(|tx| self.0.update(tx, |n| n + 1));
        panic!("in the waker");
    }
}

#[test]
fn a_waker_may_begin_transactions_and_even_panic() {
    let names = Arc::new(TVar::new(String::from("before")));
    let rude = Arc::new(Rude(TVar::new(0)));
    let wait = |names: &Arc<TVar<String>>| {
        let run = attempt(names.clone(), Mode::Logged, |names, tx| {
            let _ = names.read(tx)?;
            Ok::<(), Abort<()>>(tx.retry()?)
        });
        let Attempted::RolledBack(rolled_back) = run else { panic!("it retries") };
        rolled_back.wake(Waker::from(rude.clone()))
    };
    let waits = [wait(&names), wait(&names)];
    let mut runs = 0;
    atomically(|tx| {
        runs += 1;
        names.set(tx, String::from("after"))
    });
    assert_eq!((runs, names.peek().as_str(), rude.0.peek()), (1, "after", 2));
    assert!(waits.iter().all(odeon_stm::staged::Awaited::is_over));
    // By a prepared attempt, both ways.
    for commits in [true, false] {
        let run = attempt(names.clone(), Mode::Logged, |names, tx| {
            Ok::<_, Abort<()>>(names.set(tx, String::from("prepared"))?)
        });
        let Attempted::Finished(finished, ()) = run else { panic!("nobody is in the way") };
        let prepared = finished.prepare().unwrap();
        let run = attempt(names.clone(), Mode::Logged, |names, tx| {
            Ok::<_, Abort<()>>(names.read(tx)?.len())
        });
        let Attempted::RolledBack(rolled_back) = run else { panic!("a prepared one is there") };
        let awaited = rolled_back.wake(Waker::from(rude.clone()));
        if commits {
            prepared.commit()
        } else {
            prepared.roll_back()
        }
        assert!(awaited.is_over());
    }
    assert_eq!((names.peek().as_str(), rude.0.peek()), ("prepared", 4));
}

/// A direct attempt holds its variables for as long as it likes; who only looks is not held up.
#[test]
fn a_direct_attempt_is_in_nobodys_way_before_its_commit() {
    for commits in [true, false] {
        let value = Arc::new(TVar::new(1));
        let run = attempt(value.clone(), Mode::Direct, |value, tx| {
            value.set(tx, 2)?;
            assert_eq!((value.get(tx)?, value.peek()), (2, 1));
            Ok::<_, Abort<()>>(())
        });
        let Attempted::Finished(finished, ()) = run else { panic!("nobody is in the way") };
        let looked = value.clone();
        let seen = soon(move || (snapshot(|view| looked.get(view)), looked.peek()));
        assert_eq!(seen, (Ok(1), 1));
        let other = value.clone();
        assert_eq!(soon(move || atomically(|tx| other.get(tx))), 1);
        if commits {
            finished.commit().unwrap()
        } else {
            finished.roll_back()
        }
        assert_eq!(value.peek(), if commits { 2 } else { 1 });
    }
}

/// Readers follow the rules: only writing what a direct attempt uses is forbidden.
#[test]
fn whoever_reads_what_a_direct_attempt_writes_is_isolated_from_it() {
    let pair = Arc::new((TVar::new(1), TVar::new(1)));
    let read = attempt(pair.clone(), Mode::Logged, |pair, tx| {
        Ok::<_, Abort<()>>((pair.0.get(tx)?, pair.1.update(tx, |n| n + 10)?).0)
    });
    let Attempted::Finished(reader, 1) = read else { panic!("nobody is in the way") };
    let write =
        attempt(pair.clone(), Mode::Direct, |pair, tx| Ok::<_, Abort<()>>(pair.0.set(tx, 2)?));
    let Attempted::Finished(writer, ()) = write else { panic!("nobody is in the way") };
    writer.commit().unwrap();
    assert_eq!(reader.commit().unwrap_err().cause(), Cause::ReadOverwritten);
    assert_eq!((pair.0.peek(), pair.1.peek()), (2, 1));
}

/// What the engine promises if the rules are broken: no isolation, but each value is freed once and
/// not too early.
#[test]
fn direct_attempts_that_share_a_variable_against_the_rules_free_its_values_once() {
    let value = Arc::new(TVar::new(vec![0]));
    thread::scope(|scope| {
        for thread in 0..3 {
            let value = &value;
            scope.spawn(move || {
                for round in 0..2_000 {
                    let run = attempt(value.clone(), Mode::Direct, |value, tx| {
                        assert!(value.read(tx)?.len() == 1);
                        Ok::<_, Abort<()>>(value.set(tx, vec![thread + round])?)
                    });
                    if let Attempted::Finished(finished, ()) = run {
                        let _ = finished.commit();
                    }
                }
            });
        }
    });
    assert_eq!(value.peek().len(), 1);
}

#[test]
fn a_panic_in_a_direct_attempt_restores_everything() {
    let value = Arc::new(TVar::new(vec![1]));
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _ = attempt(value.clone(), Mode::Direct, |value, tx| -> Result<(), Abort<()>> {
            value.set(tx, vec![2])?;
            value.set(tx, vec![3])?;
            panic!("in the closure")
        });
    }));
    assert!(panic.is_err());
    assert_eq!(value.peek(), [1]);
    atomically(|tx| value.set(tx, vec![4]));
    assert_eq!(value.peek(), [4]);
}

#[test]
fn tickets_order_commits_of_several_threads() {
    const ROUNDS: u64 = 200;
    let tickets = Tickets::new();
    let log = Arc::new(TVar::new(Vec::new()));
    let issued: Vec<_> = (0..ROUNDS).map(|_| tickets.issue()).collect();
    let mut shares = [Vec::new(), Vec::new(), Vec::new()];
    for ticket in issued {
        shares[(ticket.number() % 3) as usize].push(ticket);
    }
    thread::scope(|scope| {
        for share in shares {
            let log = log.clone();
            scope.spawn(move || {
                for ticket in share {
                    let number = ticket.number();
                    let (turn, comes) = mpsc::channel();
                    ticket.wake(Waker::from(Arc::new(Ringing(turn))));
                    comes.recv_timeout(PATIENCE).expect("the turn comes");
                    atomically(|tx| {
                        let mut entries: Vec<u64> = log.read(tx)?.clone();
                        entries.push(number);
                        log.set(tx, entries)
                    });
                    ticket.pass();
                }
            });
        }
    });
    assert_eq!(log.peek(), (0..ROUNDS).collect::<Vec<_>>());
}

/// A bell for who waits at the other end of the channel.
struct Ringing(mpsc::Sender<()>);

impl Wake for Ringing {
    fn wake(self: Arc<Self>) {
        let _ = self.0.send(());
    }
}

#[test]
fn a_panic_while_the_ticket_is_held_gives_the_turn_on() {
    let tickets = Tickets::new();
    let (first, second) = (tickets.issue(), tickets.issue());
    let (counting, waker) = Counting::new();
    second.wake(waker);
    let ended = thread::spawn(move || {
        let _held = first;
        panic!("on purpose");
    });
    assert!(ended.join().is_err());
    assert_eq!((second.is_up(), counting.count()), (true, 1));
}

#[test]
fn many_attempts_may_be_prepared_and_decided_in_any_order() {
    let variables: Vec<_> = (0..300).map(|_| Arc::new(TVar::new(0))).collect();
    let shared = Arc::new(TVar::new(7));
    let mut held = Vec::new();
    for variable in &variables {
        let state = Arc::new((variable.clone(), shared.clone()));
        let run = attempt(state, Mode::Logged, |(variable, shared), tx| {
            let seen = shared.get(tx)?;
            Ok::<_, Abort<()>>(variable.set(tx, seen)?)
        });
        let Attempted::Finished(finished, ()) = run else { panic!("nobody is in the way") };
        held.push(finished.prepare().unwrap());
    }
    let before = stats().rolled_back(Cause::Prepared);
    let writer = {
        let shared = shared.clone();
        thread::spawn(move || atomically(|tx| shared.set(tx, 8)))
    };
    while stats().rolled_back(Cause::Prepared) == before {
        thread::yield_now();
    }
    for (place, prepared) in held.into_iter().rev().enumerate() {
        if place % 2 == 0 { prepared.commit() } else { prepared.roll_back() }
    }
    writer.join().unwrap();
    let sum: i32 = variables.iter().map(|variable| variable.peek()).sum();
    assert_eq!((sum, shared.peek()), (150 * 7, 8));
}
