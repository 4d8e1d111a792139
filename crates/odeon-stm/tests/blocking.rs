//! `retry` sleeps until something it has read changes: never through a change, and never awake
//! without one.

use odeon_stm::{Rollback, TMax, TVar, Tx, atomically, stats};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Fails if `act` takes suspiciously long, instead of waiting for ever.
fn watched<R: Send + 'static>(act: impl FnOnce() -> R + Send + 'static) -> R {
    let (send, receive) = mpsc::channel();
    let worker = thread::spawn(move || send.send(act()));
    match receive.recv_timeout(Duration::from_secs(100)) {
        Ok(value) => value,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("somebody sleeps for ever: {:?}", stats()),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(worker.join().expect_err("it has not sent"))
        }
    }
}

/// Takes the value out of a place of one, or waits for it.
fn take<'t>(place: &'t TVar<Option<u64>>, tx: &mut Tx<'t>) -> Result<u64, Rollback> {
    match place.get(tx)? {
        Some(value) => place.set(tx, None).map(|()| value),
        None => tx.retry(),
    }
}

/// Puts a value there, or waits for room.
fn put<'t>(place: &'t TVar<Option<u64>>, tx: &mut Tx<'t>, value: u64) -> Result<(), Rollback> {
    match place.get(tx)? {
        Some(_) => tx.retry(),
        None => place.set(tx, Some(value)),
    }
}

#[test]
fn ping_pong() {
    const ROUNDS: u64 = 20_000;
    watched(|| {
        let (there, back) = (TVar::new(None), TVar::new(None));
        thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    let value = atomically(|tx| take(&there, tx));
                    atomically(|tx| put(&back, tx, value + 1));
                }
            });
            for round in 0..ROUNDS {
                atomically(|tx| put(&there, tx, round));
                assert_eq!(atomically(|tx| take(&back, tx)), round + 1);
            }
        });
    });
}

/// More sleepers than processors; each value is taken once.
#[test]
fn several_producers_and_consumers_of_one_place() {
    const EACH: u64 = 3_000;
    watched(|| {
        let place = TVar::new(None);
        let sum = AtomicU64::new(0);
        thread::scope(|scope| {
            for producer in 0..3 {
                let place = &place;
                scope.spawn(move || {
                    for number in 0..EACH {
                        atomically(|tx| put(place, tx, producer * EACH + number));
                    }
                });
                let sum = &sum;
                scope.spawn(move || {
                    for _ in 0..EACH {
                        sum.fetch_add(atomically(|tx| take(place, tx)), Ordering::Relaxed);
                    }
                });
            }
        });
        let all = 3 * EACH;
        assert_eq!((sum.into_inner(), place.peek()), (all * (all - 1) / 2, None));
    });
}

/// Whichever alternative has something; both are watched while neither has.
#[test]
fn or_else_waits_for_both() {
    const ROUNDS: u64 = 5_000;
    watched(|| {
        let (left, right) = (TVar::new(None), TVar::new(None));
        thread::scope(|scope| {
            scope.spawn(|| {
                for round in 0..ROUNDS {
                    let place = if round % 3 == 0 { &left } else { &right };
                    atomically(|tx| put(place, tx, round));
                }
            });
            let mut seen: Vec<u64> = (0..ROUNDS)
                .map(|_| atomically(|tx| tx.or_else(|tx| take(&left, tx), |tx| take(&right, tx))))
                .collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..ROUNDS).collect::<Vec<_>>());
        });
    });
}

/// The first alternative's writes are gone when the second runs, to any depth, and its reads count.
#[test]
fn or_else_and_nested_undo_what_failed() {
    let (first, second, flag) = (TVar::new(1), TVar::new(1), TVar::new(false));
    let seen = atomically(|tx| {
        first.set(tx, 10)?;
        tx.or_else(
            |tx| {
                first.set(tx, 20)?;
                tx.or_else(
                    |tx| {
                        second.set(tx, 30)?;
                        if flag.get(tx)? { Ok((0, 0)) } else { tx.retry() }
                    },
                    |tx| {
                        assert_eq!((first.get(tx)?, second.get(tx)?), (20, 1));
                        second.set(tx, 40)?;
                        tx.retry()
                    },
                )
            },
            |tx| Ok((first.get(tx)?, second.get(tx)?)),
        )
    });
    assert_eq!((seen, first.peek(), second.peek()), ((10, 1), 10, 1));
}

/// Who waits is woken by its variables only: nothing runs while others change, or while an offer
/// changes nothing.
#[test]
fn a_waiter_does_not_run_without_a_change() {
    watched(|| {
        let (awaited, other, best) = (TVar::new(0_u64), TVar::new(0_u64), TMax::new(100));
        let runs = AtomicU32::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                atomically(|tx| {
                    runs.fetch_add(1, Ordering::SeqCst);
                    if awaited.get(tx)? == 0 && best.get(tx)? == 100 { tx.retry() } else { Ok(()) }
                });
            });
            // The statistics are of the whole process, whose other tests wait too: only `runs` says
            // that this one has begun.
            while runs.load(Ordering::SeqCst) == 0 || stats().waits == 0 {
                thread::yield_now();
            }
            thread::sleep(Duration::from_millis(30));
            let before = runs.load(Ordering::SeqCst);
            for _ in 0..1_000 {
                atomically(|tx| other.update(tx, |n| n + 1));
                atomically(|tx| best.raise(tx, 7));
            }
            thread::sleep(Duration::from_millis(30));
            assert_eq!(runs.load(Ordering::SeqCst), before, "it ran without a change");
            atomically(|tx| awaited.set(tx, 1));
        });
    });
}

/// A thread that ends leaves no wait behind that anybody would look for.
#[test]
fn waits_leave_nothing_behind() {
    watched(|| {
        let variables: Vec<_> = (0..50).map(|_| TVar::new(0_u64)).collect();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    atomically(|tx| {
                        let mut sum = 0;
                        for variable in &variables {
                            sum += variable.get(tx)?;
                        }
                        if sum < 50 { tx.retry() } else { Ok(()) }
                    });
                });
            }
            for variable in &variables {
                atomically(|tx| variable.set(tx, 1));
            }
        });
        // Other tests of this process wait too, but for ever none.
        while stats().waits >= 50 {
            thread::yield_now();
        }
    });
}
