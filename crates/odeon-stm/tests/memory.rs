//! Memory returns to the baseline: every value is dropped once, when nobody can reach it any more.
//! One test, because what is alive is counted for the process, and attempts of other tests would
//! hold values.

use odeon_stm::{TLink, TVar, atomically, collect, snapshot, snapshot_within, stats};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

thread_local! {
    /// How often this thread has asked for memory.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Counts what threads ask for.
struct Counting;

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: passed on.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Values that are alive.
static ALIVE: AtomicI64 = AtomicI64::new(0);

/// A value that is counted, and notices a look after its end.
struct Counted {
    number: u64,
    check: Box<u64>,
}

impl Counted {
    fn new(number: u64) -> Self {
        ALIVE.fetch_add(1, Ordering::SeqCst);
        Self { number, check: Box::new(!number) }
    }

    fn look(&self) -> u64 {
        assert_eq!(self.number, !*self.check, "freed, or torn");
        self.number
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.look();
        self.number = 0;
        *self.check = 0;
        ALIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

fn alive() -> i64 {
    ALIVE.load(Ordering::SeqCst)
}

/// Waits until so many are alive: a scope ends before the thread-local values of its threads do.
fn settles_at(expected: i64) {
    let since = Instant::now();
    while (alive(), stats().held_values) != (expected, 0) {
        assert!(since.elapsed().as_secs() < 10, "{} values are alive: {:?}", alive(), stats());
        collect();
    }
}

#[test]
fn memory_returns_to_the_baseline() {
    overwritten_values_are_freed_as_transactions_go_on();
    an_overwritten_value_costs_one_allocation();
    a_snapshot_holds_one_value_per_variable();
    a_stalled_snapshot_is_seen_and_expires_alone();
    threads_that_end_leave_nothing();
    short_threads_leave_little_although_nobody_else_runs_transactions();
    readers_and_snapshots_among_writers_and_unlinked_nodes();
    panics_and_rollbacks_leave_nothing();
    settles_at(0);
}

/// The one that replaces it: who looks what can be freed has memory for that.
fn an_overwritten_value_costs_one_allocation() {
    const WRITES: u64 = 1_000;
    let variable = TVar::new([0_u64; 6]);
    let overwrite = |number| atomically(|tx| variable.set(tx, [number; 6]));
    (0..WRITES).for_each(overwrite);
    let before = ALLOCATIONS.get();
    (0..WRITES).for_each(overwrite);
    assert_eq!(ALLOCATIONS.get() - before, WRITES);
}

fn overwritten_values_are_freed_as_transactions_go_on() {
    let variable = TVar::new(Counted::new(0));
    for number in 1..10_000 {
        atomically(|tx| variable.set(tx, Counted::new(number)));
        assert!(alive() < 1_000, "{} values are alive", alive());
    }
    collect();
    assert_eq!(alive(), 1);
}

fn a_snapshot_holds_one_value_per_variable() {
    let variables: Vec<_> = (0..10).map(|number| TVar::new(Counted::new(number))).collect();
    let (begun, goes) = (Barrier::new(2), Barrier::new(2));
    thread::scope(|scope| {
        scope.spawn(|| {
            snapshot(|view| {
                let first = variables[0].read(view)?;
                begun.wait();
                goes.wait();
                assert_eq!(first.look(), 0, "a reference from before");
                for (number, variable) in variables.iter().enumerate() {
                    assert_eq!(variable.read(view)?.look(), number as u64);
                }
                Ok(())
            })
            .unwrap();
        });
        begun.wait();
        for round in 1..1_000 {
            for variable in &variables {
                atomically(|tx| variable.set(tx, Counted::new(round * 1_000)));
            }
        }
        collect();
        let stats = stats();
        assert_eq!(
            (stats.running_snapshots.len(), stats.running_snapshots[0].kept_values),
            (1, 10)
        );
        assert!(!stats.running_snapshots[0].is_expired);
        assert_eq!((alive(), stats.held_values), (20, 10));
        goes.wait();
    });
    settles_at(10);
    assert_eq!(stats().running_snapshots.len(), 0);
}

fn a_stalled_snapshot_is_seen_and_expires_alone() {
    let variables: Vec<_> = (0..100).map(|number| TVar::new(Counted::new(number))).collect();
    let (begun, goes) = (Barrier::new(3), Barrier::new(3));
    thread::scope(|scope| {
        let look = |limit: usize| {
            let (variables, begun, goes) = (&variables, &begun, &goes);
            move || {
                snapshot_within(limit, |view| {
                    let first = variables[99].read(view)?;
                    begun.wait();
                    goes.wait();
                    // What it has seen before stays, also when it has expired.
                    assert_eq!(first.look(), 99);
                    variables.iter().map(|variable| variable.read(view).map(Counted::look)).sum()
                })
            }
        };
        let stalled = scope.spawn(look(10));
        let patient = scope.spawn(look(1_000));
        begun.wait();
        thread::sleep(Duration::from_millis(5));
        for variable in &variables {
            atomically(|tx| variable.set(tx, Counted::new(7)));
        }
        let running = stats().running_snapshots;
        assert_eq!(running.len(), 2);
        assert!(running.iter().all(|snapshot| snapshot.age >= Duration::from_millis(5)));
        assert!(running[0].age >= running[1].age);
        let expired: Vec<_> = running.iter().filter(|snapshot| snapshot.is_expired).collect();
        assert_eq!((expired.len(), expired[0].kept_values), (1, 10));
        let before = stats().rolled_back(odeon_stm::Cause::SnapshotExpired);
        goes.wait();
        assert!(stalled.join().unwrap().is_err());
        assert_eq!(patient.join().unwrap(), Ok((0..100).sum::<u64>()));
        assert_eq!(stats().rolled_back(odeon_stm::Cause::SnapshotExpired), before + 1);
    });
    // An expired snapshot that swallows the error is none the less expired.
    let swallowed = snapshot_within(0, |view| {
        thread::scope(|scope| {
            scope.spawn(|| atomically(|tx| variables[0].set(tx, Counted::new(8))));
        });
        Ok(variables[0].read(view).map_or(0, Counted::look))
    });
    assert!(swallowed.is_err());
    settles_at(100);
}

fn threads_that_end_leave_nothing() {
    let variable = TVar::new(Counted::new(0));
    for _ in 0..20 {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for number in 0..10 {
                        atomically(|tx| variable.set(tx, Counted::new(number)));
                    }
                });
            }
        });
    }
    settles_at(1);
}

