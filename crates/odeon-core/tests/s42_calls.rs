//! S42 calls: who waits for the answer gives the actor its turn, and nothing else changes.

use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};
use std::task::{Context as TaskContext, Poll, Waker};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::{DropTracker, Tracked, silent_panic, yields};

use crate::full::{Gate, PATIENCE, in_time};

/// Does what it is sent.
#[derive(Default)]
struct Doer {
    done: Vec<u64>,
    _state: Option<Tracked<()>>,
}

struct Do(Box<dyn FnOnce(&mut Doer, &mut Context<'_, Doer>) + Send>);
impl Message for Do {}

impl Actor for Doer {
    type Msg = Do;
    fn handle(&mut self, Do(work): Do, ctx: &mut Context<'_, Self>) {
        work(self, ctx);
    }
}

fn act(work: impl FnOnce(&mut Doer, &mut Context<'_, Doer>) + Send + 'static) -> Do {
    Do(Box::new(work))
}

fn note(number: u64) -> Do {
    act(move |doer, _| doer.done.push(number))
}

fn done(reply: Reply<Vec<u64>>) -> Do {
    act(move |doer, _| reply.send(doer.done.clone()))
}

fn whose_thread(reply: Reply<ThreadId>) -> Do {
    act(move |_, _| reply.send(thread::current().id()))
}

fn is_called_here(doer: &ActorRef<Do>) -> bool {
    doer.call(whose_thread).wait().unwrap() == thread::current().id()
}

/// Calls until the actor is found idle.
fn until_called_here(doer: &ActorRef<Do>) {
    let begun = Instant::now();
    while !is_called_here(doer) {
        assert!(begun.elapsed() < PATIENCE, "nobody gives it its turn but the pool");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn s42_the_caller_of_an_idle_actor_gives_it_its_turn() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let doer = theater.spawn(Doer::default());
    until_called_here(&doer);
    let mut here = 0;
    for _ in 0..100 {
        here += usize::from(is_called_here(&doer));
    }
    assert_eq!(here, 100, "nobody else is there");
    let mut call = std::pin::pin!(doer.call(whose_thread));
    let polled = call.as_mut().poll(&mut TaskContext::from_waker(Waker::noop()));
    assert_eq!(polled, Poll::Ready(Ok(thread::current().id())));
}

#[test]
fn s42_whose_threads_are_special_is_called_by_nobody_else() {
    let plain = Theater::builder().workers(1).build().unwrap();
    let deep = Theater::builder().workers(1).stack_size(8 << 20).build().unwrap();
    let within = Theater::builder().workers(1).thread_context(|work| work()).build().unwrap();
    let stage = plain.pinned("stage").unwrap();
    let actors = [
        deep.spawn(Doer::default()),
        within.spawn(Doer::default()),
        plain.actor().on(&stage).spawn(Doer::default()),
        plain.actor().dedicated("own").spawn(Doer::default()).unwrap(),
        plain.spawn(Bounded::new(Doer::default()).mailbox(0, Bound::reject(10))),
    ];
    for (number, doer) in actors.iter().enumerate() {
        for _ in 0..20 {
            assert!(!is_called_here(doer), "actor {number}");
            thread::sleep(Duration::from_micros(200));
        }
    }
}

#[test]
fn s42_s2_a_call_comes_behind_what_its_sender_has_sent() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let doer = theater.spawn(Doer::default());
    for round in 0..2_000_u64 {
        let first = round * 10;
        (first..first + round % 4).for_each(|number| doer.send(note(number)).unwrap());
        let done = doer.call(done).wait().unwrap();
        assert!(done.ends_with(&(first..first + round % 4).collect::<Vec<_>>()));
        doer.send(act(|doer, _| doer.done.clear())).unwrap();
    }
}

#[test]
fn s42_nothing_is_sent_before_it_is_awaited() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let doer = theater.spawn(Doer::default());
    drop(doer.call(|reply: Reply<()>| act(move |doer, _| (doer.done.push(1), reply.send(())).1)));
    let call = doer.call(done);
    doer.send(note(2)).unwrap();
    assert_eq!(call.wait(), Ok(vec![2]));
}

#[test]
fn s42_s1_threads_that_call_at_once_are_answered_one_at_a_time() {
    in_time(|| {
        let theater = Theater::builder().workers(2).build().unwrap();
        let doer = theater.spawn(Doer::default());
        let (inside, calls) = (Arc::new(AtomicBool::new(false)), 3_000);
        thread::scope(|scope| {
            for number in 0..6 {
                let (doer, inside) = (&doer, &inside);
                scope.spawn(move || {
                    for _ in 0..calls {
                        let inside = inside.clone();
                        let count = move |reply: Reply<u64>| {
                            act(move |doer, _| {
                                assert!(!inside.swap(true, SeqCst), "two at once");
                                doer.done.resize(1, 0);
                                doer.done[0] += 1;
                                inside.store(false, SeqCst);
                                reply.send(doer.done[0]);
                            })
                        };
                        if number < 4 {
                            doer.call(count).wait().unwrap();
                        } else {
                            drop(doer.ask(count));
                        }
                    }
                });
            }
        });
        assert_eq!(doer.call(done).wait(), Ok(vec![6 * calls]));
    });
}

#[test]
fn s42_s5_s15_a_failure_is_the_actors_and_not_the_callers() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let doer = theater
        .actor()
        .supervised(Supervision::new().restarts(3, Duration::MAX))
        .spawn(Doer::default);
    for _ in 0..3 {
        until_called_here(&doer);
        doer.send(note(1)).unwrap();
        let trap = |reply: Reply<()>| {
            act(move |_, _| {
                let _reply = reply;
                silent_panic("a trap");
            })
        };
        let failed = doer.call(trap).wait();
        assert!(
            matches!(&failed, Err(AskError::Failed(text)) if text.to_string().contains("a trap")),
            "{failed:?}"
        );
        assert_eq!(doer.call(done).wait(), Ok(vec![]), "made anew");
    }
}

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
fn s42_a_handler_that_a_caller_runs_is_as_any_other() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let (doer, other) = (theater.spawn(Doer::default()), theater.spawn(Doer::default()));
    until_called_here(&doer);
    until_called_here(&other);
    // It may not block for an answer, and says so before anything is sent.
    let asked = other.clone();
    let blocks = |reply: Reply<bool>| {
        act(move |_, _| {
            let blocks = std::panic::AssertUnwindSafe(|| drop(asked.call(done).wait()));
            reply.send(std::panic::catch_unwind(blocks).is_err());
        })
    };
    assert_eq!(doer.call(blocks).wait(), Ok(true));
    // What it sends comes from the actor, and is handled by the pool.
    let (told, tells) = channel();
    let to = other.clone();
    let sends = |reply: Reply<()>| {
        act(move |_, ctx| {
            let me = ctx.id();
            let tell = move |_: &mut Doer, _: &mut Context<'_, Doer>| {
                told.send((me, thread::current().id())).unwrap();
            };
            to.send(act(tell)).unwrap();
            reply.send(());
        })
    };
    assert_eq!(doer.call(sends).wait(), Ok(()));
    let (sender, by) = tells.recv_timeout(PATIENCE).unwrap();
    assert!(sender == doer.id() && by != thread::current().id());
}

