//! S13 with tokio: its timers, sockets and channels in handlers, on every stage, in both kinds of
//! runtime; theaters that are built, dropped and shut down in asynchronous code.

use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_tokio::{TheaterBuilderExt, TheaterExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

const LONG: Duration = Duration::from_secs(3600);
const BRIEF: Duration = Duration::from_millis(50);

/// Uses all of tokio for each question.
struct Worker {
    echo: TcpStream,
    progress: mpsc::Sender<u8>,
    ticks: mpsc::Receiver<u8>,
}

struct Work(u8, Reply<u8>);
impl Message for Work {}

impl AsyncActor for Worker {
    type Msg = Work;
    async fn handle(&mut self, Work(number, reply): Work, _ctx: &mut AsyncContext<'_, Self>) {
        let since = Instant::now();
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert!(since.elapsed() >= Duration::from_millis(5));
        self.echo.write_all(&[number]).await.unwrap();
        let answer = tokio::time::timeout(LONG, self.echo.read_u8()).await.unwrap().unwrap();
        let ticks = tokio::spawn({
            let progress = self.progress.clone();
            async move { progress.send(answer).await }
        });
        let tick = self.ticks.recv().await.unwrap();
        ticks.await.unwrap().unwrap();
        reply.send(tick);
    }
}

/// A server that gives every byte back.
async fn echo_server() -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut from, mut to) = socket.split();
                let _ = tokio::io::copy(&mut from, &mut to).await;
            });
        }
    });
    address
}

async fn worker(echo: std::net::SocketAddr) -> Worker {
    let (progress, ticks) = mpsc::channel(1);
    Worker { echo: TcpStream::connect(echo).await.unwrap(), progress, ticks }
}

