//! What a transaction has a reference to lives until the attempt ends, also what only it has ever
//! seen.

use odeon_stm::{Abort, TLink, TVar, atomically, try_atomically};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Counts its drops.
#[derive(Default)]
struct Counted(Arc<AtomicU32>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn counted() -> (Arc<AtomicU32>, Counted) {
    let value = Counted::default();
    (value.0.clone(), value)
}

#[test]
fn a_value_that_the_attempt_itself_replaces() {
    let variable = TVar::new(Counted::default());
    let (drops, value) = counted();
    let mut value = Some(value);
    atomically(|tx| {
        variable.set(tx, value.take().expect("nobody else is here"))?;
        let seen = variable.read(tx)?;
        variable.set(tx, Counted::default())?;
        assert_eq!(seen.0.load(Ordering::SeqCst), 0, "dropped while it is looked at");
        Ok(())
    });
    assert_eq!(drops.load(Ordering::SeqCst), 1, "dropped once, at the end");
}

#[test]
fn a_value_of_a_nested_closure_that_fails() {
    let variable = TVar::new(Counted::default());
    let (drops, value) = counted();
    let mut value = Some(value);
    atomically(|tx| {
        let mut seen = None;
        let outcome = tx.nested(|tx| {
            variable.set(tx, value.take().expect("nobody else is here"))?;
            seen = Some(variable.read(tx)?);
            Err::<(), _>(Abort::Failed("on purpose"))
        })?;
        assert_eq!(outcome, Err("on purpose"));
        assert_eq!(seen.expect("read above").0.load(Ordering::SeqCst), 0);
        Ok(())
    });
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

struct Node {
    value: TVar<u32>,
    drops: Counted,
}

/// A node with a variable, and what counts its drops.
fn node() -> (Arc<AtomicU32>, Arc<Node>) {
    let (drops, counted) = counted();
    (drops, Arc::new(Node { value: TVar::new(1), drops: counted }))
}

#[test]
fn a_node_that_is_linked_written_and_unlinked_by_one_attempt() {
    let link = TLink::new(None);
    let (drops, node) = node();
    let mut node = Some(node);
    atomically(|tx| {
        link.set(tx, node.take())?;
        let seen: &Node = link.get(tx)?.expect("linked above");
        seen.value.update(tx, |n| n + 1)?;
        link.set(tx, None)?;
        assert_eq!(seen.drops.0.load(Ordering::SeqCst), 0);
        assert_eq!(seen.value.get(tx)?, 2);
        Ok(())
    });
    // The commit has written into the node, which was there still.
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

/// The rollback has to look at the variables that were read, and one of them is the attempt's own.
#[test]
fn a_retry_that_has_read_a_variable_in_a_node_of_its_own() {
    let (link, go) = (TLink::new(None), TVar::new(false));
    let drops = Arc::new(AtomicU32::new(0));
    let waits = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            atomically(|tx| {
                let node = Node { value: TVar::new(7), drops: Counted(drops.clone()) };
                link.set(tx, Some(Arc::new(node)))?;
                let node = link.get(tx)?.expect("linked above");
                assert_eq!(node.value.get(tx)?, 7);
                waits.store(true, Ordering::SeqCst);
                if go.get(tx)? { Ok(()) } else { tx.retry() }
            });
        });
        while !waits.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        std::thread::sleep(Duration::from_millis(20));
        atomically(|tx| go.set(tx, true));
    });
    assert!(drops.load(Ordering::SeqCst) >= 1, "that of the attempt that was rolled back");
    drop(link);
}

/// Its drop begins a transaction of its own.
struct Reporting(&'static TVar<u32>);

impl Drop for Reporting {
    fn drop(&mut self) {
        atomically(|tx| self.0.update(tx, |n| n + 1));
    }
}

#[test]
fn a_drop_may_begin_a_transaction_whichever_way_the_value_ends() {
    static DROPS: std::sync::LazyLock<TVar<u32>> = std::sync::LazyLock::new(TVar::default);
    let variable = TVar::new(Reporting(&DROPS));
    // Replaced by the same attempt; what was there before waits to be collected.
    atomically(|tx| {
        variable.set(tx, Reporting(&DROPS))?;
        variable.set(tx, Reporting(&DROPS))
    });
    assert_eq!(DROPS.peek(), 1);
    // Rolled back, in whole and in part.
    let outcome = try_atomically(|tx| {
        variable.set(tx, Reporting(&DROPS))?;
        tx.fail::<(), _>(())
    });
    assert_eq!((outcome, DROPS.peek()), (Err(()), 2));
    atomically(|tx| {
        tx.or_else(|tx| variable.set(tx, Reporting(&DROPS)).and_then(|()| tx.retry()), |_| Ok(()))
    });
    assert_eq!(DROPS.peek(), 3);
    // Overwritten by a commit, and collected when the attempts of other tests that may hold it have
    // ended.
    let since = Instant::now();
    while DROPS.peek() < 4 && since.elapsed().as_secs() < 10 {
        odeon_stm::collect();
    }
    assert_eq!(DROPS.peek(), 4);
    drop(variable);
    assert_eq!(DROPS.peek(), 5);
}

/// Of any type, with or without a transaction around it: a peek sees what is committed and takes
/// part in nothing.
#[test]
fn a_peek_within_a_transaction_or_snapshot_sees_what_is_committed() {
    let (number, name) = (TVar::new(1), TVar::new(String::from("one")));
    let link = TLink::new(Some(Arc::new(1)));
    let committed = || (number.peek(), name.peek(), link.peek().as_deref().copied());
    atomically(|tx| {
        number.set(tx, 2)?;
        name.set(tx, "two".into())?;
        link.set(tx, None)?;
        assert_eq!(committed(), (1, "one".into(), Some(1)));
        assert_eq!((number.get(tx)?, name.read(tx)?.as_str()), (2, "two"));
        Ok(())
    });
    odeon_stm::snapshot(|view| {
        std::thread::scope(|scope| {
            scope.spawn(|| atomically(|tx| name.set(tx, "three".into())));
        });
        assert_eq!(committed(), (2, "three".into(), None));
        assert_eq!(name.read(view)?, "two");
        Ok(())
    })
    .unwrap();
}
