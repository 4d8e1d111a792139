//! S43: a theater whose workers are tasks of tokio does all that one with threads does (the stage
//! suite), leaves tasks their turns, and outlives its runtime.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use odeon_core::extend::Spawnable;
use odeon_core::*;
use odeon_testkit::conformance::stage::StageUnderTest;
use odeon_testkit::conformance::stages_of_core::OnPool;
use odeon_testkit::{DropTracker, Tracked, stage_conformance};
use odeon_tokio::{TheaterBuilderExt, TheaterExt};
use tokio::runtime::{Builder, Runtime};

const PATIENCE: Duration = Duration::from_secs(60);

fn with_threads(threads: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(threads).enable_all().build().unwrap()
}

fn with_one_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Does `work` on a thread of its own, and fails if that does not come back.
fn in_time(work: impl FnOnce() + Send + 'static) {
    let (done, over) = channel();
    let thread = std::thread::spawn(move || {
        work();
        done.send(()).unwrap();
    });
    assert_ne!(over.recv_timeout(PATIENCE), Err(RecvTimeoutError::Timeout), "blocked");
    thread.join().unwrap();
}

/// A theater in a runtime with two threads, as one on a pool.
struct OnTokio {
    pool: OnPool,
    runtime: Runtime,
}

impl StageUnderTest for OnTokio {
    const SEEDS: u64 = 5;
    fn new(builder: TheaterBuilder, seed: u64) -> Self {
        let runtime = with_threads(2);
        Self { pool: OnPool::new(builder.on_tokio_of(runtime.handle().clone()), seed), runtime }
    }
    fn theater(&self) -> &Theater {
        self.pool.theater()
    }
    fn spawn<Kind, A: Spawnable<Kind>>(&self, actor: A) -> ActorRef<A::Msg> {
        self.pool.spawn(actor)
    }
    fn run_until(&self, done: impl FnMut() -> bool) {
        self.pool.run_until(done);
    }
    fn work_a_little(&self, amount: usize) {
        self.pool.work_a_little(amount);
    }
    fn drain_within(self, limit: Duration) -> StopReport {
        let report = self.pool.drain_within(limit);
        drop(self.runtime);
        report
    }
    fn shutdown_now(self) -> StopReport {
        self.drain_within(Duration::ZERO)
    }
}

stage_conformance!(tasks_of_tokio, OnTokio);

/// Does what it is told to, and answers.
struct Doer;

type What = Box<dyn FnOnce(&mut Context<'_, Doer>) -> String + Send>;

struct Do(What, Option<Reply<String>>);
impl Message for Do {}

impl Actor for Doer {
    type Msg = Do;
    fn handle(&mut self, Do(what, reply): Do, ctx: &mut Context<'_, Self>) {
        let answer = what(ctx);
        if let Some(reply) = reply {
            reply.send(answer);
        }
    }
}

fn act(
    what: impl FnOnce(&mut Context<'_, Doer>) -> String + Send + 'static,
) -> impl FnOnce(Reply<String>) -> Do {
    move |reply| Do(Box::new(what), Some(reply))
}

fn nothing() -> Do {
    Do(Box::new(|_| String::new()), None)
}

fn thread_name() -> String {
    std::thread::current().name().unwrap_or_default().to_owned()
}

#[test]
fn handlers_run_on_threads_of_the_runtime_and_find_it() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("of-tokio")
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let theater = Theater::builder().stats(true).on_tokio().build().unwrap();
        assert_eq!(
            theater.stats().unwrap().stages[0].workers,
            2,
            "as many as the runtime has threads"
        );
        let doer = theater.spawn(Doer);
        let name = doer.ask(act(|_| thread_name())).await.unwrap();
        assert_eq!(name, "of-tokio");
        let (told, tells) = channel();
        let spawns = act(move |_| {
            tokio::spawn(async move { told.send(thread_name()).unwrap() });
            String::new()
        });
        doer.ask(spawns).await.unwrap();
        assert_eq!(tells.recv_timeout(PATIENCE).unwrap(), "of-tokio");
        let pinned = theater.pinned("own").unwrap();
        let there = theater.actor().on(&pinned).spawn(Doer);
        let entered = there.ask(act(|_| format!("{:?}", tokio::runtime::Handle::try_current())));
        assert!(entered.await.unwrap().starts_with("Ok"), "on other stages too");
    });
}

