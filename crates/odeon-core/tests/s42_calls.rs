//! S42 calls: who waits for the answer gives the actor its turn, and nothing else changes.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::task::{Context as TaskContext, Poll, Waker};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::{Tracked, silent_panic, yields};

use crate::full::{Gate, PATIENCE, Task, in_time};

/// Does what it is sent.
#[derive(Default)]
pub(crate) struct Doer {
    pub(crate) done: Vec<u64>,
    pub(crate) _state: Option<Tracked<()>>,
}

type Deed = dyn FnOnce(&mut Doer, &mut Context<'_, Doer>) + Send;

pub(crate) struct Do(Box<Deed>);
impl Message for Do {}

impl Actor for Doer {
    type Msg = Do;
    fn handle(&mut self, Do(work): Do, ctx: &mut Context<'_, Self>) {
        work(self, ctx);
    }
}

pub(crate) fn act(work: impl FnOnce(&mut Doer, &mut Context<'_, Doer>) + Send + 'static) -> Do {
    Do(Box::new(work))
}

pub(crate) fn note(number: u64) -> Do {
    act(move |doer, _| doer.done.push(number))
}

pub(crate) fn done(reply: Reply<Vec<u64>>) -> Do {
    act(move |doer, _| reply.send(doer.done.clone()))
}

fn whose_thread(reply: Reply<ThreadId>) -> Do {
    act(move |_, _| reply.send(thread::current().id()))
}

fn is_called_here(doer: &ActorRef<Do>) -> bool {
    doer.call(whose_thread).wait().unwrap() == thread::current().id()
}

/// Calls until the actor is found idle.
pub(crate) fn until_called_here(doer: &ActorRef<Do>) {
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

/// Messages of others may take long, or wait for this very caller.
#[test]
fn s42_s6_a_caller_handles_its_own_message_and_no_other() {
    in_time(|| {
        let theater = Theater::builder().workers(1).build().unwrap();
        let doer = theater.spawn(Doer::default());
        for _ in 0..20 {
            until_called_here(&doer);
            let (to, gate, (told, handled)) = (doer.clone(), Arc::new(Gate::default()), channel());
            let pass = gate.clone();
            // What the handler sends to itself, and others send meanwhile, waits behind the answer.
            let answers_and_goes_on = |reply: Reply<ThreadId>| {
                act(move |_, ctx| {
                    let goes_on = move |_: &mut Doer, _: &mut Context<'_, Doer>| {
                        pass.pass();
                        told.send(thread::current().id()).unwrap();
                    };
                    ctx.send_self(act(goes_on));
                    (0..3).for_each(|number| to.send(note(number)).unwrap());
                    reply.send(thread::current().id());
                })
            };
            let here = thread::current().id();
            assert_eq!(doer.call(answers_and_goes_on).wait(), Ok(here));
            gate.open();
            assert_ne!(handled.recv_timeout(PATIENCE).unwrap(), here);
        }
    });
}

/// The same of an actor with two mailboxes and of an asynchronous one, which defer messages.
#[test]
fn s42_s3_s13_what_is_deferred_waits_for_the_pool() {
    struct Two(u32);
    struct Item(Reply<(u32, ThreadId)>);
    impl Message for Item {
        const MAILBOXES: usize = 2;
    }
    impl Actor for Two {
        type Msg = Item;
        fn handle(&mut self, Item(reply): Item, ctx: &mut Context<'_, Self>) {
            self.0 += 1;
            let second = 1 - ctx.mailbox();
            ctx.close(ctx.mailbox());
            ctx.open(second);
            reply.send((self.0, thread::current().id()));
        }
    }
    in_time(|| {
        let theater = Theater::builder().workers(1).build().unwrap();
        let two = theater.spawn(Two(0));
        for round in 0..2_000 {
            // Once the first mailbox is closed, its next message waits for one in the second.
            let first = two.mailbox(0).call(Item).wait().unwrap();
            let waits = two.mailbox(0).ask(Item);
            let second = two.mailbox(1).call(Item).wait().unwrap();
            let third = waits.wait().unwrap();
            let fourth = two.mailbox(1).call(Item).wait().unwrap();
            let numbers = [first, second, third, fourth].map(|(number, _)| number);
            assert_eq!(numbers, [1, 2, 3, 4].map(|number| 4 * round + number));
        }
    });
}

/// A task that finds its answers there at once lets others of its runtime go first now and then,
/// and what it calls comes in its order all the same.
#[test]
fn s42_s6_a_task_that_calls_without_end_lets_others_go_first() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let doer = theater.spawn(Doer::default());
    until_called_here(&doer);
    let mut yields = 0;
    for number in 0..1_000 {
        let mut calls = [2 * number, 2 * number + 1].map(|number| {
            Task::new(doer.call(move |reply: Reply<()>| {
                act(move |doer, _| (doer.done.push(number), reply.send(())).1)
            }))
        });
        let polls = calls.each_mut().map(Task::poll);
        for (call, polled) in calls.into_iter().zip(polls) {
            match polled {
                Poll::Ready(answer) => answer.unwrap(),
                Poll::Pending => {
                    yields += 1;
                    call.finish().unwrap();
                }
            }
        }
    }
    // On a busy machine calls take long, after which it does so more often; not most of the time.
    assert!((10..=1_000).contains(&yields), "{yields} times");
    assert!(doer.call(done).wait().unwrap().into_iter().eq(0..2_000), "in the order of the polls");
}

/// The time of the theater may stand still.
#[test]
fn s42_no_clock_keeps_a_caller() {
    struct Still;
    impl Clock for Still {
        fn now(&self) -> Duration {
            Duration::ZERO
        }
    }
    in_time(|| {
        let theater = Theater::builder().workers(1).clock(Arc::new(Still)).build().unwrap();
        let doer = theater.spawn(Doer::default());
        until_called_here(&doer);
        fn goes_on(_: &mut Doer, ctx: &mut Context<'_, Doer>) {
            ctx.send_self(act(goes_on));
        }
        let begins = |reply: Reply<()>| {
            act(move |doer, ctx| {
                goes_on(doer, ctx);
                reply.send(());
            })
        };
        assert_eq!(doer.call(begins).wait(), Ok(()));
    });
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
