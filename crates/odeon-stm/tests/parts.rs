//! Parts of a transaction, of `nested` and `or_else`: however one ends, what is undone is undone,
//! and nothing else.

use odeon_stm::{Abort, Rollback, TVar, Tx, atomically, try_atomically};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

#[test]
fn a_retry_that_is_ignored_before_an_or_else_waits_all_the_same() {
    let (go, taken) = (TVar::new(0), TVar::new(0));
    let runs = AtomicU32::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            atomically(|tx| {
                if go.get(tx)? == 0 {
                    runs.fetch_add(1, Ordering::SeqCst);
                    let _ = tx.retry::<()>();
                }
                tx.or_else(|tx| tx.retry(), |tx| taken.update(tx, |n| n + 1))
            });
            assert_eq!((go.peek(), taken.peek()), (1, 1));
        });
        while runs.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        atomically(|tx| go.set(tx, 1));
    });
}

/// Sets `variable`, which a part of its own has changed before, and panics.
fn writes_and_panics<'t>(
    variable: &'t TVar<String>,
    other: &'t TVar<u32>,
    tx: &mut Tx<'t>,
) -> Result<(), Rollback> {
    variable.set(tx, "of the part".into())?;
    let failed = tx.nested(|tx| {
        variable.set(tx, "of a part of the part".into())?;
        other.set(tx, 2)?;
        Err::<(), _>(Abort::Failed(()))
    })?;
    assert_eq!(failed, Err(()));
    panic!("in the part");
}

#[test]
fn what_a_part_has_written_before_its_panic_is_not_committed() {
    type Part = for<'t> fn(&'t TVar<String>, &'t TVar<u32>, &mut Tx<'t>);
    let parts: [Part; 3] = [
        |variable, other, tx| {
            let _ = tx.nested(|tx| Ok::<_, Abort<()>>(writes_and_panics(variable, other, tx)?));
        },
        |variable, other, tx| {
            let _ = tx.or_else(|tx| writes_and_panics(variable, other, tx), |_| Ok(()));
        },
        |variable, other, tx| {
            let _ = tx.nested(|tx| {
                let first = |tx: &mut Tx<'_>| tx.retry::<()>();
                tx.or_else(first, |tx| writes_and_panics(variable, other, tx))?;
                Ok::<_, Abort<()>>(())
            });
        },
    ];
    for part in parts {
        let (variable, other) = (TVar::new(String::from("before")), TVar::new(0));
        atomically(|tx| {
            other.set(tx, 1)?;
            let panic = catch_unwind(AssertUnwindSafe(|| part(&variable, &other, tx)));
            assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"in the part"));
            assert_eq!(variable.read(tx)?, "before");
            Ok(())
        });
        assert_eq!((&*variable.peek(), other.peek()), ("before", 1));
    }
}

/// Notes what is called.
#[derive(Clone, Default)]
struct Calls(Arc<Mutex<Vec<&'static str>>>);

impl Calls {
    fn of(&self, what: &'static str) -> impl FnOnce() + Send + 'static {
        let calls = self.0.clone();
        move || {
            // Outside of any transaction.
            atomically(|_| Ok(()));
            calls.lock().unwrap().push(what);
        }
    }
}

#[test]
fn what_an_undone_part_wants_done_on_rollback_is_done_however_the_attempt_ends() {
    for commits in [true, false] {
        let calls = Calls::default();
        let outcome = try_atomically(|tx| {
            tx.on_rollback(calls.of("attempt rolled back"));
            tx.on_commit(calls.of("attempt committed"));
            tx.nested(|tx| {
                tx.on_commit(calls.of("part committed"));
                tx.on_rollback(calls.of("part rolled back"));
                tx.fail::<(), ()>(())
            })?
            .unwrap_err();
            tx.or_else(
                |tx| {
                    tx.on_rollback(calls.of("alternative rolled back"));
                    tx.retry()
                },
                |_| Ok(()),
            )?;
            tx.nested(|tx| {
                tx.on_rollback(calls.of("kept part rolled back"));
                Ok::<_, Abort<()>>(())
            })?
            .unwrap();
            if commits { Ok(()) } else { tx.fail(()) }
        });
        assert_eq!(outcome.is_ok(), commits);
        let calls = calls.0.lock().unwrap();
        if commits {
            let expected = ["part rolled back", "alternative rolled back", "attempt committed"];
            assert_eq!(*calls, expected);
        } else {
            let expected = [
                "attempt rolled back",
                "part rolled back",
                "alternative rolled back",
                "kept part rolled back",
            ];
            assert_eq!(*calls, expected);
        }
    }
}

/// Runs a transaction when it is dropped.
struct Runs(Arc<AtomicU32>);

impl Drop for Runs {
    fn drop(&mut self) {
        let number = TVar::new(0);
        atomically(|tx| number.update(tx, |n| n + 1));
        self.0.fetch_add(number.peek(), Ordering::SeqCst);
    }
}

#[test]
fn what_is_not_called_is_dropped_outside_of_the_transaction() {
    let dropped = Arc::new(AtomicU32::new(0));
    let never = || {
        let runs = Runs(dropped.clone());
        move || drop(runs)
    };
    let _: Result<(), ()> = try_atomically(|tx| {
        tx.on_commit(never());
        tx.fail(())
    });
    atomically(|tx| {
        tx.on_rollback(never());
        let _ = tx.nested(|tx| {
            tx.on_commit(never());
            tx.fail::<(), ()>(())
        })?;
        Ok(())
    });
    assert_eq!(dropped.load(Ordering::SeqCst), 3);
}