#[test]
fn more_workers_than_threads_and_fewer() {
    for (threads, workers) in [(1, 3), (3, 1)] {
        let runtime = with_threads(threads);
        let handle = runtime.handle().clone();
        let builder = Theater::builder().stats(true).on_tokio_of(handle);
        let theater = builder.workers(workers).build().unwrap();
        assert_eq!(theater.stats().unwrap().stages[0].workers, workers);
        let (told, tells) = channel();
        let actors: Vec<_> = (0..20).map(|_| theater.spawn(CountsDown(told.clone()))).collect();
        actors.iter().for_each(|actor| actor.send(1_000).unwrap());
        (0..20).for_each(|_| tells.recv_timeout(PATIENCE).unwrap());
    }
}

/// Counts down, a message to itself after the other, and tells when it is through.
struct CountsDown(Sender<()>);

impl Actor for CountsDown {
    type Msg = u64;
    fn handle(&mut self, left: u64, ctx: &mut Context<'_, Self>) {
        match left {
            0 => self.0.send(()).unwrap(),
            left => ctx.send_self(left - 1),
        }
    }
}

#[test]
fn a_flood_of_messages_leaves_tasks_their_turns() {
    in_time(|| {
        with_one_thread().block_on(async {
            let theater = Theater::builder().on_tokio().build().unwrap();
            let (told, _tells) = channel();
            for _ in 0..3 {
                theater.spawn(CountsDown(told.clone())).send(u64::MAX).unwrap();
            }
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        });
    });
}

#[test]
fn a_flood_of_tasks_leaves_actors_their_turns() {
    in_time(|| {
        let runtime = with_threads(2);
        let theater = Theater::builder().on_tokio_of(runtime.handle().clone()).build().unwrap();
        for _ in 0..8 {
            runtime.spawn(async {
                loop {
                    tokio::task::yield_now().await;
                }
            });
        }
        let (told, tells) = channel();
        theater.spawn(CountsDown(told)).send(10_000).unwrap();
        tells.recv_timeout(PATIENCE).unwrap();
        let doer = theater.spawn(Doer);
        for _ in 0..100 {
            doer.ask(act(|_| String::new())).wait().unwrap();
        }
    });
}

/// Each question finds all workers asleep, or falling asleep.
#[test]
fn no_wake_up_is_lost() {
    in_time(|| {
        let runtime = with_threads(2);
        let theater = Theater::builder().on_tokio_of(runtime.handle().clone()).build().unwrap();
        let doers = [theater.spawn(Doer), theater.spawn(Doer)];
        let ask = |from: usize| {
            let doers = doers.clone();
            move |n: usize| {
                let next = doers[(n + from) % 2].clone();
                act(move |_| {
                    next.send(nothing()).unwrap();
                    String::new()
                })
            }
        };
        let from_thread = std::thread::spawn({
            let (doers, question) = (doers.clone(), ask(0));
            move || (0..3_000).for_each(|n| drop(doers[n % 2].ask(question(n)).wait().unwrap()))
        });
        let question = ask(1);
        runtime.block_on(async {
            for n in 0..3_000 {
                doers[n % 2].ask(question(n)).await.unwrap();
                if n % 16 == 0 {
                    tokio::time::sleep(Duration::from_micros(50)).await;
                }
            }
        });
        from_thread.join().unwrap();
    });
}

