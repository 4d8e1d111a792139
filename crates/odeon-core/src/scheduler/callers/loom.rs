//! Exhaustive models of rules 1 and 2: callers against the end of the pool.

use odeon_sync::atomic::{AtomicBool, Ordering, fence};
use odeon_sync::{Arc, UnsafeCell, thread};

use super::{CachePadded, Callers, Line};
use crate::process::current;

struct Pool {
    callers: Callers,
    ending: AtomicBool,
    /// The actors: touched by who gives turns, and by who ends what is left.
    actors: UnsafeCell<u32>,
}

// SAFETY: that nobody touches the cell beside others is what the model shows; loom looks.
unsafe impl Sync for Pool {}

impl Pool {
    fn new() -> Arc<Self> {
        let callers = Callers { lines: [CachePadded::new(Line::default())], are_allowed: true };
        let (ending, actors) = (AtomicBool::new(false), UnsafeCell::new(0));
        Arc::new(Self { callers, ending, actors })
    }

    fn touch(&self) {
        self.actors.with_mut(|actors| {
            // SAFETY: as above.
            unsafe { *actors += 1 }
        });
    }

    /// Whether it was let in.
    fn call(&self) -> bool {
        // ORDERING: Relaxed: as in `run`.
        let is_ending = || self.ending.load(Ordering::Relaxed);
        let within = self.callers.enter(current::here(), is_ending);
        if within.is_some() {
            self.touch();
        }
        within.is_some()
    }

    fn end(&self) {
        // ORDERING: SeqCst: as in `PoolShared::end`.
        self.ending.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        while self.callers.all_gone().is_none() {
            thread::yield_now();
        }
        self.touch();
    }
}

#[test]
fn what_is_left_is_ended_when_no_caller_is_within() {
    loom::model(|| {
        let pool = Pool::new();
        let caller = {
            let pool = pool.clone();
            thread::spawn(move || u32::from(pool.call()))
        };
        pool.end();
        assert!(!pool.call(), "nobody comes in after the end");
        let calls = caller.join().unwrap();
        // SAFETY: nobody else is left.
        pool.actors.with(|actors| assert_eq!(unsafe { *actors }, calls + 1));
    });
}

/// Two looks that agree say that nobody was within between them.
#[test]
fn two_looks_tell_a_call_between_them() {
    loom::model(|| {
        let pool = Pool::new();
        let caller = {
            let pool = pool.clone();
            thread::spawn(move || pool.call())
        };
        let first = pool.callers.all_gone();
        let second = pool.callers.all_gone();
        if let (Some(first), Some(second)) = (first, second) {
            assert!(first <= second);
            if first == 1 {
                // It has left: what it did is seen.
                pool.actors.with(|actors| {
                    // SAFETY: the caller is gone.
                    assert_eq!(unsafe { *actors }, 1);
                });
            }
        }
        assert!(caller.join().unwrap());
    });
}
