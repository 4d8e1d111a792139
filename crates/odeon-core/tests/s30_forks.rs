//! S30: forked tasks run in parallel with their actor, which goes on with what they come to.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier};
use std::thread::ThreadId;
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::{Deterministic, for_seeds, silent_panic};

/// How long a test waits for what has to happen.
const PATIENCE: Duration = Duration::from_secs(30);

/// Does what it is told with its state, and its context.
struct Doer {
    value: u64,
    out: Sender<u64>,
}

type Do = dyn FnOnce(&mut Doer, &mut Context<'_, Doer>) + Send;

struct Deed(Box<Do>);
impl Message for Deed {}

impl Actor for Doer {
    type Msg = Deed;
    fn handle(&mut self, Deed(deed): Deed, ctx: &mut Context<'_, Self>) {
        deed(self, ctx);
    }
}

fn doer() -> (Doer, Receiver<u64>) {
    let (out, values) = channel();
    (Doer { value: 0, out }, values)
}

fn tell(
    to: &ActorRef<Deed>,
    deed: impl FnOnce(&mut Doer, &mut Context<'_, Doer>) + Send + 'static,
) {
    to.send(Deed(Box::new(deed))).unwrap_or_else(|_| panic!("it has stopped"));
}

#[test]
fn s30_a_task_runs_in_parallel_with_its_actor_wherever_that_lives() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    for place in 0..3 {
        let (doer, values) = doer();
        let doer = match place {
            0 => theater.spawn(doer),
            1 => theater.actor().on(&stage).spawn(doer),
            _ => theater.actor().dedicated("own").spawn(doer).unwrap(),
        };
        let (meet, met) = channel::<()>();
        let (answer, answered) = channel::<()>();
        tell(&doer, move |_, ctx| {
            let here = std::thread::current().id();
            let task = move || {
                meet.send(()).unwrap();
                answered.recv_timeout(PATIENCE).unwrap();
                (std::thread::current().id() != here) as u64
            };
            ctx.fork(task, |this, elsewhere, _| this.out.send(elsewhere).unwrap());
            // The handler goes on until the task has begun.
            met.recv_timeout(PATIENCE).unwrap();
        });
        tell(&doer, move |_, _| answer.send(()).unwrap());
        assert_eq!(values.recv_timeout(PATIENCE).unwrap(), 1);
    }
}

#[test]
fn s30_tasks_run_in_parallel_with_each_other_and_come_back_in_their_order() {
    let theater = Theater::builder().workers(3).build().unwrap();
    let (doer, values) = doer();
    let doer = theater.spawn(doer);
    tell(&doer, |_, ctx| {
        let barrier = Arc::new(Barrier::new(3));
        let tasks = (0..3_u64).map(|n| {
            let barrier = barrier.clone();
            move || {
                barrier.wait();
                n
            }
        });
        ctx.fork_all(tasks.collect::<Vec<_>>(), |this, results, _| {
            results.into_iter().for_each(|n| this.out.send(n).unwrap());
        });
    });
    let all: Vec<u64> = (0..3).map(|_| values.recv_timeout(PATIENCE).unwrap()).collect();
    assert_eq!(all, [0, 1, 2]);
}

#[test]
fn s30_the_actor_goes_on_once_with_its_state_when_the_last_task_is_over() {
    for_seeds(50, |seed| {
        let run = Deterministic::new(seed);
        let (doer, values) = doer();
        let doer = run.theater().spawn(doer);
        let over = Arc::new(AtomicUsize::new(0));
        tell(&doer, move |this, ctx| {
            this.value = 100;
            let of_tasks = over.clone();
            let tasks = (0..5_u64).map(move |n| {
                let over = of_tasks.clone();
                move || {
                    over.fetch_add(1, Ordering::Relaxed);
                    n
                }
            });
            ctx.fork_all(tasks, move |this, results, ctx| {
                assert_eq!(over.load(Ordering::Relaxed), 5);
                this.value += results.iter().sum::<u64>();
                this.out.send(this.value).unwrap();
                // None at all is over at once.
                ctx.fork_all(Vec::<fn() -> u64>::new(), |this, none, _| {
                    this.out.send(none.len() as u64).unwrap();
                });
            });
            this.value += 1;
        });
        run.run_until_idle();
        assert_eq!(values.try_iter().collect::<Vec<_>>(), [111, 0]);
    });
}

#[test]
fn s30_a_panic_of_a_task_is_a_failure_of_the_actor() {
    for together in [false, true] {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (out, values) = channel();
        let made = Arc::new(AtomicUsize::new(0));
        let states = made.clone();
        let doer = theater.actor().supervised(Supervision::new()).spawn(move || Doer {
            value: states.fetch_add(1, Ordering::SeqCst) as u64,
            out: out.clone(),
        });
        tell(&doer, move |_, ctx| {
            let fails = || -> u64 { silent_panic("a task") };
            if together {
                let tasks: Vec<Box<dyn FnOnce() -> u64 + Send>> =
                    vec![Box::new(|| 1), Box::new(fails), Box::new(fails)];
                ctx.fork_all(tasks, |this, _, _| this.out.send(99).unwrap());
            } else {
                ctx.fork(fails, |this, _, _| this.out.send(99).unwrap());
            }
        });
        let begun = std::time::Instant::now();
        while made.load(Ordering::SeqCst) < 2 && begun.elapsed() < PATIENCE {
            std::thread::yield_now();
        }
        tell(&doer, |this, _| this.out.send(this.value).unwrap());
        assert_eq!(values.recv_timeout(PATIENCE), Ok(1));
        assert!(theater.shutdown(PATIENCE).drained);
        assert_eq!(values.try_recv().ok(), None);
    }
}

#[test]
fn s30_a_task_that_is_cancelled_before_it_begins_never_does() {
    for_seeds(50, |seed| {
        let run = Deterministic::new(seed);
        let (doer, values) = doer();
        let doer = run.theater().spawn(doer);
        let ran = Arc::new(AtomicUsize::new(0));
        let of_task = ran.clone();
        tell(&doer, move |_, ctx| {
            let task = move || of_task.fetch_add(1, Ordering::Relaxed) as u64;
            let one = ctx.fork(task, |this, value, _| this.out.send(value).unwrap());
            let all = ctx.fork_all([|| 1, || 2], |this, _, _| this.out.send(0).unwrap());
            assert!(one.cancel() && all.cancel());
            ctx.stop();
        });
        run.run_until_idle();
        assert_eq!((values.try_iter().count(), run.theater().live_actors()), (0, 0));
        assert_eq!(ran.load(Ordering::Relaxed), 0);
    });
}

/// Forks, and goes on when no handler waits.
struct Patient(Sender<Vec<ThreadId>>);

impl AsyncActor for Patient {
    type Msg = ();
    async fn handle(&mut self, (): (), ctx: &mut AsyncContext<'_, Self>) {
        ctx.fork(
            || std::thread::current().id(),
            |this, one, ctx| {
                let tasks = [(); 2].map(|()| move || one);
                ctx.fork_all(tasks, |this, ids, _| this.0.send(ids).unwrap());
                let _ = this;
            },
        );
    }
}

#[test]
fn s30_asynchronous_actors_fork_as_well() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let (out, ids) = channel();
    theater.spawn(Patient(out)).send(()).unwrap();
    let ids = ids.recv_timeout(PATIENCE).unwrap();
    assert_eq!(ids[0], ids[1]);
}