fn short_threads_leave_little_although_nobody_else_runs_transactions() {
    let variable = Arc::new(TVar::new(Counted::new(0)));
    for number in 0..300 {
        let variable = variable.clone();
        let overwrites = move || {
            for _ in 0..5 {
                atomically(|tx| variable.set(tx, Counted::new(number)));
            }
        };
        thread::spawn(overwrites).join().unwrap();
        assert!(alive() < 200, "{} values are alive", alive());
    }
    settles_at(1);
}

struct Node {
    value: TVar<Counted>,
    next: TLink<Node>,
}

/// Chains are cut and grown while others walk along them.
fn readers_and_snapshots_among_writers_and_unlinked_nodes() {
    let (head, ends) = (TLink::<Node>::new(None), AtomicBool::new(false));
    thread::scope(|scope| {
        for walker in 0..2 {
            let (head, ends) = (&head, &ends);
            scope.spawn(move || {
                while !ends.load(Ordering::SeqCst) {
                    let walk = if walker == 0 {
                        atomically(|tx| {
                            let (mut seen, mut link) = (Vec::new(), head);
                            while let Some(node) = link.get(tx)? {
                                seen.push(node.value.read(tx)?.look());
                                link = &node.next;
                            }
                            Ok(seen)
                        })
                    } else {
                        snapshot(|view| {
                            let (mut seen, mut link) = (Vec::new(), head);
                            while let Some(node) = link.get(view)? {
                                seen.push(node.value.read(view)?.look());
                                link = &node.next;
                            }
                            Ok(seen)
                        })
                        .unwrap()
                    };
                    // Each commit keeps the values of the chain in one step.
                    assert!(walk.windows(2).all(|pair| pair[0] == pair[1]), "{walk:?}");
                }
            });
        }
        for round in 0..3_000_u64 {
            atomically(|tx| {
                if round % 5 == 4 {
                    // Cut off all but the rest of the first one.
                    let rest = match head.get(tx)? {
                        Some(first) => first.next.share(tx)?,
                        None => None,
                    };
                    head.set(tx, rest)?;
                } else {
                    let node = Node {
                        value: TVar::new(Counted::new(round)),
                        next: TLink::new(head.share(tx)?),
                    };
                    if round % 97 == 0 {
                        head.set(tx, None)?;
                    } else {
                        head.set(tx, Some(Arc::new(node)))?;
                    }
                }
                let mut link = &head;
                while let Some(node) = link.get(tx)? {
                    node.value.set(tx, Counted::new(round))?;
                    link = &node.next;
                }
                Ok(())
            });
        }
        ends.store(true, Ordering::SeqCst);
    });
    drop(head);
    settles_at(0);
}

fn panics_and_rollbacks_leave_nothing() {
    let variable = TVar::new(Counted::new(0));
    let panic = catch_unwind(AssertUnwindSafe(|| {
        atomically(|tx| -> Result<(), _> {
            variable.set(tx, Counted::new(1))?;
            variable.set(tx, Counted::new(2))?;
            let _ = tx.nested(|tx| {
                variable.set(tx, Counted::new(3))?;
                Err::<(), _>(odeon_stm::Abort::Failed(()))
            })?;
            tx.or_else(
                |tx| {
                    variable.set(tx, Counted::new(4))?;
                    panic!("in the middle")
                },
                |_| Ok(()),
            )
        });
    }));
    assert!(panic.is_err());
    assert_eq!(alive(), 1);
    atomically(|tx| variable.set(tx, Counted::new(5)));
    assert_eq!(variable.into_inner().look(), 5);
    collect();
    assert_eq!(alive(), 0);
}
