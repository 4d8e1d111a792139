//! S17, S18 in a tokio program: ten thousand tasks that ask an actor block none of the runtime's
//! threads, whatever the actor is, and what tasks send does not either.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_speculative::{
    Coordinate, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult,
};
use odeon_stm::{TVar, Tx};
use odeon_tokio::TheaterBuilderExt;
use tokio::task::JoinSet;

const TASKS: u32 = 10_000;
const PATIENCE: Duration = Duration::from_secs(100);

/// Runs `work` in a runtime with so many threads; fails if they are all blocked.
fn in_runtime<F: Future<Output = ()>>(threads: usize, work: impl FnOnce() -> F + Send + 'static) {
    let (done, over) = channel();
    let runs = thread::spawn(move || {
        let runtime = match threads {
            1 => tokio::runtime::Builder::new_current_thread().enable_all().build(),
            _ => tokio::runtime::Builder::new_multi_thread()
                .worker_threads(threads)
                .enable_all()
                .build(),
        };
        runtime.unwrap().block_on(work());
        done.send(()).unwrap();
    });
    if over.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
        panic!("the runtime is blocked");
    }
    runs.join().unwrap();
}

struct Work(u32, Reply<u32>);
impl Message for Work {}

/// Counts what it has handled.
#[derive(Clone, Default)]
struct Worker(Arc<AtomicUsize>);

impl Worker {
    fn does(&self, Work(number, reply): Work) {
        self.0.fetch_add(1, SeqCst);
        reply.send(number);
    }
}

impl Actor for Worker {
    type Msg = Work;
    fn handle(&mut self, work: Work, _: &mut Context<'_, Self>) {
        self.does(work);
    }
}

/// Waits for tokio's timer now and then.
struct Sleeper(Worker);

impl AsyncActor for Sleeper {
    type Msg = Work;
    async fn handle(&mut self, work: Work, _: &mut AsyncContext<'_, Self>) {
        if work.0 % 32 == 0 {
            tokio::time::sleep(Duration::from_micros(100)).await;
        }
        self.0.does(work);
    }
}

struct Rows(Worker);

impl ReadWriteActor for Rows {
    type Read = Work;
    type Write = Work;
    fn read(&self, work: Work, _: &mut ReadContext<'_, Self>) {
        self.0.does(work);
    }
    fn write(&mut self, work: Work, _: &mut WriteContext<'_, Self>) {
        self.0.does(work);
    }
}

struct Ledger(TVar<u32>);

impl SpeculativeActor for Ledger {
    type Msg = Work;
    fn handle<'t>(
        &'t self,
        Work(number, reply): &'t Work,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let sum = self.0.get(tx)?;
        self.0.set(tx, sum + 1)?;
        ctx.reply(reply, *number);
        Ok(())
    }
}

/// Each of so many tasks asks once, by `ask`; answers how many answers there were.
async fn ask_all<F>(ask: impl Fn(u32) -> F) -> u32
where
    F: Future<Output = Result<u32, AskError>> + Send + 'static,
{
    let mut tasks = JoinSet::new();
    for number in 0..TASKS {
        let answer = ask(number);
        tasks.spawn(async move {
            match answer.await {
                Ok(answer) => assert_eq!(answer, number),
                Err(AskError::Full) => return 0,
                Err(error) => panic!("{error}"),
            }
            1
        });
    }
    let mut answers = 0;
    while let Some(answer) = tasks.join_next().await {
        answers += answer.unwrap();
    }
    answers
}

/// Each task asks when it runs, and half of them with a deadline.
async fn ask_from_tasks(actor: &ActorRef<Work>) -> u32 {
    let asking = ask_all(|number| {
        let actor = actor.clone();
        async move {
            if number % 2 == 0 {
                return actor.ask(|reply| Work(number, reply)).await;
            }
            actor.ask_within(PATIENCE, |reply| Work(number, reply)).await
        }
    });
    asking.await
}

fn theater() -> Theater {
    Theater::builder().workers(2).tokio_current().build().unwrap()
}

fn on_one_and_two_threads<F: Future<Output = ()> + 'static>(work: fn() -> F) {
    for threads in [1, 2] {
        in_runtime(threads, work);
    }
}

