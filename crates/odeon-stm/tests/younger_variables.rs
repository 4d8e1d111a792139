//! Variables that are made while a snapshot runs are younger than it: nothing is kept for them, and
//! it does not see them. One test, because what is held is counted for the process.

use odeon_stm::staged::{Attempted, attempt};
use odeon_stm::{
    Abort, Mode, SnapshotExpired, TLink, TMap, TVar, atomically, collect, snapshot,
    snapshot_within, stats,
};
use std::sync::atomic::{AtomicI64, AtomicPtr, Ordering};
use std::sync::{Arc, Barrier, OnceLock, mpsc};
use std::thread;
use std::time::Instant;

/// Values that are alive.
static ALIVE: AtomicI64 = AtomicI64::new(0);

/// A value that is counted.
struct Counted(u64);

impl Counted {
    fn new(number: u64) -> Self {
        ALIVE.fetch_add(1, Ordering::SeqCst);
        Self(number)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

fn alive() -> i64 {
    ALIVE.load(Ordering::SeqCst)
}

/// Waits until nothing is left: a scope ends before the thread-local values of its threads do.
fn settles() {
    let since = Instant::now();
    while (alive(), stats().held_values) != (0, 0) {
        assert!(since.elapsed().as_secs() < 10, "{} values are alive: {:?}", alive(), stats());
        collect();
    }
}

#[test]
fn what_is_made_while_a_snapshot_runs_is_not_kept_for_it() {
    a_million_variables_made_overwritten_and_dropped_beside_a_stalled_snapshot();
    variables_that_stay_do_not_count_against_the_limit_either();
    a_younger_variable_is_an_error_and_never_a_guess();
    a_younger_variable_at_the_address_of_an_older_one_is_not_taken_for_it();
    what_a_commit_has_linked_before_is_seen_with_its_first_values();
    settles();
}

/// Runs `meanwhile` while a snapshot stalls that keeps at most `limit` values, and answers what
/// that snapshot saw of `older`, which is overwritten meanwhile.
fn beside_a_stalled_snapshot(
    limit: usize,
    older: &TVar<Counted>,
    meanwhile: impl FnOnce(),
) -> Result<u64, SnapshotExpired> {
    let (begun, has_begun) = mpsc::channel();
    let (goes, may_go) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let stalled = scope.spawn(move || {
            snapshot_within(limit, |view| {
                begun.send(()).unwrap();
                // Also if `meanwhile` panics.
                let _ = may_go.recv();
                older.read_with(view, |value| value.0)
            })
        });
        has_begun.recv().unwrap();
        let goes = goes;
        atomically(|tx| older.set(tx, Counted::new(2)));
        meanwhile();
        drop(goes);
        stalled.join().unwrap()
    })
}

fn a_million_variables_made_overwritten_and_dropped_beside_a_stalled_snapshot() {
    const VARIABLES: u64 = 1_000_000;
    let older = TVar::new(Counted::new(1));
    let seen = beside_a_stalled_snapshot(1, &older, || {
        for number in 0..VARIABLES {
            let variable = TVar::new(Counted::new(number));
            atomically(|tx| variable.set(tx, Counted::new(number + 1)));
            if number % 4_096 == 0 {
                let running = stats().running_snapshots;
                assert_eq!((running[0].kept_values, running[0].is_expired), (1, false));
                assert!(stats().held_values < 1_000, "{:?}", stats());
                assert!(alive() < 1_000, "{} values are alive", alive());
            }
        }
    });
    assert_eq!(seen, Ok(1), "it has what it needs");
    drop(older);
    settles();
}

fn variables_that_stay_do_not_count_against_the_limit_either() {
    const VARIABLES: u64 = 10_000;
    let (older, map) = (TVar::new(Counted::new(1)), Arc::new(TMap::new()));
    let all = OnceLock::new();
    let seen = beside_a_stalled_snapshot(1 + 8 + 1, &older, || {
        let variables: Vec<_> = (0..VARIABLES).map(|n| TVar::new(Counted::new(n))).collect();
        for round in 0..3 {
            for variable in &variables {
                atomically(|tx| variable.set(tx, Counted::new(round)));
                atomically(|tx| variable.update(tx, |old| Counted::new(old.0 + 1)));
            }
        }
        for key in 0..8 {
            atomically(|tx| map.insert(tx, key, key).map(drop));
            atomically(|tx| map.insert(tx, key, key + 1).map(drop));
        }
        let _ = all.set(variables);
        let running = stats().running_snapshots;
        assert!(running[0].kept_values <= 1 + 8 + 1 && !running[0].is_expired, "{running:?}");
        collect();
        assert!(alive() < VARIABLES as i64 + 1_000, "{} values are alive", alive());
    });
    assert_eq!(seen, Ok(1));
    drop((older, map, all));
    settles();
}

