//! Journeys: parts on several states and threads, undone, protected, committed at once.

use odeon_stm::staged::{Attempted, Journey, RolledBack, attempt};
use odeon_stm::{Abort, Cause, Mode, Rollback, TCounter, TVar, Tx, atomically, snapshot};
use odeon_testkit::DropTracker;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Wake, Waker};
use std::thread;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

/// Counts how often it was woken.
#[derive(Default)]
struct Counting(AtomicU32);

impl Wake for Counting {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// `act` on another thread, to its end; fails instead of waiting for ever.
fn soon<R: Send + 'static>(act: impl FnOnce() -> R + Send + 'static) -> R {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || send.send(act()));
    receive.recv_timeout(PATIENCE).expect("it waits for ever")
}

type Number = Arc<TVar<i64>>;

fn number(value: i64) -> Number {
    Arc::new(TVar::new(value))
}

/// A part that finishes.
fn part<S: Send + Sync + 'static, R>(
    journey: &mut Journey,
    state: &Arc<S>,
    closure: impl for<'t> FnOnce(&'t S, &mut Tx<'t>) -> Result<R, Rollback>,
) -> R {
    match journey.part(state, |state, tx| Ok::<_, Abort<()>>(closure(state, tx)?)) {
        Attempted::Finished((), value) => value,
        other => panic!("nobody is in the way: {:?}", cause(other)),
    }
}

fn cause<F, R, E>(run: Attempted<F, R, E>) -> Option<Cause> {
    match run {
        Attempted::RolledBack(rolled_back) => Some(rolled_back.cause()),
        _ => None,
    }
}

fn add(journey: &mut Journey, number: &Number, more: i64) -> i64 {
    part(journey, number, |number, tx| {
        number.update(tx, |n| n + more)?;
        number.get(tx)
    })
}

fn get(journey: &mut Journey, number: &Number) -> i64 {
    part(journey, number, |number, tx| number.get(tx))
}

fn commit(journey: &mut Journey) {
    journey.commit_before_hooks().expect("nobody is in the way").call();
}

/// Whether somebody could write `number` without waiting.
fn is_free(number: &Number) -> bool {
    let run = attempt(number.clone(), Mode::Logged, |number, tx| {
        Ok::<_, Abort<()>>(number.update(tx, |n| *n)?)
    });
    match run {
        Attempted::Finished(finished, ()) => finished.commit().is_ok(),
        _ => false,
    }
}

#[test]
fn every_part_may_be_on_another_thread() {
    let numbers = [number(1), number(2), number(3)];
    let mut journey = Journey::begin(Mode::Logged);
    for number in &numbers {
        let number = number.clone();
        journey = soon(move || {
            add(&mut journey, &number, 10);
            journey.protect().unwrap();
            journey
        });
    }
    assert_eq!(numbers.each_ref().map(|number| number.peek()), [1, 2, 3]);
    let again = numbers[0].clone();
    soon(move || {
        assert_eq!(add(&mut journey, &again, 100), 111);
        commit(&mut journey);
    });
    assert_eq!(numbers.each_ref().map(|number| number.peek()), [111, 12, 13]);
}

#[test]
fn the_thread_is_free_between_parts_and_taken_within_one() {
    let (number, other) = (number(0), number(0));
    let mut journey = Journey::begin(Mode::Logged);
    add(&mut journey, &number, 1);
    atomically(|tx| other.update(tx, |n| n + 1));
    let panics: [fn(&Number); 3] = [
        |other| atomically(|tx| other.update(tx, |n| n + 1)),
        |other| assert!(snapshot(|view| other.get(view)).is_err()),
        |_| drop(Journey::begin(Mode::Logged)),
    ];
    for within in panics {
        let panic = catch_unwind(AssertUnwindSafe(|| {
            journey.part(&number, |number, tx| {
                number.set(tx, 7)?;
                within(&other);
                Ok::<_, Abort<()>>(())
            })
        }));
        let panic = panic.expect_err("a transaction within another one");
        let text = panic.downcast_ref::<String>().expect("a text");
        assert!(text.contains("journeys.rs") && text.contains("is within"), "{text}");
        // The part is undone, and the thread is usable.
        atomically(|tx| other.update(tx, |n| n + 1));
        assert_eq!(get(&mut journey, &number), 1);
    }
    let mut within = Journey::begin(Mode::Logged);
    let panic = catch_unwind(AssertUnwindSafe(|| atomically(|_| Ok(get(&mut within, &number)))));
    assert!(panic.is_err(), "a part within a transaction");
    commit(&mut journey);
    assert_eq!((number.peek(), other.peek()), (1, 4));
}

