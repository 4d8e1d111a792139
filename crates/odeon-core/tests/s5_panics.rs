//! S5 a panic ends one actor only. The stage suite has every place a panic can come from.

use std::any::Any;
use std::sync::{Arc, Mutex};

use odeon_core::*;
use odeon_testkit::conformance::stage::probe::{Do, Log, Probe};
use odeon_testkit::{DropTracker, silent_panic};

#[derive(Default)]
struct Failures(Mutex<Vec<(ActorId, String)>>);

impl Observer for Failures {
    fn actor_failed(&self, actor: ActorId, panic: &(dyn Any + Send)) {
        let why = panic.downcast_ref::<&str>().unwrap_or(&"unknown").to_string();
        self.0.lock().unwrap().push((actor, why));
    }
}

#[test]
fn s5_the_observer_learns_who_failed_and_why() {
    let failures = Arc::new(Failures::default());
    let theater = Theater::builder().workers(1).observer(failures.clone()).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let probe = || Probe::new(&Log::default());
    for actor in [theater.spawn(probe()), theater.actor().on(&stage).spawn(probe())] {
        actor.send(Do::run(|_| silent_panic("asked to"))).unwrap();
        while !actor.is_stopped() {
            std::thread::yield_now();
        }
        let seen = failures.0.lock().unwrap().pop().unwrap();
        assert_eq!(seen, (actor.id(), "asked to".to_string()));
    }
}

#[test]
fn s5_ten_thousand_failures_leave_the_workers_and_no_memory_behind() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let (log, tracker) = (Log::default(), DropTracker::new());
    for _ in 0..10_000 {
        let kept = tracker.track(());
        let job = Do::run(move |_| {
            let _kept = kept;
            silent_panic("asked to");
        });
        theater.spawn(Probe::new(&log)).send(job).unwrap();
    }
    while theater.live_actors() > 0 {
        std::thread::yield_now();
    }
    let last = theater.spawn(Probe::new(&log));
    last.send(Do::Note(1)).unwrap();
    while log.handled() != [1] {
        std::thread::yield_now();
    }
    tracker.check();
}

/// Panics when it is dropped, unless it was handled.
struct Bomb;
impl Message for Bomb {}
impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            silent_panic("a message's destructor");
        }
    }
}

struct EndsAtOnce;
impl Actor for EndsAtOnce {
    type Msg = Bomb;
    fn handle(&mut self, msg: Bomb, ctx: &mut Context<'_, Self>) {
        std::mem::forget(msg);
        ctx.stop();
    }
}

/// Destructors of messages that nobody handles, and the dead-letter hook, run on the workers.
#[test]
fn s5_panics_outside_of_any_actor_are_contained() {
    let hook = |letter: DeadLetter| {
        drop(letter);
        silent_panic("the hook");
    };
    for builder in [Theater::builder(), Theater::builder().on_dead_letter(hook)] {
        let theater = builder.workers(1).build().unwrap();
        let stage = theater.pinned("stage").unwrap();
        for actor in [theater.spawn(EndsAtOnce), theater.actor().on(&stage).spawn(EndsAtOnce)] {
            for _ in 0..5 {
                if let Err(back) = actor.send(Bomb) {
                    std::mem::forget(back.into_message());
                }
            }
            while !actor.is_stopped() {
                std::thread::yield_now();
            }
        }
        let log = Log::default();
        let next =
            [theater.spawn(Probe::new(&log)), theater.actor().on(&stage).spawn(Probe::new(&log))];
        next.iter().for_each(|actor| actor.send(Do::Note(1)).unwrap());
        while log.handled().len() < 2 {
            std::thread::yield_now();
        }
    }
}

/// Panics when it is told that it has stopped, and when it is dropped.
struct PanicsTwice;

impl Drop for PanicsTwice {
    fn drop(&mut self) {
        silent_panic("its destructor");
    }
}

impl Actor for PanicsTwice {
    type Msg = Bomb;
    fn handle(&mut self, _: Bomb, _: &mut Context<'_, Self>) {}
    fn stopped(&mut self) {
        silent_panic("its end");
    }
}

impl AsyncActor for PanicsTwice {
    type Msg = Bomb;
    async fn handle(&mut self, _: Bomb, _: &mut AsyncContext<'_, Self>) {}
    fn stopped(&mut self) {
        silent_panic("its end");
    }
}

#[test]
fn s5_an_actor_may_panic_as_it_is_told_of_its_end_and_in_its_destructor() {
    let failures = Arc::new(Failures::default());
    let theater = Theater::builder().workers(1).observer(failures.clone()).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    for actor in [
        theater.spawn::<extend::Plain, _>(PanicsTwice),
        theater.spawn::<extend::Asynchronous, _>(PanicsTwice),
        theater.actor().on(&stage).spawn::<extend::Plain, _>(PanicsTwice),
        theater.actor().dedicated("own").spawn::<extend::Plain, _>(PanicsTwice).unwrap(),
    ] {
        actor.stop();
        while theater.live_actors() > 0 && !actor.is_stopped() {
            std::thread::yield_now();
        }
        while failures.0.lock().unwrap().len() < 2 {
            std::thread::yield_now();
        }
        let seen: Vec<String> = failures.0.lock().unwrap().drain(..).map(|(_, why)| why).collect();
        assert_eq!(seen, ["its end", "its destructor"]);
    }
}