/// Who is queued behind a handler that takes long is taken by another worker.
#[test]
fn a_handler_that_blocks_holds_up_nobody_else() {
    in_time(|| {
        let runtime = with_threads(2);
        let theater = Theater::builder().on_tokio_of(runtime.handle().clone()).build().unwrap();
        for _ in 0..50 {
            let (told, tells) = channel();
            let (go_on, may_go_on) = channel::<()>();
            let others: Vec<_> = (0..10).map(|_| theater.spawn(CountsDown(told.clone()))).collect();
            let blocks = act(move |_| {
                others.iter().for_each(|other| other.send(100).unwrap());
                may_go_on.recv_timeout(PATIENCE).map(|()| String::new()).unwrap()
            });
            let blocked = theater.spawn(Doer).ask(blocks);
            // The one in the LIFO slot waits for the handler's end.
            (0..9).for_each(|_| tells.recv_timeout(PATIENCE).unwrap());
            go_on.send(()).unwrap();
            blocked.wait().unwrap();
            tells.recv_timeout(PATIENCE).unwrap();
        }
    });
}

struct Kept(#[expect(dead_code, reason = "tells when it is dropped")] Tracked<()>);

impl Actor for Kept {
    type Msg = ();
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
}

/// The thread that drops the theater is the only one that could give turns.
#[test]
fn a_theater_dropped_on_the_runtimes_only_thread_ends_at_once() {
    in_time(|| {
        let states = DropTracker::new();
        let ends_at_once = || {
            with_one_thread().block_on(async {
                let theater = Theater::builder().on_tokio().build().unwrap();
                let kept: Vec<_> = (0..10).map(|_| theater.spawn(Kept(states.track(())))).collect();
                tokio::task::yield_now().await;
                kept.iter().for_each(|kept| kept.send(()).unwrap());
                let before = std::time::Instant::now();
                drop(theater);
                let is_quick = before.elapsed() < Duration::from_millis(900);
                assert!(kept.iter().all(ActorRef::is_stopped));
                is_quick
            })
        };
        // Now and then this thread may be held up.
        assert!((0..5).any(|_| ends_at_once()), "somebody was waited for in vain");
        states.check();
    });
}

/// A worker that its task has brought to its end is not taken over as well.
#[test]
fn a_theater_that_ends_is_taken_over_and_polled_at_once() {
    in_time(|| {
        for threads in [1, 2] {
            with_threads(threads).block_on(async {
                let mut slow = 0;
                for n in 0..40 {
                    let theater = Theater::builder().on_tokio().build().unwrap();
                    if n % 2 == 0 {
                        tokio::time::sleep(Duration::from_millis(1)).await;
                    }
                    let before = std::time::Instant::now();
                    drop(theater);
                    slow += usize::from(before.elapsed() > Duration::from_millis(900));
                }
                assert!(slow < 5, "{slow} of 40 theaters without actors took a second to end");
            });
        }
    });
}

/// Each of their calls takes longer than a task may go on.
#[test]
fn tasks_that_call_leave_others_their_turns() {
    in_time(|| {
        with_one_thread().block_on(async {
            let theater = Theater::builder().on_tokio().build().unwrap();
            let handled = Arc::new(AtomicUsize::new(0));
            for _ in 0..2 {
                let (doer, handled) = (theater.spawn(Doer), handled.clone());
                tokio::spawn(async move {
                    let act = |handled: Arc<AtomicUsize>| {
                        act(move |_| {
                            std::thread::sleep(Duration::from_millis(1));
                            handled.fetch_add(1, SeqCst);
                            String::new()
                        })
                    };
                    while doer.call(act(handled.clone())).await.is_ok() {}
                });
            }
            let other = tokio::spawn(async {
                for _ in 0..10 {
                    tokio::task::yield_now().await;
                }
            });
            other.await.unwrap();
            let handled = handled.load(SeqCst);
            assert!(handled <= 1_000, "{handled} calls beside ten turns of another task");
        });
    });
}

#[test]
fn a_drain_that_blocks_the_runtimes_only_thread_is_one() {
    in_time(|| {
        with_one_thread().block_on(async {
            let theater = Theater::builder().on_tokio().build().unwrap();
            let (told, tells) = channel();
            theater.spawn(CountsDown(told)).send(10_000).unwrap();
            let report = theater.shutdown(PATIENCE);
            assert!(report.drained && report.stuck == 0);
            tells.try_recv().unwrap();
        });
    });
}

#[test]
fn a_shutdown_that_does_not_block() {
    in_time(|| {
        for runtime in [with_one_thread(), with_threads(2)] {
            runtime.block_on(async {
                let theater = Theater::builder().on_tokio().build().unwrap();
                let (told, tells) = channel();
                theater.spawn(CountsDown(told)).send(10_000).unwrap();
                let report = theater.shutdown_async(PATIENCE).await;
                assert!(report.drained && report.stuck == 0);
                tells.try_recv().unwrap();
            });
        }
    });
}

/// Its actors live on, also those that were to have a turn.
#[test]
fn a_theater_outlives_its_runtime() {
    in_time(|| {
        for runtime in [with_one_thread(), with_threads(2)] {
            let theater = Theater::builder().on_tokio_of(runtime.handle().clone()).build().unwrap();
            let (told, tells) = channel();
            theater.spawn(CountsDown(told)).send(100_000).unwrap();
            drop(runtime);
            tells.recv_timeout(PATIENCE).unwrap();
            let doer = theater.spawn(Doer);
            let name = doer.ask(act(|_| thread_name())).wait().unwrap();
            assert!(name.starts_with("odeon-worker"), "{name}");
            assert!(theater.shutdown(PATIENCE).drained);
        }
    });
}

#[test]
fn a_theater_on_a_runtime_that_has_ended() {
    in_time(|| {
        let runtime = with_threads(1);
        let handle = runtime.handle().clone();
        drop(runtime);
        let theater = Theater::builder().on_tokio_of(handle).workers(3).build().unwrap();
        let doers: Vec<_> = (0..10).map(|_| theater.spawn(Doer)).collect();
        let asks: Vec<_> = doers.iter().map(|doer| doer.ask(act(|_| String::new()))).collect();
        asks.into_iter().for_each(|ask| drop(ask.wait().unwrap()));
        assert_eq!(theater.shutdown(PATIENCE).stuck, 0);
    });
}

/// The theater of the handler is not the one of the runtime that it drives.
#[test]
fn a_handler_may_drive_the_runtime_of_another_theater() {
    in_time(|| {
        let outer = Theater::builder().workers(1).build().unwrap();
        let told = Arc::new(AtomicUsize::new(0));
        let tell = told.clone();
        let drives = act(move |ctx| {
            let name = with_one_thread().block_on(async {
                let inner = Theater::builder().on_tokio().build().unwrap();
                inner.spawn(Doer).ask(act(|_| "answered inside".to_owned())).await.unwrap()
            });
            // Still in the turn of the outer actor.
            let tells = move |_: &mut Context<'_, Doer>| {
                tell.fetch_add(1, SeqCst);
                String::new()
            };
            ctx.spawn(Doer).send(Do(Box::new(tells), None)).unwrap();
            name
        });
        assert_eq!(outer.spawn(Doer).ask(drives).wait().unwrap(), "answered inside");
        assert!(outer.shutdown(PATIENCE).drained);
        assert_eq!(told.load(SeqCst), 1);
    });
}

#[test]
fn a_theater_is_dropped_by_its_own_actor() {
    in_time(|| {
        let runtime = with_threads(2);
        let states = DropTracker::new();
        let is_over = Arc::new(AtomicBool::new(false));
        let theater = Theater::builder().on_tokio_of(runtime.handle().clone()).build().unwrap();
        theater.spawn(Kept(states.track(())));
        let (doer, over) = (theater.spawn(Doer), is_over.clone());
        let drops = act(move |_| {
            drop(theater);
            over.store(true, SeqCst);
            String::new()
        });
        let _ = doer.ask(drops).wait();
        while !doer.is_stopped() || states.alive() > 0 {
            std::thread::yield_now();
        }
        assert!(is_over.load(SeqCst));
    });
}