#[test]
fn a_part_that_does_not_finish_leaves_no_trace() {
    let tracker = DropTracker::new();
    let state = Arc::new((TVar::new(tracker.track("old")), TCounter::new(5), TVar::new(0)));
    let mut journey = Journey::begin(Mode::Logged);
    part(&mut journey, &state, |state, tx| {
        state.0.set(tx, tracker.track("first"))?;
        state.1.add(tx, 1)
    });
    for protected in [false, true] {
        if protected {
            journey.protect().unwrap();
        }
        for ending in 0..3 {
            let run = catch_unwind(AssertUnwindSafe(|| {
                journey.part(&state, |state, tx| {
                    assert_eq!(**state.0.read(tx)?, "first");
                    state.0.set(tx, tracker.track("second"))?;
                    let _ = tx.nested(|tx| {
                        state.0.set(tx, tracker.track("third"))?;
                        Err::<(), _>(Abort::Failed(()))
                    })?;
                    state.1.add(tx, 100)?;
                    assert_eq!(state.1.get(tx)?, 106);
                    state.2.set(tx, 1)?;
                    match ending {
                        0 => tx.fail("on purpose"),
                        1 => Ok(tx.retry()?),
                        _ => odeon_testkit::silent_panic("on purpose"),
                    }
                })
            }));
            match run {
                Ok(Attempted::Failed(error)) => assert_eq!((ending, error), (0, "on purpose")),
                Ok(Attempted::RolledBack(why)) => {
                    assert_eq!((ending, why.cause()), (1, Cause::Retry))
                }
                Ok(Attempted::Finished((), ())) => panic!("it cannot finish"),
                Err(_) => assert_eq!(ending, 2),
            }
        }
    }
    let left = part(&mut journey, &state, |state, tx| {
        Ok((**state.0.read(tx)?, state.1.get(tx)?, state.2.get(tx)?))
    });
    assert_eq!(left, ("first", 6, 0));
    commit(&mut journey);
    assert_eq!((state.0.peek_with(|name| **name), state.1.peek(), state.2.peek()), ("first", 6, 0));
    drop((journey, state));
    // Attempts of the other tests may be under way, and hold values for a while.
    while tracker.alive() > 0 {
        odeon_stm::collect();
    }
}

/// What an undone part has read concerns nobody any more.
#[test]
fn reads_of_an_undone_part_are_forgotten() {
    let (mine, read) = (number(0), number(0));
    let mut journey = Journey::begin(Mode::Logged);
    add(&mut journey, &mine, 1);
    let failed = journey.part(&read, |read, tx| {
        read.get(tx)?;
        tx.fail::<(), _>(())
    });
    assert!(matches!(failed, Attempted::Failed(())));
    get(&mut journey, &read);
    assert!(journey.undo_last());
    get(&mut journey, &read);
    atomically(|tx| read.set(tx, 1));
    assert!(!journey.still_stands());
    assert_eq!(journey.protect().unwrap_err().cause(), Cause::ReadOverwritten);
    assert_eq!(journey.commit_before_hooks().unwrap_err().cause(), Cause::ReadOverwritten);
    assert!(journey.undo_last());
    assert!(journey.still_stands() && !journey.is_protected());
    assert_eq!(get(&mut journey, &read), 1);
    journey.protect().unwrap();
    assert!(journey.is_protected() && !journey.undo_last());
    commit(&mut journey);
    assert_eq!(mine.peek(), 1);
}

#[test]
fn parts_are_undone_one_by_one_with_what_they_have_rewritten() {
    let number = number(0);
    let mut journey = Journey::begin(Mode::Logged);
    add(&mut journey, &number, 1);
    journey.protect().unwrap();
    for _ in 0..2 {
        add(&mut journey, &number, 10);
        add(&mut journey, &number, 100);
        assert!(journey.is_protected(), "a rewrite needs no other lock");
        assert!(journey.undo_last());
        assert_eq!(get(&mut journey, &number), 11);
        assert!(journey.undo_last() && journey.undo_last());
        assert!(!journey.undo_last());
        assert_eq!(add(&mut journey, &number, 0), 1);
        assert!(journey.undo_last());
    }
    add(&mut journey, &number, 5);
    commit(&mut journey);
    assert_eq!(number.peek(), 6);
}

