use super::{Condvar, Mutex, delay};
use crate::LockCounts;
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// Counts of the locks that a line of this file has made.
fn counts_of(line: u32) -> LockCounts {
    let end = format!("measured/tests.rs:{line}");
    let mut all = crate::lock_counts().into_iter();
    all.find(|counts| counts.place.ends_with(&end)).expect("it was made")
}

const SHORT: Duration = Duration::from_millis(20);

#[test]
fn a_line_counts_what_its_locks_are_held_and_waited_for() {
    let (line, lock) = (line!(), Mutex::new(0));
    let begin = Barrier::new(2);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let held = lock.lock().expect("not poisoned");
            begin.wait();
            std::thread::sleep(SHORT);
            drop(held);
        });
        begin.wait();
        *lock.lock().expect("not poisoned") += 1;
    });
    let counts = counts_of(line);
    assert_eq!((counts.acquisitions, counts.contended), (2, 1), "{counts:?}");
    assert!(counts.waited_ns > 0 && counts.held_ns >= SHORT.as_nanos() as u64, "{counts:?}");
    assert_eq!(lock.into_inner().expect("not poisoned"), 1);
}

#[test]
fn poison_is_told_and_what_waits_does_not_hold() {
    let (line, lock) = (line!(), Mutex::new(1));
    let waiting = Condvar::new();
    let begun = Instant::now();
    let held = lock.lock().expect("not poisoned");
    let (held, over) = waiting.wait_timeout(held, 4 * SHORT).expect("not poisoned");
    assert!(over.timed_out() && begun.elapsed() >= 4 * SHORT);
    drop(held);
    let counts = counts_of(line);
    assert!(counts.acquisitions == 2 && counts.held_ns < 4 * SHORT.as_nanos() as u64, "{counts:?}");
    let poisoning = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _held = lock.lock();
        std::panic::resume_unwind(Box::new(()));
    }));
    assert!(poisoning.is_err() && lock.try_lock().is_err());
    assert_eq!(*lock.lock().expect_err("it is poisoned").into_inner(), 1);
}

#[test]
fn a_delay_is_of_one_place() {
    let delayed = ("engine.rs:9".to_owned(), Duration::from_nanos(200));
    assert_eq!(delay::read("engine.rs:9=200"), Some(delayed));
    assert_eq!(delay::read("engine.rs:9"), None);
    assert_eq!(delay::read("engine.rs:9=x"), None);
    let begun = Instant::now();
    delay::spin(SHORT);
    assert!(begun.elapsed() >= SHORT);
}

#[test]
fn what_is_held_is_counted_when_it_is_given_back() {
    let (line, lock) = (line!(), Mutex::new(()));
    let held = lock.lock().expect("not poisoned");
    assert_eq!(counts_of(line).acquisitions, 0);
    std::thread::sleep(SHORT);
    drop(held);
    let counts = counts_of(line);
    assert!(counts.acquisitions == 1 && counts.held_ns >= SHORT.as_nanos() as u64, "{counts:?}");
}
