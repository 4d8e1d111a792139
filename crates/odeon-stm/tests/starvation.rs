//! Whoever cannot get through otherwise runs alone, so everybody gets through.

use odeon_stm::staged::{Attempted, attempt};
use odeon_stm::{Abort, Labelled, Mode, TVar, atomically, stats};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// TUNE: as in the engine, with one attempt more that runs alone; prepared attempts may cost some
/// more.
const MOST_ATTEMPTS: u32 = 16 + 1;

/// There is one gate in the process: a test that runs alone there rolls back the attempts of the
/// others.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn one_at_a_time() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `long` transactions over all variables, among threads that write one of them after the other,
/// until they are through. Answers the most attempts that one took.
fn long_among_short(long: usize) -> u32 {
    let variables: Vec<_> = (0..64).map(|_| TVar::new(0_u64)).collect();
    let (ended, most) = (AtomicU32::new(0), AtomicU32::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while ended.load(Ordering::SeqCst) < long as u32 {
                    for variable in &variables {
                        atomically(|tx| variable.update(tx, |n| n + 1));
                    }
                }
            });
        }
        for _ in 0..long {
            scope.spawn(|| {
                let mut attempts = 0;
                atomically(|tx| {
                    attempts += 1;
                    for variable in &variables {
                        variable.update(tx, |n| n + 1)?;
                        // Long enough that a writer comes between.
                        thread::sleep(Duration::from_micros(100));
                    }
                    Ok(())
                });
                most.fetch_max(attempts, Ordering::SeqCst);
                ended.fetch_add(1, Ordering::SeqCst);
            });
        }
    });
    most.into_inner()
}

#[test]
fn a_long_transaction_among_many_short_ones() {
    let _alone = one_at_a_time();
    let attempts = long_among_short(1);
    assert!(attempts <= MOST_ATTEMPTS, "{attempts} attempts");
}

#[test]
fn two_that_have_to_run_alone() {
    let _alone = one_at_a_time();
    let attempts = long_among_short(2);
    // One may be under way when the other closes the gate: its rollback for that is no conflict.
    assert!(attempts <= MOST_ATTEMPTS + 2, "{attempts} attempts");
}

/// Prepared attempts pass somebody who runs alone and wants what they hold, and neither waits for
/// ever.
#[test]
fn running_alone_among_prepared_attempts() {
    let _alone = one_at_a_time();
    let variables: Vec<_> = (0..16).map(|_| Arc::new(TVar::new(0_u64))).collect();
    let (ends, prepared) = (AtomicBool::new(false), AtomicU32::new(0));
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut place = 0;
            while !ends.load(Ordering::SeqCst) {
                place = (place + 7) % variables.len();
                let run = attempt(variables[place].clone(), Mode::Logged, |variable, tx| {
                    Ok::<_, Abort<()>>(variable.update(tx, |n| n + 1)?)
                });
                if let Attempted::Finished(finished, ()) = run {
                    if let Ok(held) = finished.prepare() {
                        thread::yield_now();
                        held.commit();
                        prepared.fetch_add(1, Ordering::SeqCst);
                    }
                }
                // Some time for those who wait.
                thread::sleep(Duration::from_micros(50));
            }
        });
        for _ in 0..20 {
            atomically(|tx| {
                for variable in &variables {
                    variable.update(tx, |n| n + 1)?;
                }
                Ok(())
            });
        }
        ends.store(true, Ordering::SeqCst);
        writer.join().unwrap();
    });
    let sum: u64 = variables.iter().map(|variable| variable.peek()).sum();
    assert_eq!(sum, 20 * 16 + u64::from(prepared.into_inner()));
}

#[test]
fn conflicts_are_reported_by_label() {
    let _alone = one_at_a_time();
    let hot = Labelled::new("hot variable of this test", TVar::new(0_u64));
    let mut is_first = true;
    atomically(|tx| {
        let seen = hot.get(tx)?;
        if std::mem::take(&mut is_first) {
            thread::scope(|scope| {
                scope.spawn(|| atomically(|tx| hot.update(tx, |n| n + 1)));
            });
        }
        hot.set(tx, seen + 1)
    });
    assert_eq!((hot.peek(), hot.name()), (2, "hot variable of this test"));
    let found = stats()
        .rollbacks_by_label
        .iter()
        .filter(|(label, ..)| *label == hot.name())
        .map(|(.., count)| count)
        .sum::<u64>();
    assert_eq!(found, 1);
}
