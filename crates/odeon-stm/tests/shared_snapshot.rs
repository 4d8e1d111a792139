//! Several closures on one snapshot: they see one moment, and each ends for itself.

use crate::support::Alive;
use odeon_stm::staged::{Attempted, FinishedOnSnapshot, SharedSnapshot};
use odeon_stm::{Abort, Cause, Rollback, ScopedTx, TVar, Tx, atomically, collect, snapshot, stats};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

/// What a closure answers that ends well.
fn seen<'env, R>(
    snapshot: &mut SharedSnapshot,
    closure: impl for<'t> FnOnce(&mut ScopedTx<'t, 'env>) -> Result<R, Rollback>,
) -> R {
    let (finished, value) = finished(snapshot, closure);
    finished.commit();
    value
}

fn finished<'env, R>(
    snapshot: &mut SharedSnapshot,
    closure: impl for<'t> FnOnce(&mut ScopedTx<'t, 'env>) -> Result<R, Rollback>,
) -> (FinishedOnSnapshot, R) {
    match snapshot.attempt(|tx| closure(tx).map_err(Abort::<()>::from)) {
        Attempted::Finished(finished, value) => (finished, value),
        _ => panic!("it asks for nothing"),
    }
}

#[test]
fn all_see_the_moment_of_the_begin_while_the_thread_goes_on() {
    let alive = Alive::default();
    let (number, value) = (TVar::new(1), TVar::new(alive.value(1)));
    let mut shared = SharedSnapshot::begin();
    for n in 2..20 {
        atomically(|tx| number.set(tx, n).and(value.set(tx, alive.value(n))));
        collect();
        let both = seen(&mut shared, |tx| Ok((*number.read(tx)?, value.read(tx)?.value)));
        assert_eq!(both, (1, 1));
        assert_eq!(snapshot(|view| number.get(view)), Ok(n));
    }
    let mut later = SharedSnapshot::begin();
    assert_eq!(seen(&mut later, |tx| number.get(tx)), 19);
    assert_eq!(seen(&mut shared, |tx| number.get(tx)), 1);
    drop((shared, later));
    alive.settles_at(1);
}

#[test]
fn a_closure_that_does_not_end_well_concerns_no_other() {
    let number = TVar::new(1);
    let mut shared = SharedSnapshot::begin();
    atomically(|tx| number.set(tx, 2));
    let committed = stats().commits;
    for _ in 0..3 {
        let failed = shared.attempt(|tx| {
            number.get(tx)?;
            Err::<(), _>(Abort::Failed("enough"))
        });
        assert!(matches!(failed, Attempted::Failed("enough")));
        assert_eq!(seen(&mut shared, |tx| number.get(tx)), 1);

        let Attempted::RolledBack(waits) =
            shared.attempt(|tx| number.get(tx).and(tx.retry::<()>()).map_err(Abort::<()>::from))
        else {
            panic!("it asks to wait")
        };
        assert_eq!(waits.cause(), Cause::CannotWait);
        assert_eq!(seen(&mut shared, |tx| number.get(tx)), 1);

        for panics in [
            (|_, _| panic!("in the closure")) as for<'t> fn(&'t TVar<i32>, &mut Tx<'t>),
            |number, tx| _ = number.set(tx, 3),
            |_, _| atomically(|_| Ok(())),
        ] {
            let panic = catch_unwind(AssertUnwindSafe(|| {
                seen(&mut shared, |tx| {
                    let copy = *number.read(tx)?;
                    panics(&number, tx);
                    Ok(copy)
                })
            }));
            assert!(panic.is_err());
            assert_eq!(seen(&mut shared, |tx| number.get(tx)), 1);
            atomically(|tx| number.set(tx, 2));
        }
    }
    assert!(stats().commits > committed);
    assert_eq!(number.peek(), 2);
}

#[test]
fn hooks_are_called_once_each_and_outside() {
    let mut shared = SharedSnapshot::begin();
    let calls = Arc::new(Mutex::new(Vec::new()));
    let ask = |tx: &mut Tx<'_>, of: u32| {
        for what in ["commit", "rollback"] {
            let calls = calls.clone();
            let note = move || {
                atomically(|_| Ok(()));
                calls.lock().unwrap().push((what, of));
            };
            if what == "commit" { tx.on_commit(note) } else { tx.on_rollback(note) }
        }
    };
    let (first, ()) = finished(&mut shared, |tx| {
        ask(tx, 1);
        Ok(())
    });
    let (second, ()) = finished(&mut shared, |tx| {
        ask(tx, 2);
        Ok(())
    });
    assert!(first.has_hooks() && calls.lock().unwrap().is_empty());
    drop(second);
    first.commit();
    let (plain, ()) = finished(&mut shared, |_| Ok(()));
    assert!(!plain.has_hooks());
    plain.commit();
    let failed = shared.attempt(|tx| {
        ask(tx, 3);
        Err::<(), _>(Abort::Failed(()))
    });
    assert!(matches!(failed, Attempted::Failed(())));
    let panic = catch_unwind(AssertUnwindSafe(|| {
        seen(&mut shared, |tx| {
            ask(tx, 4);
            panic!("in the closure");
            #[expect(unreachable_code)]
            Ok(())
        })
    }));
    assert!(panic.is_err());
    let expected = [("rollback", 2), ("commit", 1), ("rollback", 3), ("rollback", 4)];
    assert_eq!(*calls.lock().unwrap(), expected);
}

#[test]
fn what_has_expired_is_begun_anew() {
    let number = TVar::new(1);
    let mut shared = SharedSnapshot::begin();
    atomically(|tx| number.set(tx, 2));
    let younger = TVar::new(7);
    let expired = shared.attempt(|tx| {
        assert_eq!(number.get(tx)?, 1);
        Ok::<_, Abort<()>>(younger.get(tx)?)
    });
    let Attempted::RolledBack(expired) = expired else { panic!("the variable is younger") };
    assert_eq!(expired.cause(), Cause::SnapshotExpired);
    atomically(|tx| number.set(tx, 3));
    for _ in 0..2 {
        let both = seen(&mut shared, |tx| Ok((number.get(tx)?, younger.get(tx)?)));
        assert_eq!(both, (2, 7));
    }
}

/// Its slot is given back, also if the thread has another one by then.
#[test]
fn shared_snapshots_lose_no_slots() {
    let runs = AtomicU32::new(0);
    for _ in 0..4_200 {
        let mut shared = SharedSnapshot::begin();
        atomically(|_| Ok(()));
        seen(&mut shared, |_| Ok(_ = runs.fetch_add(1, SeqCst)));
    }
    assert_eq!(runs.load(SeqCst), 4_200);
}
