//! S42 calls and ends: of actors, of theaters, of the threads that call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::DropTracker;

use crate::full::{Gate, PATIENCE, in_time};
use crate::s42_calls::{Do, Doer, act, done, note, until_called_here};

#[test]
fn s42_s4_an_actor_that_has_ended_is_not_called() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let doer = theater.spawn(Doer::default());
    until_called_here(&doer);
    let last = |reply: Reply<()>| {
        act(move |_, ctx| {
            ctx.stop();
            reply.send(());
        })
    };
    assert_eq!(doer.call(last).wait(), Ok(()));
    assert!(doer.is_stopped(), "in the caller's turn");
    assert_eq!(doer.call(done).wait(), Err(AskError::Stopped));
}

#[test]
fn s42_a_drain_waits_for_a_turn_that_a_caller_gives() {
    in_time(|| {
        let theater = Theater::builder().workers(1).build().unwrap();
        let doer = theater.spawn(Doer::default());
        until_called_here(&doer);
        let (begun, begins) = channel();
        let caller = thread::spawn(move || {
            let slow = |reply: Reply<()>| {
                act(move |_, _| {
                    begun.send(()).unwrap();
                    thread::sleep(Duration::from_millis(100));
                    reply.send(());
                })
            };
            doer.call(slow).wait()
        });
        begins.recv_timeout(PATIENCE).unwrap();
        let report = theater.shutdown(PATIENCE);
        assert!(report.drained && report.stuck == 0);
        assert_eq!(caller.join().unwrap(), Ok(()));
    });
}

/// An actor whose caller does not come back is left to it, as to a thread of the pool.
#[test]
fn s42_s4_an_actor_stuck_in_a_callers_turn_is_left_alone() {
    in_time(|| {
        let theater = Theater::builder().workers(1).build().unwrap();
        let states = DropTracker::new();
        let state = Doer { _state: Some(states.track(())), ..Doer::default() };
        let doer = theater.spawn(state);
        until_called_here(&doer);
        let gate = Arc::new(Gate::default());
        let (pass, called) = (gate.clone(), doer.clone());
        let (begun, begins) = channel();
        let caller = thread::spawn(move || {
            let stuck = |reply: Reply<u64>| {
                act(move |doer, _| {
                    begun.send(()).unwrap();
                    pass.pass();
                    doer.done.push(7);
                    reply.send(doer.done[0]);
                })
            };
            called.call(stuck).wait()
        });
        begins.recv_timeout(PATIENCE).unwrap();
        assert_eq!(theater.shutdown(Duration::ZERO).stuck, 1);
        assert!(!doer.is_stopped(), "its handler runs");
        gate.open();
        assert_eq!(caller.join().unwrap(), Ok(7), "its state was there all the time");
        let begun = Instant::now();
        while !doer.is_stopped() {
            assert!(begun.elapsed() < PATIENCE, "the caller ends it");
            thread::yield_now();
        }
        drop(doer);
        states.check();
    });
}

/// The last reference to the theater goes in a turn that a caller gives.
#[test]
fn s42_s4_a_theater_may_end_in_a_callers_turn() {
    in_time(|| {
        for shuts_down in [false, true] {
            let theater = Theater::builder().workers(1).build().unwrap();
            let doer = theater.spawn(Doer::default());
            until_called_here(&doer);
            let ends = |reply: Reply<bool>| {
                act(move |_, _| {
                    let drained = shuts_down && theater.shutdown(PATIENCE).drained;
                    reply.send(drained);
                })
            };
            assert_eq!(doer.call(ends).wait(), Ok(false));
            let begun = Instant::now();
            while !doer.is_stopped() {
                assert!(begun.elapsed() < PATIENCE, "it ends in the background");
                thread::yield_now();
            }
            assert_eq!(doer.call(done).wait(), Err(AskError::Stopped));
        }
    });
}

/// What a thread leaves behind may call, when its own variables are gone in part.
#[test]
fn s42_a_thread_that_ends_may_call() {
    struct AtTheEnd(ActorRef<Do>, Arc<AtomicUsize>);
    impl Drop for AtTheEnd {
        fn drop(&mut self) {
            // A dead letter and a failure, of which the thread would be told.
            let last = |reply: Reply<()>| {
                act(move |_, ctx| {
                    ctx.send_self(note(1));
                    ctx.stop();
                    reply.send(());
                })
            };
            self.1.fetch_add(usize::from(self.0.call(last).wait().is_ok()), SeqCst);
        }
    }
    thread_local! {
        static LEFT: std::cell::RefCell<Option<AtTheEnd>> = const { std::cell::RefCell::new(None) };
    }
    let theater = Theater::builder().workers(1).build().unwrap();
    let (doer, answered) = (theater.spawn(Doer::default()), Arc::new(AtomicUsize::new(0)));
    until_called_here(&doer);
    let left = AtTheEnd(doer.clone(), answered.clone());
    let ends = move || {
        LEFT.set(Some(left));
        // This has the runtime's own variables made after that one, and so dropped before.
        assert_eq!(
            doer.call(|reply: Reply<()>| act(|_, _| drop(reply))).wait(),
            Err(AskError::NoReply)
        );
    };
    thread::spawn(ends).join().unwrap();
    assert_eq!(answered.load(SeqCst), 1);
}