/// A caller is held back by waiting for its answer only; the actor, in its turn, as any other.
#[test]
fn s42_s17_not_the_caller_but_its_actor_is_held_back() {
    in_time(|| {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (doer, full) = (theater.spawn(Doer::default()), theater.spawn(Doer::default()));
        let gate = Arc::new(Gate::default());
        let pass = gate.clone();
        full.send(act(move |_, _| pass.pass())).unwrap();
        until_called_here(&doer);
        let to = full.clone();
        let floods = |reply: Reply<()>| {
            act(move |_, _| {
                (0..5_000).for_each(|number| to.send(note(number)).unwrap());
                reply.send(());
            })
        };
        assert_eq!(doer.call(floods).wait(), Ok(()));
        let held = doer.call(done).wait_timeout(Duration::from_millis(50));
        assert_eq!(held, Err(AskError::Timeout), "the actor has no turn while it is held back");
        gate.open();
        assert_eq!(doer.call(done).wait(), Ok(vec![]));
        assert_eq!(full.call(done).wait().unwrap().len(), 5_000);
    });
}

/// A caller serves others for a moment only.
#[test]
fn s42_s6_what_others_send_meanwhile_is_left_to_the_pool() {
    in_time(|| {
        let theater = Theater::builder().workers(1).build().unwrap();
        let doer = theater.spawn(Doer::default());
        until_called_here(&doer);
        let (gate, floods) = (Arc::new(Gate::default()), Arc::new(Barrier::new(2)));
        thread::scope(|scope| {
            scope.spawn(|| {
                floods.wait();
                for number in 0..400 {
                    let slow = move |doer: &mut Doer, _: &mut Context<'_, Doer>| {
                        thread::sleep(Duration::from_millis(1));
                        doer.done.push(number);
                    };
                    doer.send(act(slow)).unwrap();
                }
                gate.open();
            });
            let (pass, flooded) = (gate.clone(), floods.clone());
            let waits = |reply: Reply<()>| {
                act(move |_, _| {
                    flooded.wait();
                    pass.pass();
                    reply.send(());
                })
            };
            doer.call(waits).wait().unwrap();
            let (told, handled) = channel();
            doer.send(act(move |doer, _| told.send(doer.done.len()).unwrap())).unwrap();
            assert!(handled.try_recv().is_err(), "the caller has handled all of it");
            assert_eq!(handled.recv_timeout(PATIENCE), Ok(400), "the pool has handled the rest");
        });
    });
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

