//! However an attempt ends, the thread and everybody else can go on.

use odeon_stm::staged::{Attempted, attempt};
use odeon_stm::{
    Abort, Cause, Mode, Rollback, TVar, Tx, atomically, snapshot, stats, try_atomically,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// The text of the panic of `act`.
fn panic_of(act: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(act)).expect_err("a panic is expected");
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_string())).unwrap()
}

/// Where the next panic of this thread happens: file and line.
fn place_of_panic(act: impl FnOnce()) -> (String, u32) {
    static HOOK: Mutex<()> = Mutex::new(());
    let _one_at_a_time = HOOK.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let place = Arc::new(Mutex::new(None));
    let (seen, thread) = (place.clone(), std::thread::current().id());
    let before = Arc::new(std::panic::take_hook());
    let inner = before.clone();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == thread {
            let at = info.location().expect("always there");
            *seen.lock().unwrap() = Some((at.file().to_string(), at.line()));
        } else {
            inner(info);
        }
    }));
    let _ = panic_of(act);
    drop(std::panic::take_hook());
    std::panic::set_hook(Box::new(move |info| before(info)));
    place.lock().unwrap().take().expect("the panic went through the hook")
}

/// This thread can run a transaction, a snapshot and another transaction.
fn goes_on() {
    let counter = TVar::new(0);
    atomically(|tx| counter.update(tx, |n| n + 1));
    assert_eq!(snapshot(|view| counter.get(view)), Ok(1));
    atomically(|tx| counter.update(tx, |n| n + 1));
    assert_eq!(counter.peek(), 2);
}

/// Those of other tests end soon.
fn no_snapshot_is_left() {
    let since = std::time::Instant::now();
    while !stats().running_snapshots.is_empty() {
        assert!(since.elapsed().as_secs() < 10, "{:?}", stats().running_snapshots);
        std::thread::yield_now();
    }
}

#[test]
fn a_panic_rolls_back_and_propagates() {
    let variable = TVar::new(1);
    let rollbacks = Arc::new(AtomicU32::new(0));
    let seen = rollbacks.clone();
    let text = panic_of(|| {
        atomically(|tx| {
            let seen = seen.clone();
            tx.on_rollback(move || _ = seen.fetch_add(1, Ordering::SeqCst));
            variable.set(tx, 2)?;
            panic!("in the closure");
            #[expect(unreachable_code)]
            Ok(())
        });
    });
    assert_eq!((text.as_str(), variable.peek()), ("in the closure", 1));
    assert_eq!(rollbacks.load(Ordering::SeqCst), 1);
    goes_on();
    let _ = panic_of(|| _ = snapshot(|_| -> Result<(), Rollback> { panic!("in the view") }));
    goes_on();
    no_snapshot_is_left();
}

#[test]
fn a_retry_without_a_read_panics_at_the_callers_line() {
    for _ in 0..3 {
        let (file, line) = place_of_panic(|| atomically(|tx| tx.retry::<()>()));
        assert_eq!((file.as_str(), line), (file!(), line!() - 1));
        goes_on();
    }
    let text = panic_of(|| atomically(|tx| tx.retry::<()>()));
    assert!(text.contains("has read nothing"), "{text}");
    goes_on();
    let state = Arc::new(());
    let staged = line!() + 2;
    let (file, line) = place_of_panic(|| {
        _ = attempt(state, Mode::Logged, |(), tx| tx.retry::<()>().map_err(Abort::<()>::from))
    });
    assert_eq!((file.as_str(), line), (file!(), staged));
    goes_on();
}

fn ask_to_wait<'t>(v: &'t TVar<u32>, mode: Mode, tx: &mut Tx<'t>) -> Result<u32, Rollback> {
    let seen = v.get(tx)?;
    if mode == Mode::Direct {
        v.set(tx, seen + 1)?;
    }
    tx.retry()
}

/// Nobody would know what to wait for: who has run the attempt is told, and can run a logged one.
#[test]
fn a_retry_of_what_is_not_logged_rolls_back_and_says_that_it_cannot_wait() {
    let variable = Arc::new(TVar::new(1));
    for mode in [Mode::Direct, Mode::Snapshot, Mode::Relaxed] {
        let run = |has_alternative: bool| {
            attempt(variable.clone(), mode, |variable, tx| {
                let value = if has_alternative {
                    tx.or_else(|tx| ask_to_wait(variable, mode, tx), |_| Ok(8))
                } else {
                    ask_to_wait(variable, mode, tx)
                };
                Ok::<_, Abort<()>>(value?)
            })
        };
        let Attempted::RolledBack(rolled_back) = run(false) else { panic!("it retries") };
        assert_eq!(rolled_back.cause(), Cause::CannotWait);
        assert!(!rolled_back.cause().is_transient(), "not in this mode");
        goes_on();
        let Attempted::Finished(finished, 8) = run(true) else { panic!("an alternative") };
        finished.commit().unwrap();
        assert_eq!(variable.peek(), 1);
        goes_on();
    }
    no_snapshot_is_left();
}

