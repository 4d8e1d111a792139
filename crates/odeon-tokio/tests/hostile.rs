//! tokio and a theater that end each other, and deadlines of extreme length.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use odeon_core::*;
use odeon_tokio::{TheaterBuilderExt, TheaterExt};
use tokio::runtime::{Builder, Handle, Runtime};

const SOON: Duration = Duration::from_secs(30);

type Work = Box<dyn FnOnce() + Send>;

struct Doing;

enum Do {
    Now(Work),
    Sleep(Duration, Reply<()>),
    Ping(Reply<()>),
}

impl Message for Do {}

impl AsyncActor for Doing {
    type Msg = Do;
    async fn handle(&mut self, work: Do, _: &mut AsyncContext<'_, Self>) {
        match work {
            Do::Now(work) => work(),
            Do::Sleep(time, reply) => {
                tokio::time::sleep(time).await;
                reply.send(());
            }
            Do::Ping(reply) => reply.send(()),
        }
    }
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

fn on(runtime: &Runtime) -> Theater {
    Theater::builder().tokio(runtime.handle().clone()).build().unwrap()
}

#[test]
fn s13_a_shutdown_with_a_deadline_of_extreme_length_comes_to_its_end() {
    let runtime = runtime();
    for deadline in [Duration::MAX, Duration::from_secs(u64::MAX), Duration::ZERO] {
        let theater = on(&runtime);
        theater.spawn(Doing).ask(Do::Ping).wait().unwrap();
        let report = runtime
            .block_on(async { tokio::time::timeout(SOON, theater.shutdown_async(deadline)).await });
        assert!(report.is_ok());
    }
}

#[test]
fn s13_a_handler_may_do_to_the_runtime_what_tokio_forbids() {
    let runtime = runtime();
    let theater = on(&runtime);
    let inner = self::runtime();
    let deeds: Vec<Work> = vec![
        Box::new(|| Handle::current().block_on(async {})),
        Box::new(|| tokio::task::block_in_place(|| ())),
        Box::new(move || drop(inner)),
        Box::new(|| drop(Handle::current().enter())),
        Box::new(|| std::mem::forget(Handle::current().enter())),
        Box::new(|| drop(tokio::spawn(async { panic!("in a task") }))),
    ];
    for deed in deeds {
        let actor = theater.spawn(Doing);
        actor.send(Do::Now(deed)).unwrap();
        let _ = actor.ask(Do::Ping).wait_timeout(SOON);
    }
    let fine = theater.spawn(Doing);
    assert_eq!(
        fine.ask(|reply| Do::Sleep(Duration::from_millis(1), reply)).wait_timeout(SOON),
        Ok(())
    );
}

#[expect(clippy::async_yields_async, reason = "the runtime is to be gone when it is awaited")]
#[test]
fn s13_a_runtime_that_ends_before_a_shutdown_begins() {
    let runtime =
        Builder::new_current_thread().max_blocking_threads(1).enable_all().build().unwrap();
    let theater = on(&runtime);
    let actor = theater.spawn(Doing);
    let (begun, begins) = std::sync::mpsc::channel();
    let (go, gone) = std::sync::mpsc::channel::<()>();
    let stopping = runtime.block_on(async {
        tokio::task::spawn_blocking(move || {
            begun.send(()).unwrap();
            let _ = gone.recv();
        });
        begins.recv().unwrap();
        theater.shutdown_async(SOON)
    });
    runtime.shutdown_background();
    go.send(()).unwrap();
    let other = self::runtime();
    let report = catch_unwind(AssertUnwindSafe(|| other.block_on(stopping)));
    let begun = std::time::Instant::now();
    while !actor.is_stopped() {
        assert!(begun.elapsed() < SOON, "dropped, a theater ends all the same");
        std::thread::sleep(Duration::from_millis(1));
    }
    // A runtime that ends may still run what waits for a thread of it, or not.
    if let Err(panic) = report {
        let why = panic.downcast_ref::<String>().expect("it says why there is no report");
        assert!(why.contains("the runtime has ended before"), "{why}");
    }
}

#[test]
fn s13_what_sleeps_when_its_runtime_ends_fails_and_others_go_on() {
    let runtime = runtime();
    let theater = on(&runtime);
    let actor = theater.spawn(Doing);
    let asleep = actor.ask(|reply| Do::Sleep(Duration::MAX, reply));
    let fine = theater.spawn(Doing);
    fine.ask(Do::Ping).wait().unwrap();
    runtime.shutdown_background();
    assert!(asleep.wait_timeout(SOON).is_err());
    assert_eq!(fine.ask(Do::Ping).wait_timeout(SOON), Ok(()));
    assert!(
        fine.ask(|reply| Do::Sleep(Duration::from_millis(1), reply)).wait_timeout(SOON).is_err()
    );
}