/// A reference to a younger variable comes to the snapshot by a way of its own.
fn a_younger_variable_is_an_error_and_never_a_guess() {
    for (overwritten, prepared) in [(false, false), (true, false), (false, true), (true, true)] {
        let (place, begun) = (OnceLock::<Arc<TVar<String>>>::new(), Barrier::new(2));
        let made = Barrier::new(2);
        thread::scope(|scope| {
            scope.spawn(|| {
                begun.wait();
                let variable = place.get_or_init(|| Arc::new(TVar::new("first".into())));
                if overwritten {
                    atomically(|tx| variable.set(tx, "second".into()));
                }
                let held = prepared.then(|| prepare(variable.clone()));
                made.wait();
                made.wait();
                drop(held);
            });
            let seen = snapshot(|view| {
                begun.wait();
                made.wait();
                let seen = place.get().expect("made").read(view).cloned();
                made.wait();
                seen
            });
            assert!(seen.is_err(), "{seen:?}");
            let later = snapshot(|view| place.get().expect("made").read(view).cloned());
            assert_eq!(later.unwrap(), if overwritten { "second" } else { "first" });
        });
    }
}

fn prepare(variable: Arc<TVar<String>>) -> odeon_stm::staged::Prepared<TVar<String>> {
    let run = attempt(variable, Mode::Logged, |variable, tx| {
        Ok::<_, Abort<()>>(variable.set(tx, "prepared".into())?)
    });
    let Attempted::Finished(finished, ()) = run else { panic!("nobody is in the way") };
    finished.prepare().unwrap()
}

/// How a younger variable comes to another word than the one it was made with.
#[derive(Debug, Clone, Copy)]
enum Deed {
    Nothing,
    Overwrite,
    PrepareWrite,
    PrepareRead,
    PrepareReadThenOverwrite,
}

/// The older variable's value is among those kept, under the address that both have; the younger
/// one's type is another.
fn a_younger_variable_at_the_address_of_an_older_one_is_not_taken_for_it() {
    use Deed::{Nothing, Overwrite, PrepareRead, PrepareReadThenOverwrite, PrepareWrite};
    for deed in [Nothing, Overwrite, PrepareWrite, PrepareRead, PrepareReadThenOverwrite] {
        let memory = Box::into_raw(Box::new([0_u64; 2]));
        // SAFETY: a variable has 16 bytes; the memory is this test's, and freed at its end.
        unsafe { memory.cast::<TVar<u64>>().write(TVar::new(8)) };
        let (place, turns) = (&AtomicPtr::new(memory), Barrier::new(2));
        thread::scope(|scope| {
            scope.spawn(|| {
                turns.wait();
                let place = place.load(Ordering::SeqCst);
                // SAFETY: the variable made above. Nobody else uses it when it is dropped.
                let older = unsafe { &*place.cast::<TVar<u64>>() };
                atomically(|tx| older.set(tx, 9));
                // SAFETY: as above; the place is written anew.
                let younger = unsafe {
                    place.cast::<TVar<u64>>().drop_in_place();
                    place.cast::<TVar<String>>().write(TVar::new("first".into()));
                    &*place.cast::<TVar<String>>()
                };
                let held = match deed {
                    Nothing | Overwrite => None,
                    PrepareWrite => Some(prepare_at(younger, true)),
                    PrepareRead | PrepareReadThenOverwrite => Some(prepare_at(younger, false)),
                };
                let held = held.filter(|_| !matches!(deed, PrepareReadThenOverwrite));
                if matches!(deed, Overwrite | PrepareReadThenOverwrite) {
                    atomically(|tx| younger.set(tx, "second".into()));
                }
                turns.wait();
                turns.wait();
                drop(held);
            });
            let seen = snapshot(|view| {
                turns.wait();
                turns.wait();
                // SAFETY: the younger variable; the other thread has left it to this one, and it is
                // not dropped.
                let younger = unsafe { &*place.load(Ordering::SeqCst).cast::<TVar<String>>() };
                let seen = younger.read(view).cloned();
                turns.wait();
                seen
            });
            assert!(seen.is_err(), "{deed:?}: {seen:?}");
        });
        // SAFETY: the younger variable, which nobody uses any more, and its memory from above.
        unsafe {
            memory.cast::<TVar<String>>().drop_in_place();
            drop(Box::from_raw(memory));
        }
    }
}

/// Has read `variable`, and will write it if asked to.
fn prepare_at(
    variable: &'static TVar<String>,
    writes: bool,
) -> odeon_stm::staged::Prepared<&'static TVar<String>> {
    let run = attempt(Arc::new(variable), Mode::Logged, |variable, tx| {
        let seen = variable.read(tx)?.clone();
        if writes {
            variable.set(tx, seen + "!")?;
        }
        Ok::<_, Abort<()>>(())
    });
    let Attempted::Finished(finished, ()) = run else { panic!("nobody is in the way") };
    finished.prepare().unwrap()
}

/// However late a variable was made: who sees the commit that has linked it sees it too.
fn what_a_commit_has_linked_before_is_seen_with_its_first_values() {
    let link = TLink::<TVar<u64>>::new(None);
    for number in 0..100 {
        atomically(|tx| link.set(tx, Some(Arc::new(TVar::new(number)))));
        let seen = snapshot(|view| {
            let variable = link.get(view)?.expect("linked");
            thread::scope(|scope| {
                scope.spawn(|| atomically(|tx| variable.set(tx, 1_000)));
            });
            variable.get(view)
        });
        assert_eq!(seen, Ok(number));
    }
}