#[test]
fn a_transaction_within_one_panics_and_names_both_lines() {
    let variable = TVar::new(1);
    let outer = line!() + 2;
    let text = panic_of(|| {
        atomically(|tx| {
            variable.set(tx, 2)?;
            atomically(|_| Ok(()));
            Ok(())
        });
    });
    for line in [outer, outer + 2] {
        assert!(text.contains(&format!("{}:{line}:", file!())), "{line}: {text}");
    }
    goes_on();
    for inner in [
        (|| _ = snapshot(|_| Ok(()))) as fn(),
        || odeon_stm::collect(),
        || _ = attempt(Arc::new(()), Mode::Logged, |(), _| Ok::<_, Abort<()>>(())),
    ] {
        let text = panic_of(|| {
            atomically(|_| {
                inner();
                Ok(())
            });
        });
        assert_eq!(text.matches(file!()).count(), 2, "{text}");
        goes_on();
    }
    assert_eq!(variable.peek(), 1);
}

#[test]
fn a_write_in_a_view_panics_at_the_callers_line() {
    let refusals = [
        (Mode::Snapshot, "an attempt on a snapshot writes nothing"),
        (Mode::Relaxed, "a relaxed attempt writes nothing"),
    ];
    let variable = Arc::new(TVar::new(1));
    for (mode, refusal) in refusals {
        let write = || {
            let _ = attempt(variable.clone(), mode, |variable, tx| {
                variable.set(tx, 2).map_err(Abort::<()>::from)
            });
        };
        let line = line!() - 3;
        assert_eq!(panic_of(write), refusal);
        assert_eq!(place_of_panic(write), (file!().to_string(), line));
    }
    goes_on();
    assert_eq!(variable.peek(), 1);
    no_snapshot_is_left();
}

/// Only logged attempts can be prepared; asking it of others leaves nothing locked or registered.
#[test]
fn preparing_what_cannot_be_prepared_rolls_back() {
    for mode in [Mode::Direct, Mode::Snapshot, Mode::Relaxed] {
        let variable = Arc::new(TVar::new(1));
        let run = attempt(variable.clone(), mode, |variable, tx| {
            let seen = variable.get(tx)?;
            if mode == Mode::Direct {
                variable.set(tx, seen + 1)?;
            }
            Ok::<_, Abort<()>>(seen)
        });
        let Attempted::Finished(finished, 1) = run else { panic!("nobody else is here") };
        let _ = panic_of(move || _ = finished.prepare());
        goes_on();
        atomically(|tx| variable.update(tx, |n| n + 10));
        assert_eq!(variable.peek(), 11);
        no_snapshot_is_left();
    }
}

#[test]
fn a_users_error_rolls_back_and_is_handed_out() {
    let variable = TVar::new(1);
    let outcome: Result<(), _> = try_atomically(|tx| {
        variable.set(tx, 2)?;
        tx.fail("enough")
    });
    assert_eq!((outcome, variable.peek()), (Err("enough"), 1));
    goes_on();
}

/// The closure's `Ok` does not bring a stopped attempt to a commit.
#[test]
fn a_swallowed_retry_is_a_retry() {
    let (go, seen) = (TVar::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            atomically(|tx| {
                if go.get(tx)? == 0 {
                    seen.fetch_add(1, Ordering::SeqCst);
                    let _ = tx.retry::<()>();
                }
                Ok(())
            });
            assert_eq!(go.peek(), 1);
        });
        while seen.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        atomically(|tx| go.set(tx, 1));
    });
}

#[test]
fn hooks_run_in_order_once_and_outside() {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let mut runs = 0;
    atomically(|tx| {
        runs += 1;
        for place in 0..3 {
            let note = |what| {
                let (calls, of) = (calls.clone(), runs);
                move || {
                    atomically(|_| Ok(()));
                    calls.lock().unwrap().push((what, of, place));
                }
            };
            tx.on_commit(note("commit"));
            tx.on_rollback(note("rollback"));
        }
        let stale = TVar::new(0);
        if runs == 1 {
            // As a conflict would: a rollback from elsewhere.
            return Err(elsewhere(&stale));
        }
        // What a nested closure that fails wants done after a commit is not done.
        let calls = calls.clone();
        let _ = tx.nested(|tx| {
            tx.on_commit(move || calls.lock().unwrap().push(("nested", 0, 0)));
            Err::<(), _>(Abort::Failed(()))
        })?;
        Ok(())
    });
    let expected: Vec<_> = (0..3)
        .map(|place| ("rollback", 1, place))
        .chain((0..3).map(|place| ("commit", 2, place)))
        .collect();
    assert_eq!(*calls.lock().unwrap(), expected);
}

