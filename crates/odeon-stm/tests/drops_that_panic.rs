//! A value whose drop panics ends alone: whoever happens to free it goes on.

use crate::support::Bomb as Payload;
use odeon_stm::{TVar, atomically, collect, snapshot};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Counts its drop, then panics.
struct Bomb(Arc<AtomicUsize>);

impl Drop for Bomb {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
        panic!("in the drop of a value");
    }
}

/// Empty is what the tests end with: a variable's last value is dropped by its owner.
type Bombs = Vec<TVar<Option<Bomb>>>;

fn bombs(count: usize) -> (Arc<AtomicUsize>, Bombs) {
    let dropped = Arc::new(AtomicUsize::new(0));
    let bombs = (0..count).map(|_| TVar::new(Some(Bomb(dropped.clone())))).collect();
    (dropped, bombs)
}

fn clear(bombs: &Bombs) {
    atomically(|tx| bombs.iter().try_for_each(|bomb| bomb.set(tx, None)));
}

#[test]
fn transactions_of_others_do_not_panic_and_all_values_are_dropped() {
    let (dropped, bombs) = bombs(10);
    snapshot(|view| {
        // What the thread overwrites is held for the snapshot, and left to others by the thread's
        // end.
        thread::scope(|scope| {
            scope.spawn(|| {
                clear(&bombs);
                collect();
            });
        });
        bombs.iter().try_for_each(|bomb| bomb.read_with(view, |bomb| assert!(bomb.is_some())))
    })
    .unwrap();
    let name = TVar::new(String::new());
    for number in 0..1_000 {
        atomically(|tx| name.set(tx, number.to_string()));
    }
    // Attempts of the other tests may be under way, and hold values for a while.
    while dropped.load(Ordering::SeqCst) < 10 {
        collect();
    }
    assert_eq!((dropped.load(Ordering::SeqCst), &*name.peek()), (10, "999"));
}

#[test]
fn a_thread_can_end_with_values_whose_drop_panics() {
    let (dropped, bombs) = bombs(100);
    let bombs = Arc::new(bombs);
    let overwriter = bombs.clone();
    thread::spawn(move || overwriter.iter().for_each(|bomb| atomically(|tx| bomb.set(tx, None))))
        .join()
        .unwrap();
    while dropped.load(Ordering::SeqCst) < 100 {
        collect();
    }
}

#[test]
fn a_rolled_back_transaction_goes_on_with_its_own_panic() {
    let (dropped, bombs) = bombs(0);
    let place = TVar::new(None);
    let panic = catch_unwind(AssertUnwindSafe(|| {
        atomically(|tx| -> Result<(), _> {
            place.set(tx, Some(Bomb(dropped.clone())))?;
            place.set(tx, Some(Bomb(dropped.clone())))?;
            panic!("of the closure")
        });
    }));
    let panic = panic.expect_err("the closure panics");
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"of the closure"));
    assert_eq!(dropped.load(Ordering::SeqCst), 2);
    assert!(bombs.is_empty() && place.into_inner().is_none());
}

/// Its drop panics with something whose drop panics.
struct Twice(Arc<AtomicUsize>);

impl Drop for Twice {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
        std::panic::panic_any(Payload);
    }
}

#[test]
fn a_value_whose_drop_panics_with_something_whose_drop_panics_ends_alone_too() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let value = TVar::new(Some(Twice(dropped.clone())));
    atomically(|tx| value.set(tx, None));
    while dropped.load(Ordering::SeqCst) < 1 {
        collect();
    }
    // One that a thread leaves.
    let left = dropped.clone();
    let thread = thread::spawn(move || {
        let value = TVar::new(Some(Twice(left)));
        atomically(|tx| value.set(tx, None));
    });
    thread.join().unwrap();
    while dropped.load(Ordering::SeqCst) < 2 {
        collect();
    }
}

/// The first panic goes on; the others end, whatever they carry.
#[test]
fn hooks_that_panic_with_something_whose_drop_panics() {
    let number = TVar::new(0);
    let panic = catch_unwind(AssertUnwindSafe(|| {
        atomically(|tx| {
            for _ in 0..3 {
                tx.on_commit(|| std::panic::panic_any(Payload));
            }
            number.set(tx, 1)
        });
    }));
    let panic = panic.expect_err("the first one goes on");
    assert!(panic.is::<Payload>() && number.peek() == 1);
    std::mem::forget(panic);
    // The closure's own panic goes on; it is under way when these come.
    let panic = catch_unwind(AssertUnwindSafe(|| {
        atomically(|tx| -> Result<(), _> {
            tx.on_rollback(|| std::panic::panic_any(Payload));
            tx.on_rollback(|| std::panic::panic_any(Payload));
            panic!("of the closure")
        });
    }));
    let panic = panic.expect_err("the closure panics");
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"of the closure"));
}