#[test]
fn s17_ten_thousand_tasks_ask_an_actor_that_waits_for_a_timer() {
    on_one_and_two_threads(|| async {
        let theater = theater();
        let stage = theater.pinned("stage").unwrap();
        let worker = Worker::default();
        let sleeper = || Sleeper(worker.clone());
        for actor in [
            theater.spawn(sleeper()),
            theater.actor().on(&stage).spawn(sleeper()),
            theater.actor().dedicated("own").spawn(sleeper()).unwrap(),
            theater.spawn(Bounded::new_async(sleeper()).mailbox(0, Bound::wait(100))),
        ] {
            worker.0.store(0, SeqCst);
            assert_eq!(ask_from_tasks(&actor).await, TASKS);
            assert_eq!(worker.0.load(SeqCst), TASKS as usize, "each question once");
        }
    });
}

/// What is asked before the tasks run is kept for them.
#[test]
fn s17_questions_asked_in_one_go_wait_in_their_tasks() {
    on_one_and_two_threads(|| async {
        let theater = theater();
        let actor = theater.spawn(Sleeper(Worker::default()));
        assert_eq!(ask_all(|number| actor.ask(|reply| Work(number, reply))).await, TASKS);
    });
}

#[test]
fn s17_ten_thousand_tasks_ask_plain_actors() {
    on_one_and_two_threads(|| async {
        let theater = theater();
        let stage = theater.pinned("stage").unwrap();
        let worker = Worker::default();
        for actor in [
            theater.spawn(worker.clone()),
            theater.actor().on(&stage).spawn(worker.clone()),
            theater.actor().dedicated("own").spawn(worker.clone()).unwrap(),
            theater.spawn(Bounded::new(worker.clone()).mailbox(0, Bound::wait(100))),
            theater
                .actor()
                .on(&stage)
                .spawn(Bounded::new(worker.clone()).mailbox(0, Bound::wait(1))),
        ] {
            worker.0.store(0, SeqCst);
            assert_eq!(ask_from_tasks(&actor).await, TASKS);
            assert_eq!(worker.0.load(SeqCst), TASKS as usize, "each question once");
        }
        let rejects = theater.spawn(Bounded::new(worker.clone()).mailbox(0, Bound::reject(100)));
        worker.0.store(0, SeqCst);
        let answers = ask_from_tasks(&rejects).await;
        assert_eq!(worker.0.load(SeqCst), answers as usize);
    });
}

#[test]
fn s17_ten_thousand_tasks_ask_readers_and_writers() {
    on_one_and_two_threads(|| async {
        let theater = theater();
        let rows = ReadWriting::new(Rows(Worker::default()), ReadWritePolicy::ArrivalOrder);
        let rows = theater.spawn(rows);
        let answers = ask_all(|number| {
            let rows = rows.clone();
            async move {
                if number % 3 == 0 {
                    return rows.ask_write(|reply| Work(number, reply)).await;
                }
                rows.ask_read(|reply| Work(number, reply)).await
            }
        });
        assert_eq!(answers.await, TASKS);
    });
}

#[test]
fn s17_ten_thousand_tasks_ask_worker_pools() {
    on_one_and_two_threads(|| async {
        let theater = theater();
        let worker = Worker::default();
        for routing in [Routing::RoundRobin, Routing::LeastLoaded, Routing::ByKey(|_| 1)] {
            let (plain, waiting) = (worker.clone(), worker.clone());
            let bounded = worker.clone();
            for pool in [
                theater
                    .actor()
                    .supervised(Supervision::new())
                    .pool(2, routing, move |_| plain.clone()),
                theater.actor().supervised(Supervision::new()).pool(2, routing, move |_| {
                    Bounded::new(bounded.clone()).mailbox(0, Bound::wait(10))
                }),
                theater
                    .actor()
                    .supervised(Supervision::new())
                    .pool(2, routing, move |_| Sleeper(waiting.clone())),
            ] {
                let answers = ask_all(|number| {
                    let pool = pool.clone();
                    async move { pool.ask(|reply| Work(number, reply)).await }
                });
                assert_eq!(answers.await, TASKS, "{routing:?}");
            }
        }
    });
}

#[test]
fn s17_ten_thousand_tasks_ask_speculative_actors() {
    on_one_and_two_threads(|| async {
        let theater = theater();
        for processing in [Processing::sequential(), Processing::concurrent().width(2)] {
            let ledger = theater.spawn_speculative(Ledger(TVar::new(0)), processing);
            assert_eq!(ask_from_tasks(&ledger).await, TASKS);
            assert_eq!(ledger.speculation().commits, u64::from(TASKS));
        }
    });
}

struct Total(TVar<u32>);

impl SpeculativeActor for Total {
    type Msg = u32;
    fn handle<'t>(
        &'t self,
        more: &'t u32,
        tx: &mut Tx<'t>,
        _: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        Ok(self.0.update(tx, |total| total + more)?)
    }
}