/// A task that finds its answers there at once lets others of its runtime go first now and then.
#[test]
fn s42_s6_a_task_that_calls_without_end_lets_others_go_first() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let doer = theater.spawn(Doer::default());
    until_called_here(&doer);
    let mut calls = std::pin::pin!(async {
        for _ in 0..1_000 {
            doer.call(whose_thread).await.unwrap();
        }
    });
    let mut polls = 0;
    while calls.as_mut().poll(&mut TaskContext::from_waker(Waker::noop())).is_pending() {
        polls += 1;
        assert!(polls < 100_000, "it does not come on");
    }
    assert!(polls >= 7, "pending {polls} times");
}

struct Patient(Arc<AtomicUsize>);

impl AsyncActor for Patient {
    type Msg = Box<Reply<usize>>;
    async fn handle(&mut self, reply: Box<Reply<usize>>, _: &mut AsyncContext<'_, Self>) {
        yields(3).await;
        reply.send(self.0.fetch_add(1, SeqCst));
    }
}

#[test]
fn s42_s13_asynchronous_actors_are_called_too() {
    in_time(|| {
        let theater = Theater::builder().workers(2).build().unwrap();
        let patient = theater.spawn(Patient(Arc::default()));
        for number in 0..500 {
            assert_eq!(patient.call(Box::new).wait(), Ok(number));
        }
    });
}

#[test]
fn s42_s21_turns_that_callers_give_are_counted() {
    let theater = Theater::builder().workers(1).stats(true).build().unwrap();
    let doer = theater.spawn(Doer::default());
    until_called_here(&doer);
    let messages = || {
        let stats = theater.stats().unwrap();
        let actor = stats.actors.iter().find(|actor| actor.id == doer.id()).unwrap().messages;
        (actor, stats.stages.iter().map(|stage| stage.messages).sum::<u64>())
    };
    let before = messages();
    (0..50).for_each(|_| assert!(is_called_here(&doer)));
    let after = messages();
    assert_eq!((after.0 - before.0, after.1 - before.1), (50, 50));
}
