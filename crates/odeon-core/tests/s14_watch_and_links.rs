//! S14 whoever watches an actor is told once when it ends, and why; linked actors fail together.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::conformance::stage::probe::{Do, Log, Probe};
use odeon_testkit::{Deterministic, silent_panic};

const SOON: Duration = Duration::from_secs(20);

fn probe() -> Probe {
    Probe::new(&Log::default())
}

fn watched(actor: &ActorRef<Do>) -> Receiver<Ended> {
    let (tell, told) = channel();
    actor.on_end(move |ended| tell.send(ended.clone()).unwrap());
    told
}

fn count(told: &AtomicUsize) {
    told.fetch_add(1, Ordering::SeqCst);
}

/// On each kind of stage with threads.
fn on_all_stages(test: impl Fn(&dyn Fn(Probe) -> ActorRef<Do>)) {
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    test(&|probe| theater.spawn(probe));
    test(&|probe| theater.actor().on(&stage).spawn(probe));
    test(&|probe| theater.actor().dedicated("own").spawn(probe).unwrap());
}

#[test]
fn s14_a_watcher_is_told_how_the_actor_ended() {
    on_all_stages(|spawn| {
        let stopped = spawn(probe());
        let told = watched(&stopped);
        stopped.stop();
        let ended = told.recv_timeout(SOON).unwrap();
        assert_eq!((ended.actor(), ended.reason()), (stopped.id(), EndReason::Stopped));
        assert_eq!(ended.failure(), None);

        let failed = spawn(probe());
        let told = watched(&failed);
        failed.send(Do::run(|_| silent_panic("asked to"))).unwrap();
        let ended = told.recv_timeout(SOON).unwrap();
        assert_eq!((ended.reason(), ended.failure()), (EndReason::Failed, Some("asked to")));
        assert_eq!(told.recv_timeout(SOON).ok(), None, "told twice");
    });
}

struct Waiting;
impl AsyncActor for Waiting {
    type Msg = Do;
    async fn started(&mut self, _: &mut AsyncContext<'_, Self>) {
        std::future::pending().await
    }
    async fn handle(&mut self, _: Do, _: &mut AsyncContext<'_, Self>) {}
}

#[test]
fn s14_a_watcher_is_told_that_the_theater_ended_the_actor() {
    let ends: [fn(Theater); 2] = [drop, |theater| drop(theater.shutdown(SOON))];
    for end in ends {
        let theater = Theater::builder().workers(2).build().unwrap();
        let stage = theater.pinned("stage").unwrap();
        let actors = [
            theater.spawn(probe()),
            theater.actor().on(&stage).spawn(probe()),
            theater.actor().dedicated("own").spawn(probe()).unwrap(),
            theater.spawn(Waiting),
            theater.actor().on(&stage).spawn(Waiting),
            theater.actor().dedicated("own too").spawn(Waiting).unwrap(),
        ];
        let told = actors.each_ref().map(watched);
        end(theater);
        let reasons = told.map(|told| told.recv_timeout(SOON).unwrap().reason());
        assert_eq!(reasons, [EndReason::Shutdown; 6]);
    }
}

#[test]
fn s14_an_actor_that_has_ended_is_told_of_at_once() {
    on_all_stages(|spawn| {
        let actor = spawn(probe());
        let first = watched(&actor);
        actor.send(Do::run(|_| silent_panic("asked to"))).unwrap();
        first.recv_timeout(SOON).unwrap();
        assert_eq!(watched(&actor).try_recv().unwrap().failure(), Some("asked to"));

        let unwatched = spawn(probe());
        unwatched.stop();
        while !unwatched.is_stopped() {
            std::thread::yield_now();
        }
        let ended = watched(&unwatched).recv_timeout(SOON).unwrap();
        assert_eq!(ended.reason(), EndReason::Stopped);
    });
}

#[test]
fn s14_a_watcher_is_told_after_everything_else_of_the_actor() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let (letters, ends) = (order.clone(), order.clone());
    let builder =
        Theater::builder().on_dead_letter(move |_| letters.lock().unwrap().push("dead letter"));
    let run = Deterministic::with(1, builder);
    let actor = run.theater().spawn(probe());
    let same = actor.clone();
    actor.on_end(move |_| {
        assert!(same.is_stopped());
        ends.lock().unwrap().push("end");
    });
    actor.stop();
    actor.send(Do::Note(1)).unwrap();
    run.run_until_idle();
    assert_eq!(*order.lock().unwrap(), ["dead letter", "end"]);
}

#[test]
fn s14_a_cancelled_watch_is_told_nothing() {
    let run = Deterministic::new(7);
    let actor = run.theater().spawn(probe());
    let told = Arc::new(AtomicUsize::new(0));
    let watch = || {
        let told = told.clone();
        actor.on_end(move |_| count(&told))
    };
    let (kept, cancelled) = (watch(), watch());
    assert!(cancelled.cancel());
    actor.stop();
    run.run_until_idle();
    assert_eq!(told.load(Ordering::SeqCst), 1);
    assert!(!kept.cancel(), "it has been told");
}

#[test]
fn s14_a_panic_of_one_watcher_harms_nobody() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let actor = theater.spawn(probe());
    actor.on_end(|_| silent_panic("a watcher"));
    let told = watched(&actor);
    actor.stop();
    told.recv_timeout(SOON).unwrap();
    let other = theater.spawn(probe());
    let told = watched(&other);
    other.stop();
    told.recv_timeout(SOON).unwrap();
    // Also if it is told at once, on the thread that watches.
    let watch = other.on_end(|_| silent_panic("a watcher"));
    assert!(!watch.cancel(), "it has been told");
}

