//! A finished attempt that outlives what its thread was in when it was begun: in a thread-local, or
//! forgotten.

use odeon_stm::staged::{Attempted, Awaited, FinishedHere, Prepared, attempt, attempt_here};
use odeon_stm::{Abort, Mode, TVar, atomically};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex};
use std::task::{Wake, Waker};
use std::thread;

thread_local! {
    static KEPT: RefCell<Option<FinishedHere<'static>>> = const { RefCell::new(None) };
}

fn finish(variable: &'static TVar<String>, value: &'static str) -> FinishedHere<'static> {
    let run = attempt_here(Mode::Logged, move |tx| {
        variable.read(tx)?;
        Ok::<_, Abort<()>>(variable.set(tx, value.into())?)
    });
    let Attempted::Finished(finished, ()) = run else { panic!("nobody is in the way") };
    finished
}

/// Runs `act` in a hook of a transaction of this thread.
fn in_a_hook(act: impl FnOnce() + Send + 'static) {
    let (act, number) = (std::cell::Cell::new(Some(act)), TVar::new(0));
    atomically(|tx| {
        tx.on_commit(act.take().expect("nobody is in the way"));
        number.set(tx, 1)
    });
}

/// Whether the thread is within a transaction.
fn is_within() -> bool {
    let number = TVar::new(0);
    catch_unwind(AssertUnwindSafe(|| atomically(|tx| number.set(tx, 1)))).is_err()
}

#[test]
fn one_that_a_hook_has_begun_commits_after_the_hook() {
    static NAME: LazyLock<TVar<String>> = LazyLock::new(TVar::default);
    for writes in [true, false] {
        in_a_hook(move || KEPT.set(Some(finish(&NAME, "late"))));
        assert!(!is_within(), "the hook's surroundings are over");
        let finished = KEPT.take().expect("the hook has kept it");
        assert!(finished.has_written());
        match writes {
            true => finished.commit().unwrap(),
            false => drop(finished),
        }
        assert_eq!((&*NAME.peek(), is_within()), ("late", false));
    }
}

/// The thread is within another transaction when the one of the hook ends.
#[test]
fn one_that_a_hook_has_begun_ends_in_another_hook_within_a_transaction() {
    static NAME: LazyLock<TVar<String>> = LazyLock::new(TVar::default);
    in_a_hook(|| KEPT.set(Some(finish(&NAME, "first"))));
    in_a_hook(|| {
        let number = TVar::new(0);
        atomically(|tx| {
            number.set(tx, 1)?;
            KEPT.take().expect("it is kept").commit().unwrap();
            assert!(is_within(), "that end is not the end of this one");
            number.set(tx, 2)
        });
        assert_eq!(number.peek(), 2);
    });
    assert_eq!((&*NAME.peek(), is_within()), ("first", false));
}

/// Calls what it was made with.
struct Act<F>(F);

impl<F: Fn() + Send + Sync + 'static> Wake for Act<F> {
    fn wake(self: Arc<Self>) {
        (self.0)();
    }
}

/// A prepared attempt whose end calls `act` on the thread that ends it.
fn whose_end_calls(act: impl Fn() + Send + Sync + 'static) -> (Prepared<TVar<u64>>, Awaited) {
    let number = Arc::new(TVar::new(0_u64));
    let retries = attempt(number.clone(), Mode::Logged, |number, tx| {
        number.get(tx)?;
        Ok::<(), Abort<()>>(tx.retry()?)
    });
    let Attempted::RolledBack(rolled_back) = retries else { panic!("it asks to retry") };
    // Dropped, it cancels the wait.
    let waiting = rolled_back.wake(Waker::from(Arc::new(Act(act))));
    let writes = attempt(number, Mode::Logged, |number, tx| Ok::<_, Abort<()>>(number.set(tx, 1)?));
    let Attempted::Finished(finished, ()) = writes else { panic!("nobody is in the way") };
    (finished.prepare().unwrap(), waiting)
}

/// A waker of another attempt ends the one that its thread is in, and begins others.
#[test]
fn the_one_that_its_thread_is_in_ends_in_a_waker() {
    static NAME: LazyLock<TVar<String>> = LazyLock::new(TVar::default);
    for commits in [true, false] {
        let (prepared, _waiting) = whose_end_calls(move || {
            assert!(!is_within());
            let finished = KEPT.take().expect("it is kept");
            let number = TVar::new(0);
            atomically(|tx| {
                number.set(tx, 1)?;
                Ok(())
            });
            if commits {
                finished.commit().unwrap();
            } else {
                drop(finished);
            }
            assert!(!is_within());
        });
        KEPT.set(Some(finish(&NAME, "woken")));
        assert!(is_within());
        prepared.commit();
        assert!(!is_within(), "it has ended");
        assert_eq!(&*NAME.peek(), "woken");
    }
}

#[test]
fn one_ends_with_its_thread_whatever_else_has_ended_there_before() {
    static NAME: LazyLock<TVar<String>> = LazyLock::new(TVar::default);
    for is_first in [true, false] {
        thread::spawn(move || {
            // What a thread has used first ends last.
            if is_first {
                KEPT.with(|kept| assert!(kept.borrow().is_none()));
            }
            assert!(!is_within());
            KEPT.set(Some(finish(&NAME, "never")));
        })
        .join()
        .unwrap();
    }
    assert_eq!(NAME.peek(), "");
    atomically(|tx| NAME.set(tx, "after".into()));
}

#[test]
fn one_that_is_forgotten_keeps_its_thread_within_and_concerns_no_other() {
    // Where they are, so that who looks for leaks finds them.
    static FORGOTTEN: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    static NAME: LazyLock<TVar<String>> = LazyLock::new(TVar::default);
    for _ in 0..3 {
        thread::spawn(|| {
            let forgotten = Box::leak(Box::new(finish(&NAME, "never")));
            FORGOTTEN.lock().unwrap().push(std::ptr::from_mut(forgotten).addr());
            assert!(is_within());
        })
        .join()
        .unwrap();
        atomically(|tx| NAME.update(tx, |name| format!("{name}.")));
    }
    assert_eq!(NAME.peek(), "...");
}
