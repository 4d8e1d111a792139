//! Attempts on borrowed variables: the straight way to commit does what the other one does, or
//! nothing.

use odeon_stm::staged::{Attempted, FinishedHere, attempt_here};
use odeon_stm::{Abort, Mode, Rollback, ScopedTx, TVar, atomically, snapshot, stats};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// A snapshot of one test is in the way of the simple commits of another.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn finished<'env>(
    mode: Mode,
    closure: impl for<'t> Fn(&mut ScopedTx<'t, 'env>) -> Result<(), Rollback>,
) -> FinishedHere<'env> {
    let run = attempt_here(mode, |tx| Ok::<_, Abort<()>>(closure(tx)?));
    let Attempted::Finished(finished, ()) = run else { panic!("nobody is in the way") };
    finished
}

/// Commits by the other way, after the straight one was not for it.
fn commit_otherwise(attempt: FinishedHere<'_>) {
    attempt.commit_if_simple().unwrap_err().commit().unwrap();
}

#[test]
fn one_number_and_none_are_committed_in_a_straight_line() {
    let _alone = alone();
    let value = TVar::new(1);
    for before in 1..4 {
        let add = finished(Mode::Direct, |tx| value.update(tx, |n| n + 1));
        assert!(add.has_written() && value.peek() == before);
        add.commit_if_simple().unwrap();
        assert_eq!(value.peek(), before + 1);
        finished(Mode::Direct, |tx| value.get(tx).map(drop)).commit_if_simple().unwrap();
    }
    // The thread is in no transaction any more, and others read what was written.
    assert_eq!((atomically(|tx| value.get(tx)), snapshot(|view| value.get(view))), (4, Ok(4)));
}

#[test]
fn what_is_not_simple_stays_as_it_was_and_can_be_committed() {
    let _alone = alone();
    let (left, right, boxed) = (TVar::new(0), TVar::new(0), TVar::new(vec![0]));
    let called = Arc::new(AtomicU32::new(0));

    let logged = finished(Mode::Logged, |tx| left.set(tx, 1)).commit_if_simple().unwrap_err();
    assert_eq!(left.peek(), 0);
    logged.commit().unwrap();

    let both = finished(Mode::Direct, |tx| {
        left.set(tx, 2)?;
        right.set(tx, 2)
    });
    let both = both.commit_if_simple().unwrap_err();
    assert_eq!((left.peek(), right.peek()), (1, 0));
    both.commit().unwrap();

    commit_otherwise(finished(Mode::Direct, |tx| boxed.update(tx, |old| vec![old[0] + 1])));
    commit_otherwise(finished(Mode::Direct, |tx| {
        let called = called.clone();
        tx.on_commit(move || _ = called.fetch_add(1, Ordering::Relaxed));
        right.set(tx, 3)
    }));
    assert_eq!((left.peek(), right.peek(), boxed.peek()), (2, 3, vec![1]));
    assert_eq!(called.load(Ordering::Relaxed), 1);

    drop(finished(Mode::Direct, |tx| left.set(tx, 9)));
    assert_eq!(left.peek(), 2);
}

#[test]
fn a_snapshot_that_runs_sees_nothing_of_a_simple_commit() {
    let _alone = alone();
    let value = TVar::new(1);
    let seen = snapshot(|view| {
        let first = value.get(view)?;
        thread::scope(|scope| {
            let write = || commit_otherwise(finished(Mode::Direct, |tx| value.set(tx, 2)));
            scope.spawn(write).join().unwrap();
        });
        Ok((first, value.get(view)?, value.peek()))
    });
    assert_eq!(seen, Ok((1, 1, 2)));
}

#[test]
fn who_waits_for_the_variable_of_a_simple_commit_is_woken() {
    let _alone = alone();
    let value = TVar::new(0);
    thread::scope(|scope| {
        let waits = || atomically(|tx| if value.get(tx)? == 0 { tx.retry() } else { Ok(()) });
        let waiter = scope.spawn(waits);
        while stats().waits == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        let write = finished(Mode::Direct, |tx| value.set(tx, 1));
        if let Err(write) = write.commit_if_simple() {
            write.commit().unwrap();
        }
        waiter.join().unwrap();
    });
}

/// A closure may replace what it writes, follow pointers, and ask for references: all of it ends
/// with the attempt.
#[test]
fn nothing_of_a_simple_attempt_is_left_for_the_next_one() {
    let _alone = alone();
    let (value, text) = (TVar::new(0), TVar::new(String::from("a")));
    for round in 1..200 {
        let write = finished(Mode::Direct, |tx| {
            assert_eq!(*value.read(tx)? + 1, round);
            assert_eq!(text.read(tx)?.len(), 1);
            tx.or_else(|tx| value.set(tx, 1_000).and_then(|()| tx.retry()), |_| Ok(()))?;
            value.set(tx, 2_000)?;
            value.set(tx, round)
        });
        write.commit_if_simple().unwrap();
        assert_eq!(value.peek(), round);
    }
    let panics = catch_unwind(AssertUnwindSafe(|| {
        drop(finished(Mode::Direct, |tx| {
            value.set(tx, 7)?;
            panic!("in the closure")
        }));
    }));
    assert!(panics.is_err());
    assert_eq!(atomically(|tx| value.get(tx)), 199);
}