#[test]
fn changes_and_looks_go_on_across_parts() {
    let counter = Arc::new(TCounter::new(10));
    let mut journey = Journey::begin(Mode::Logged);
    for round in 1..=3 {
        part(&mut journey, &counter, |counter, tx| counter.add(tx, 1));
        if round == 2 {
            journey.protect().unwrap();
        }
        let seen = part(&mut journey, &counter, |counter, tx| counter.get(tx));
        assert_eq!(seen, 10 + round);
    }
    journey.protect().unwrap();
    part(&mut journey, &counter, |counter, tx| counter.add(tx, 1));
    assert_eq!(part(&mut journey, &counter, |counter, tx| counter.get(tx)), 14);
    commit(&mut journey);
    assert_eq!(counter.peek(), 14);
}

/// Also what is read under the journey's own lock is something to wait for, when that is gone.
#[test]
fn a_retry_waits_for_what_the_journey_itself_has_taken() {
    let counter = Arc::new(TCounter::new(0));
    let mut journey = Journey::begin(Mode::Logged);
    part(&mut journey, &counter, |counter, tx| counter.add(tx, 1));
    journey.protect().unwrap();
    let run = journey.part(&counter, |counter, tx| match counter.get(tx)? {
        1 => Ok::<(), Abort<()>>(tx.retry()?),
        other => panic!("{other} of 1"),
    });
    let Attempted::RolledBack(why) = run else { panic!("it retries") };
    journey.roll_back();
    let awaited = why.wake(Waker::from(Arc::new(Counting::default())));
    atomically(|tx| counter.add(tx, 1));
    assert!(awaited.is_over());
}

#[test]
fn dropping_a_journey_at_any_stage_leaves_nothing_held() {
    for stage in 0..6 {
        let (read, written, more) = (number(1), number(2), number(3));
        let mut journey = Journey::begin(Mode::Logged);
        let mut waiters = Vec::new();
        if stage > 0 {
            get(&mut journey, &read);
            add(&mut journey, &written, 1);
        }
        if stage > 1 {
            journey.protect().unwrap();
            for number in [&read, &written] {
                assert!(!is_free(number));
                let run = attempt(number.clone(), Mode::Logged, |number, tx| {
                    Ok::<_, Abort<()>>(number.set(tx, 9)?)
                });
                let Attempted::Finished(finished, ()) = run else { panic!("it does not look") };
                let rolled_back: RolledBack = finished.commit().unwrap_err();
                let counting = Arc::new(Counting::default());
                let awaited = rolled_back.wake(Waker::from(counting.clone()));
                waiters.push((counting, awaited));
            }
        }
        if stage > 2 {
            add(&mut journey, &read, 1);
            add(&mut journey, &more, 1);
        }
        if stage == 4 {
            journey.protect().unwrap();
        }
        if stage == 5 {
            assert!(journey.undo_last() && journey.undo_last());
        }
        assert!(waiters.iter().all(|(counting, awaited)| {
            counting.0.load(Ordering::SeqCst) == 0 && !awaited.is_over()
        }));
        soon(move || drop(journey));
        assert!([&read, &written, &more].into_iter().all(is_free), "stage {stage}");
        assert_eq!((read.peek(), written.peek(), more.peek()), (1, 2, 3));
        assert!(waiters.iter().all(|(counting, awaited)| {
            counting.0.load(Ordering::SeqCst) == 1 && awaited.is_over()
        }));
    }
}

#[test]
fn hooks_of_kept_parts_are_called_and_those_of_undone_parts_are_not() {
    let number = number(0);
    for commits in [true, false] {
        let mut journey = Journey::begin(Mode::Logged);
        let (send, log) = mpsc::channel();
        let hooked = |journey: &mut Journey, name: &'static str| {
            let (commit, rollback) = (send.clone(), send.clone());
            part(journey, &number, move |_, tx| {
                tx.on_commit(move || commit.send(format!("{name} committed")).unwrap());
                tx.on_rollback(move || rollback.send(format!("{name} rolled back")).unwrap());
                Ok(())
            });
        };
        assert!(!journey.has_hooks());
        hooked(&mut journey, "first");
        hooked(&mut journey, "undone");
        journey.undo_last();
        journey.protect().unwrap();
        hooked(&mut journey, "last");
        assert!(journey.has_hooks() && !journey.has_written());
        if commits {
            commit(&mut journey)
        } else {
            journey.roll_back()
        }
        let called: Vec<_> = log.try_iter().collect();
        let expected: &[&str] = if commits {
            &["undone rolled back", "first committed", "last committed"]
        } else {
            &["first rolled back", "undone rolled back", "last rolled back"]
        };
        assert_eq!(called, expected);
    }
}