/// Transactions over two actors, from as many tasks, begin as their outcomes are awaited.
#[test]
fn s17_ten_thousand_tasks_coordinate() {
    on_one_and_two_threads(|| async {
        let theater = Arc::new(theater());
        let totals = [(); 2].map(|()| {
            let total = Total(TVar::new(0));
            theater.spawn_speculative(total, Processing::concurrent().width(2))
        });
        let mut tasks = JoinSet::new();
        for _ in 0..TASKS {
            let (theater, totals) = (theater.clone(), totals.clone());
            tasks.spawn(async move {
                theater.coordinate(|co| totals.iter().for_each(|total| co.send(total, 1))).await
            });
        }
        while let Some(outcome) = tasks.join_next().await {
            outcome.unwrap().unwrap();
        }
        for total in totals {
            assert_eq!(total.speculation().commits, u64::from(TASKS));
        }
    });
}

/// As many as are under way at once of those that give up are gone: the actor handles no more than
/// was asked of it, and goes on.
#[test]
fn s17_tasks_that_give_up_leave_an_actor_that_goes_on() {
    on_one_and_two_threads(|| async {
        let theater = theater();
        let worker = Worker::default();
        for bounded in [false, true] {
            let sleeper = Sleeper(worker.clone());
            let actor = match bounded {
                false => theater.spawn(sleeper),
                true => theater.spawn(Bounded::new_async(sleeper).mailbox(0, Bound::wait(9))),
            };
            worker.0.store(0, SeqCst);
            let asks: Vec<_> = (0..TASKS)
                .map(|number| {
                    let actor = actor.clone();
                    tokio::spawn(async move { actor.ask(|reply| Work(number, reply)).await })
                })
                .collect();
            for (number, ask) in (0..TASKS).zip(&asks) {
                if number % 3 == 0 {
                    ask.abort();
                }
                if number % 100 == 0 {
                    tokio::task::yield_now().await;
                }
            }
            let mut answers = 0;
            for ask in asks {
                answers += usize::from(ask.await.is_ok_and(|answer| answer.is_ok()));
            }
            assert!(answers >= TASKS as usize * 2 / 3 - 1);
            assert_eq!(actor.ask(|reply| Work(1, reply)).await, Ok(1));
            let handled = worker.0.load(SeqCst);
            assert!((answers + 1..=TASKS as usize + 1).contains(&handled), "{handled} {answers}");
        }
    });
}

struct Slow(Arc<AtomicUsize>);

impl Actor for Slow {
    type Msg = u32;
    fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {
        thread::sleep(Duration::from_micros(50));
        self.0.fetch_add(1, SeqCst);
    }
}

/// A task that floods an actor delays nothing else on its thread.
#[test]
fn s17_a_send_of_a_task_blocks_no_thread_of_the_runtime() {
    in_runtime(1, || async {
        let inside = theater();
        // Who says nothing of tokio is not blocked either.
        let beside = Theater::new().unwrap();
        let handled = Arc::new(AtomicUsize::new(0));
        let bounded = || Bounded::new(Slow(handled.clone())).mailbox(0, Bound::wait(10));
        for actor in [
            inside.spawn(Slow(handled.clone())),
            inside.spawn(bounded()),
            beside.spawn(Slow(handled.clone())),
            beside.spawn(bounded()),
        ] {
            handled.store(0, SeqCst);
            let flood = tokio::spawn({
                let actor = actor.clone();
                async move {
                    let begun = Instant::now();
                    for n in 0..4_000 {
                        actor.send(n).unwrap();
                    }
                    begun.elapsed()
                }
            });
            // By far less than the 200 ms that the actor takes at least.
            assert!(flood.await.unwrap() < Duration::from_millis(100));
            assert!(actor.try_send(0).unwrap_err().is_full());
            actor.send_async(4_000).await.unwrap();
            while handled.load(SeqCst) < 4_001 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
    });
}

/// A thread beside the runtime waits as ever, so its messages are bounded.
#[test]
fn s17_a_thread_beside_a_runtime_is_held_back() {
    in_runtime(2, || async {
        let theater = theater();
        let handled = Arc::new(AtomicUsize::new(0));
        let actor = theater.spawn(Slow(handled.clone()));
        let sender = thread::spawn(move || {
            (1..=4_000)
                .map(move |n: usize| {
                    actor.send(n as u32).unwrap();
                    n - handled.load(SeqCst).min(n)
                })
                .max()
        });
        while !sender.is_finished() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let most = sender.join().unwrap().unwrap();
        assert!(most <= 1_024 + 64, "{most} messages ahead");
    });
}
