//! A theater may be dropped or shut down by an actor: its own or another theater's.

use std::time::{Duration, Instant};

use odeon_core::*;

enum Do {
    Answer(Reply<u64>),
    Run(Box<dyn FnOnce() + Send>),
}
impl Message for Do {}

struct Worker;
impl Actor for Worker {
    type Msg = Do;
    fn handle(&mut self, msg: Do, _: &mut Context<'_, Self>) {
        match msg {
            Do::Answer(reply) => reply.send(1),
            Do::Run(run) => run(),
        }
    }
}

fn wait_for_end(actor: &ActorRef<Do>, case: &str) {
    let started = Instant::now();
    while !actor.is_stopped() {
        assert!(started.elapsed() < Duration::from_secs(20), "{case}: an actor never ended");
        std::thread::yield_now();
    }
    assert_eq!(actor.ask(Do::Answer).wait(), Err(AskError::Stopped), "{case}");
}

/// An actor made by `spawn` ends its theater by `end`; idle actors on all stages must end with it.
fn ends_everybody(
    case: &str,
    spawn: impl Fn(&Theater) -> ActorRef<Do>,
    end: impl Fn(Theater) + Send + Copy + 'static,
) {
    for _ in 0..20 {
        let theater = Theater::builder().workers(2).build().unwrap();
        let stage = theater.pinned("bystander").unwrap();
        let bystanders = [
            theater.spawn(Worker),
            theater.actor().on(&stage).spawn(Worker),
            theater.actor().dedicated("bystander").spawn(Worker).unwrap(),
        ];
        let ender = spawn(&theater);
        ender.send(Do::Run(Box::new(move || end(theater)))).unwrap();
        for actor in bystanders.iter().chain([&ender]) {
            wait_for_end(actor, case);
        }
    }
}

fn on_pool(theater: &Theater) -> ActorRef<Do> {
    theater.spawn(Worker)
}

fn on_pinned(theater: &Theater) -> ActorRef<Do> {
    theater.actor().on(&theater.pinned("ender").unwrap()).spawn(Worker)
}

fn on_dedicated(theater: &Theater) -> ActorRef<Do> {
    theater.actor().dedicated("ender").spawn(Worker).unwrap()
}

#[test]
fn s4_a_theater_dropped_by_its_own_actor_ends_all_actors() {
    ends_everybody("pool", on_pool, drop);
    ends_everybody("pinned", on_pinned, drop);
    ends_everybody("dedicated", on_dedicated, drop);
}

#[test]
fn s4_a_shutdown_by_an_own_actor_happens_in_the_background() {
    let shutdown = |theater: Theater| {
        let report = theater.shutdown(Duration::from_secs(60));
        assert!(!report.drained && report.leftovers.is_empty());
    };
    ends_everybody("pool", on_pool, shutdown);
    ends_everybody("dedicated", on_dedicated, shutdown);
}

#[test]
fn s4_a_theater_ended_by_another_theaters_actor_ends_all_actors() {
    let other = Theater::new().unwrap();
    ends_everybody("dropped elsewhere", |_| other.spawn(Worker), drop_and_stop_self);
    fn drop_and_stop_self(theater: Theater) {
        drop(theater);
        panic!("the actor of the other theater ends as well: asked to");
    }
}

#[test]
fn s4_a_stuck_handler_delays_a_shutdown_by_a_second() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let (release, wait) = std::sync::mpsc::channel::<()>();
    let (begun, has_begun) = std::sync::mpsc::channel();
    let stuck = theater.spawn(Worker);
    let run = move || {
        begun.send(()).unwrap();
        let _ = wait.recv();
    };
    stuck.send(Do::Run(Box::new(run))).unwrap();
    has_begun.recv().unwrap();
    let started = Instant::now();
    let report = theater.shutdown(Duration::from_millis(1));
    assert!(!report.drained);
    assert_eq!(report.stuck, 1);
    assert!(started.elapsed() >= Duration::from_secs(1), "{:?}", started.elapsed());
    drop(release);
    wait_for_end(&stuck, "released");
}

/// Nor may it wait for its theater's end, which would not come before its own.
#[test]
fn s15_waiting_for_the_theater_on_a_thread_of_its_own_panics() {
    let theater = std::sync::Arc::new(Theater::builder().workers(1).build().unwrap());
    let stage = theater.pinned("stage").unwrap();
    for worker in [theater.spawn(Worker), theater.actor().on(&stage).spawn(Worker)] {
        let (mut ended, within) = (worker.ended(), theater.clone());
        worker.send(Do::Run(Box::new(move || drop(within.wait())))).unwrap();
        let ended = ended.wait_timeout(Duration::from_secs(20)).unwrap();
        assert!(ended.failure().unwrap().contains("on a thread of its own"), "{ended}");
    }
}
