//! References that an attempt has read from its own writes live as long as the attempt.

use odeon_stm::collections::TList;
use odeon_stm::{Abort, TVar, atomically};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts its drops.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn counted() -> (Counted, Arc<AtomicUsize>) {
    let drops = Arc::new(AtomicUsize::new(0));
    (Counted(drops.clone()), drops)
}

#[test]
fn a_value_that_this_attempt_has_written_read_and_overwritten_stays() {
    let variable = TVar::new(counted().0);
    let drops = atomically(|tx| {
        let (first, drops) = counted();
        variable.set(tx, first)?;
        let reference = variable.read(tx)?;
        variable.set(tx, counted().0)?;
        assert_eq!(reference.0.load(Ordering::Relaxed), 0, "the reference is in use");
        Ok(drops)
    });
    assert_eq!(drops.load(Ordering::Relaxed), 1, "freed with the attempt");
}

#[test]
fn a_value_of_an_undone_closure_stays() {
    let variable = TVar::new(counted().0);
    let drops = atomically(|tx| {
        let (first, drops) = counted();
        let mut first = Some(first);
        let Err(reference) = tx.nested(|tx| {
            variable.set(tx, first.take().expect("once"))?;
            let reference = variable.read(tx)?;
            Err::<(), _>(Abort::Failed(reference))
        })?
        else {
            unreachable!("the closure fails")
        };
        assert_eq!(reference.0.load(Ordering::Relaxed), 0, "the reference is in use");
        Ok(drops)
    });
    assert_eq!(drops.load(Ordering::Relaxed), 1, "freed with the attempt");
}

/// What a retry waits for includes links of nodes that were never published: under a sanitizer this fails if
/// they are freed before the wait is entered.
#[test]
fn a_retry_may_have_read_nodes_of_its_own() {
    let (list, gate) = (TList::from_iter([1, 9]), TVar::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            atomically(|tx| {
                list.insert(tx, 5)?;
                assert_eq!(list.fold(tx, 0, |sum, key| sum + key)?, 15);
                if gate.get(tx)? { Ok(()) } else { tx.retry() }
            });
        });
        std::thread::sleep(std::time::Duration::from_millis(20));
        atomically(|tx| gate.set(tx, true));
    });
    assert!(atomically(|tx| list.contains(tx, &5)));
}