/// Threads watch while the actor ends: each is told exactly once.
#[test]
fn s14_watching_against_ending() {
    let theater = Theater::builder().workers(2).build().unwrap();
    for round in 0..300 {
        let actor = theater.spawn(probe());
        let told = Arc::new(AtomicUsize::new(0));
        let start = Arc::new(Barrier::new(3));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let (actor, told, start) = (actor.clone(), told.clone(), start.clone());
                std::thread::spawn(move || {
                    start.wait();
                    for _ in 0..20 {
                        let told = told.clone();
                        actor.on_end(move |_| count(&told));
                    }
                })
            })
            .collect();
        start.wait();
        if round % 2 == 0 {
            actor.stop();
        } else {
            let _ = actor.send(Do::run(|_| silent_panic("asked to")));
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        while told.load(Ordering::SeqCst) < 40 {
            std::thread::yield_now();
        }
        std::thread::yield_now();
        assert_eq!(told.load(Ordering::SeqCst), 40);
    }
}

struct Watcher {
    out: Sender<(ActorId, EndReason)>,
    others: Vec<ActorRef<Do>>,
}

enum ToWatcher {
    Begin,
    Ended(Ended),
}

impl Message for ToWatcher {}

impl Actor for Watcher {
    type Msg = ToWatcher;
    fn handle(&mut self, message: ToWatcher, ctx: &mut Context<'_, Self>) {
        match message {
            ToWatcher::Begin => {
                for other in &self.others {
                    ctx.watch(other, ToWatcher::Ended);
                }
            }
            ToWatcher::Ended(ended) => self.out.send((ended.actor(), ended.reason())).unwrap(),
        }
    }
}

#[test]
fn s14_an_actor_watches_many_and_is_told_by_messages() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let others: Vec<_> = (0..1000).map(|_| theater.spawn(probe())).collect();
    let (out, told) = channel();
    let watcher = theater.spawn(Watcher { out, others: others.clone() });
    watcher.send(ToWatcher::Begin).unwrap();
    for (n, other) in others.iter().enumerate() {
        if n % 3 == 0 {
            other.send(Do::run(|_| silent_panic("asked to"))).unwrap();
        } else {
            other.stop();
        }
    }
    let mut all: Vec<_> = (0..1000).map(|_| told.recv_timeout(SOON).unwrap()).collect();
    all.sort_unstable_by_key(|(actor, _)| *actor);
    let mut expected: Vec<_> = others.iter().map(ActorRef::id).collect();
    expected.sort_unstable();
    assert_eq!(all.iter().map(|(actor, _)| *actor).collect::<Vec<_>>(), expected);
    let failed = all.iter().filter(|(_, reason)| *reason == EndReason::Failed).count();
    assert_eq!(failed, 334);
}

/// Links itself to `other` at its start.
struct Linked {
    other: ActorRef<Do>,
    link: Option<Link>,
}

enum ToLinked {
    Fail,
    Unlink,
    Stop,
}

impl Message for ToLinked {}

impl Actor for Linked {
    type Msg = ToLinked;
    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        self.link = Some(ctx.link(&self.other));
    }
    fn handle(&mut self, message: ToLinked, ctx: &mut Context<'_, Self>) {
        match message {
            ToLinked::Fail => silent_panic("linked"),
            ToLinked::Unlink => self.link.take().unwrap().cancel(),
            ToLinked::Stop => ctx.stop(),
        }
    }
}

fn linked_pair(run: &Deterministic) -> (ActorRef<ToLinked>, ActorRef<Do>, Receiver<Ended>) {
    let other = run.theater().spawn(probe());
    let linked = run.theater().spawn(Linked { other: other.clone(), link: None });
    run.run_until_idle();
    let (tell, told) = channel();
    linked.on_end(move |ended| tell.send(ended.clone()).unwrap());
    (linked, other, told)
}

#[test]
fn s14_linked_actors_fail_together() {
    for seed in 0..20 {
        let run = Deterministic::new(seed);
        let (linked, other, _told) = linked_pair(&run);
        linked.send(ToLinked::Fail).unwrap();
        run.run_until_idle();
        assert!(linked.is_stopped() && other.is_stopped());

        let (linked, other, told) = linked_pair(&run);
        other.send(Do::run(|_| silent_panic("other"))).unwrap();
        run.run_until_idle();
        assert!(linked.is_stopped());
        let failure = told.recv().unwrap().failure().unwrap().to_owned();
        assert_eq!(failure, format!("linked actor {} failed: other", other.id()));
    }
}

#[test]
fn s14_a_normal_end_and_a_cancelled_link_take_nobody_along() {
    let run = Deterministic::new(3);
    let (linked, other, _told) = linked_pair(&run);
    linked.send(ToLinked::Stop).unwrap();
    run.run_until_idle();
    assert!(linked.is_stopped() && !other.is_stopped());

    let (linked, other, _told) = linked_pair(&run);
    linked.send(ToLinked::Unlink).unwrap();
    run.run_until_idle();
    other.send(Do::run(|_| silent_panic("other"))).unwrap();
    run.run_until_idle();
    assert!(!linked.is_stopped() && other.is_stopped());
}