async fn tokio_works_in_handlers() {
    let echo = echo_server().await;
    let theater = Theater::builder().workers(2).tokio_current().build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let mut actors = vec![
        theater.actor().on(&stage).spawn(worker(echo).await),
        theater.actor().on(&stage).spawn(worker(echo).await),
        theater.actor().dedicated("own").spawn(worker(echo).await).unwrap(),
    ];
    for _ in 0..5 {
        actors.push(theater.spawn(worker(echo).await));
    }
    let askers: Vec<_> = actors
        .into_iter()
        .map(|actor| {
            tokio::spawn(async move {
                // Asked at once, answered one after the other.
                let asks: Vec<_> = (0..5).map(|n| actor.ask(|reply| Work(n, reply))).collect();
                for (n, ask) in asks.into_iter().enumerate() {
                    assert_eq!(ask.await, Ok(n as u8));
                }
            })
        })
        .collect();
    for asker in askers {
        asker.await.unwrap();
    }
    let report = theater.shutdown_async(LONG).await;
    assert!(report.drained && report.leftovers.is_empty() && report.stuck == 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s13_tokio_works_in_handlers_with_a_multi_thread_runtime() {
    tokio_works_in_handlers().await;
}

#[tokio::test(flavor = "current_thread")]
async fn s13_tokio_works_in_handlers_with_a_current_thread_runtime() {
    tokio_works_in_handlers().await;
}

/// Says when it begins to wait for something that never comes.
struct Patient(mpsc::UnboundedSender<()>);

impl AsyncActor for Patient {
    type Msg = ();
    async fn handle(&mut self, _: (), _ctx: &mut AsyncContext<'_, Self>) {
        self.0.send(()).unwrap();
        tokio::time::sleep(LONG).await;
    }
}

/// What the shutdown reports of two handlers that wait for too long, each with a message behind it.
fn check_cut(report: &StopReport) {
    assert_eq!((report.drained, report.leftovers.len(), report.stuck), (false, 2, 0));
}

/// Theaters in asynchronous code, with a handler that waits for an hour in each.
async fn theaters_come_and_go() {
    for round in 0..10 {
        let theater = Theater::builder().workers(2).tokio_current().build().unwrap();
        let stage = theater.pinned("stage").unwrap();
        let (waits, mut waiting) = mpsc::unbounded_channel();
        let actors = [
            theater.spawn(Patient(waits.clone())),
            theater.actor().on(&stage).spawn(Patient(waits)),
        ];
        actors.iter().for_each(|actor| actor.send(()).unwrap());
        waiting.recv().await.unwrap();
        waiting.recv().await.unwrap();
        actors.iter().for_each(|actor| actor.send(()).unwrap());
        let since = Instant::now();
        match round % 3 {
            0 => drop(theater),
            1 => check_cut(&theater.shutdown(BRIEF)),
            _ => check_cut(&theater.shutdown_async(BRIEF).await),
        }
        assert!(since.elapsed() < Duration::from_secs(20));
        assert!(waiting.recv().await.is_none(), "the handlers were cancelled");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s13_theaters_come_and_go_in_a_multi_thread_runtime() {
    theaters_come_and_go().await;
}

#[tokio::test(flavor = "current_thread")]
async fn s13_theaters_come_and_go_in_a_current_thread_runtime() {
    theaters_come_and_go().await;
}

/// Never answers, but keeps the question.
struct Silent(Vec<Reply<()>>);

impl Actor for Silent {
    type Msg = Box<Reply<()>>;
    fn handle(&mut self, reply: Box<Reply<()>>, _ctx: &mut Context<'_, Self>) {
        self.0.push(*reply);
    }
}

struct Asker(ActorRef<Box<Reply<()>>>);

impl AsyncActor for Asker {
    type Msg = Box<Reply<bool>>;
    async fn handle(&mut self, reply: Box<Reply<bool>>, _ctx: &mut AsyncContext<'_, Self>) {
        let ask = self.0.ask(Box::new);
        let answer = tokio::time::timeout(Duration::from_millis(5), ask).await;
        reply.send(answer.is_err());
    }
}

/// One worker: blocking it would keep the other actor from its turn.
#[tokio::test]
async fn s13_a_question_with_a_deadline_blocks_no_worker() {
    let theater = Theater::builder().workers(1).tokio_current().build().unwrap();
    let silent = theater.spawn(Silent(Vec::new()));
    let asker = theater.spawn(Asker(silent));
    assert_eq!(asker.ask(Box::new).await, Ok(true));
}

/// The wrong order: the actors that wait fail, the theater goes on.
#[test]
fn s13_a_runtime_that_ends_first_fails_those_who_wait_for_it() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let theater = Theater::builder().workers(2).tokio(runtime.handle().clone()).build().unwrap();
    let (waits, mut waiting) = mpsc::unbounded_channel();
    let patient = theater.spawn(Patient(waits));
    patient.send(()).unwrap();
    waiting.blocking_recv().unwrap();
    drop(runtime);
    while !patient.is_stopped() {
        std::thread::yield_now();
    }
    let _answer = theater.spawn(Silent(Vec::new())).ask(Box::new);
    assert!(theater.shutdown(LONG).drained);
}

/// Says whether it runs on the thread that waits, and whether a runtime is around it.
struct Where;

impl Actor for Where {
    type Msg = Box<Reply<(std::thread::ThreadId, bool)>>;
    fn handle(&mut self, reply: Self::Msg, _: &mut Context<'_, Self>) {
        let is_within = tokio::runtime::Handle::try_current().is_ok();
        reply.send((std::thread::current().id(), is_within));
    }
}

/// S42: callers give turns in a theater of a runtime too, and their handlers find it.
#[test]
fn s42_what_a_caller_runs_finds_the_theaters_runtime() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let theater = Theater::builder().tokio(runtime.handle().clone()).build().unwrap();
    let actor = theater.spawn(Where);
    let here = std::thread::current().id();
    let mut is_here = false;
    for _ in 0..10_000 {
        let (thread, is_within) = actor.call(Box::new).wait().unwrap();
        assert!(is_within);
        assert!(tokio::runtime::Handle::try_current().is_err(), "the runtime is left again");
        is_here |= thread == here;
    }
    assert!(is_here, "only the pool gives turns");
    let called = runtime.block_on(async { actor.call(Box::new).await });
    assert!(called.unwrap().1);
}