/// Sums in a task, and writes what it comes to.
struct Sums(u64);
struct Get(Reply<u64>);
impl Message for Get {}

impl ReadWriteActor for Sums {
    type Read = Get;
    type Write = Vec<u64>;

    fn read(&self, Get(reply): Get, _: &mut ReadContext<'_, Self>) {
        reply.send(self.0);
    }

    fn write(&mut self, numbers: Vec<u64>, ctx: &mut WriteContext<'_, Self>) {
        let all = numbers.clone();
        ctx.fork(move || numbers.iter().sum::<u64>(), |sums, sum, _| sums.0 += sum);
        let tasks = all.into_iter().map(|n| move || n * 100);
        ctx.fork_all(tasks, |sums, more, _| sums.0 += more.iter().sum::<u64>());
    }
}

#[test]
fn s30_a_write_forks_and_goes_on_alone() {
    for_seeds(50, |seed| {
        let run = Deterministic::new(seed);
        let sums = ReadWriting::new(Sums(0), ReadWritePolicy::ReadersFirst);
        let sums = run.theater().spawn(sums.sharing(ReadSharing::Always));
        sums.write(vec![1, 2, 3]).unwrap();
        let asked: Vec<_> = (0..6).map(|_| sums.ask_read(Get)).collect();
        run.run_until_idle();
        asked.into_iter().for_each(|asked| {
            assert!([0, 6, 600, 606].contains(&asked.wait().unwrap()));
        });
        let last = sums.ask_read(Get);
        run.run_until_idle();
        assert_eq!(last.wait(), Ok(606));
    });
}