#[test]
fn a_journey_keeps_its_states_until_its_end() {
    for commits in [true, false] {
        let (first, second) = (number(0), number(0));
        let weak = [&first, &second].map(Arc::downgrade);
        let mut journey = Journey::begin(Mode::Logged);
        for number in [first, second] {
            add(&mut journey, &number, 1);
        }
        assert!(weak.iter().all(|state| state.strong_count() == 1));
        if commits {
            commit(&mut journey);
        } else {
            drop(journey);
        }
        assert!(weak.iter().all(|state| state.strong_count() == 0));
    }
}

/// In the waker, in the middle of the commit: nothing is held any more.
struct WritesAll([Number; 2]);

impl Wake for WritesAll {
    fn wake(self: Arc<Self>) {
        self.0.iter().for_each(|number| atomically(|tx| number.update(tx, |n| n + 100)));
    }
}

#[test]
fn who_is_woken_by_a_commit_finds_everything_free() {
    soon(|| {
        for woken_by in 0..2 {
            let numbers = [number(0), number(0)];
            let mut journey = Journey::begin(Mode::Logged);
            get(&mut journey, &numbers[0]);
            add(&mut journey, &numbers[1], 1);
            journey.protect().unwrap();
            let run = attempt(numbers[woken_by].clone(), Mode::Logged, |number, tx| {
                Ok::<_, Abort<()>>(number.set(tx, 9)?)
            });
            let Attempted::Finished(finished, ()) = run else { panic!("it does not look") };
            let waker = Waker::from(Arc::new(WritesAll(numbers.clone())));
            let awaited = finished.commit().unwrap_err().wake(waker);
            commit(&mut journey);
            assert!(awaited.is_over());
            assert_eq!(numbers.map(|number| number.peek()), [100, 101]);
        }
    });
}

#[test]
fn a_journey_on_a_snapshot_sees_one_moment() {
    let numbers = [number(1), number(2)];
    let mut journey = Journey::begin(Mode::Snapshot);
    let add_to_all = || {
        atomically(|tx| numbers.iter().try_for_each(|number| number.update(tx, |n| n + 10)));
    };
    add_to_all();
    assert_eq!(get(&mut journey, &numbers[0]), 1);
    add_to_all();
    journey.protect().unwrap();
    assert!(numbers.iter().all(is_free), "a snapshot is in nobody's way");
    assert!(journey.is_protected() && journey.still_stands() && !journey.has_written());
    let other = numbers[1].clone();
    let mut journey = soon(move || {
        assert_eq!(get(&mut journey, &other), 2);
        journey
    });
    let retries = journey.part(&numbers[0], |_, tx| Ok::<(), Abort<()>>(tx.retry()?));
    assert_eq!(cause(retries), Some(Cause::CannotWait));
    assert_eq!(get(&mut journey, &numbers[0]), 1);
    commit(&mut journey);
    assert_eq!(numbers.map(|number| number.peek()), [21, 22]);
}

#[test]
fn misuse_panics() {
    let number = number(0);
    let text = |misuse: &mut dyn FnMut()| {
        let panic = catch_unwind(AssertUnwindSafe(misuse)).expect_err("it has to panic");
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        text.or_else(|| panic.downcast_ref::<String>().cloned()).expect("a text")
    };
    let direct = text(&mut || drop(Journey::begin(Mode::Direct)));
    assert!(direct.contains("a journey is logged or a snapshot"), "{direct}");
    let mut journey = Journey::begin(Mode::Logged);
    let retry = text(&mut || {
        drop(journey.part(&number, |_, tx| Ok::<(), Abort<()>>(tx.retry()?)));
    });
    assert!(retry.contains("would wait for ever"), "{retry}");
    add(&mut journey, &number, 1);
    commit(&mut journey);
    assert!(!journey.has_written() && !journey.has_hooks() && !journey.undo_last());
    let over = text(&mut || drop(journey.protect()));
    assert!(over.contains("this journey has committed"), "{over}");
    assert_eq!(number.peek(), 1);
}