/// A rollback that belongs to another attempt.
fn elsewhere(_: &TVar<i32>) -> Rollback {
    std::thread::spawn(|| {
        let mut kept = None;
        let asked = TVar::new(0);
        let _: Result<(), ()> = try_atomically(|tx| {
            let _ = asked.get(tx)?;
            let outcome = tx.or_else(
                |tx| {
                    let rollback = tx.retry::<()>().expect_err("always");
                    kept = Some(rollback);
                    Err(rollback)
                },
                |_| Ok(()),
            );
            Ok(outcome?)
        });
        kept.expect("kept above")
    })
    .join()
    .unwrap()
}

#[test]
fn a_snapshot_that_answers_a_rollback_from_elsewhere_has_not_expired() {
    let variable = TVar::new(0);
    let text = panic_of(|| {
        let _ = snapshot(|view| variable.get(view).and(Err::<(), _>(elsewhere(&variable))));
    });
    assert!(text.contains("not of this snapshot"), "{text}");
    goes_on();
    no_snapshot_is_left();
}

#[test]
fn a_hook_that_panics_does_not_keep_the_others_from_running() {
    let calls = Arc::new(AtomicU32::new(0));
    let variable = TVar::new(0);
    for commits in [true, false] {
        calls.store(0, Ordering::SeqCst);
        let seen = calls.clone();
        let text = panic_of(|| {
            let _ = try_atomically(|tx| {
                variable.set(tx, 5)?;
                for place in 0..3 {
                    let seen = seen.clone();
                    let act = move || {
                        seen.fetch_add(1, Ordering::SeqCst);
                        assert_ne!(place, 1, "in the hook");
                    };
                    if commits { tx.on_commit(act) } else { tx.on_rollback(act) }
                }
                if commits { Ok(()) } else { tx.fail(()) }
            });
        });
        assert!(text.contains("in the hook"));
        assert_eq!((calls.load(Ordering::SeqCst), variable.peek()), (3, 5));
        goes_on();
    }
}

/// A transaction begun when the thread's own memory for attempts is gone already.
#[test]
fn a_thread_that_ends_may_run_transactions_to_the_last() {
    static ENDED: std::sync::LazyLock<TVar<Vec<u32>>> = std::sync::LazyLock::new(TVar::default);
    struct Last(u32);
    impl Drop for Last {
        fn drop(&mut self) {
            atomically(|tx| {
                let mut ended = ENDED.read(tx)?.clone();
                ended.push(self.0);
                ENDED.set(tx, ended)
            });
            assert!(!ENDED.peek().is_empty());
            snapshot(|view| ENDED.read(view).map(Vec::len)).unwrap();
        }
    }
    thread_local! {
        static BEFORE: Last = const { Last(1) };
        static AFTER: Last = const { Last(2) };
    }
    std::thread::spawn(|| {
        BEFORE.with(|_| ());
        atomically(|_| Ok(()));
        AFTER.with(|_| ());
    })
    .join()
    .unwrap();
    let mut ended = ENDED.peek();
    ended.sort_unstable();
    assert_eq!(ended, [1, 2]);
}

/// There are 4,095 slots, and a transaction without one panics.
#[test]
fn threads_whose_ends_run_transactions_lose_no_slots() {
    static COUNT: std::sync::LazyLock<TVar<u64>> = std::sync::LazyLock::new(TVar::default);
    struct Last;
    impl Drop for Last {
        fn drop(&mut self) {
            let run = attempt(Arc::new(()), Mode::Logged, |_, _| Ok::<_, Abort<()>>(()));
            let Attempted::Finished(finished, ()) = run else { panic!("nobody is in the way") };
            finished.commit().unwrap();
            atomically(|tx| COUNT.update(tx, |count| count + 1));
            odeon_stm::collect();
        }
    }
    thread_local!(static LAST: Last = const { Last });
    for _ in 0..4_200 {
        let thread = std::thread::spawn(|| {
            LAST.with(|_| ());
            atomically(|_| Ok(()));
        });
        thread.join().unwrap();
    }
    assert_eq!(COUNT.peek(), 4_200);
}

#[test]
fn causes_are_counted() {
    let before = stats();
    let _: Result<(), _> = try_atomically(|tx| tx.fail(()));
    let variable = TVar::new(0);
    let _ = panic_of(|| atomically(|tx| variable.set(tx, 1).map(|()| panic!("dropped"))));
    let after = stats();
    assert!(after.rolled_back(Cause::Failed) > before.rolled_back(Cause::Failed));
    assert!(after.rolled_back(Cause::Dropped) > before.rolled_back(Cause::Dropped));
    assert!(after.attempts > before.attempts);
}
