//! S41: a device actor is an actor: stops, bounds, pressure, shutdowns, idleness and what a theater
//! counts.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use crate::support::{self, Maker, PATIENCE, To};
use odeon_core::{Bound, Bounded, DeadLetterReason, Message, SendError, Supervision, Theater};
use odeon_device::*;

const HOUR: Duration = Duration::from_secs(3600);

/// A door that a handler waits at.
#[derive(Clone, Default)]
struct Door(Arc<(Mutex<bool>, Condvar)>);

impl Door {
    fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        let open = self.0.0.lock().unwrap();
        drop(self.0.1.wait_while(open, |open| !*open).unwrap());
    }
}

/// Waits at the door with each batch.
struct Waits {
    door: Door,
    is_there: Arc<AtomicBool>,
    done: Arc<AtomicU32>,
}

struct Work(#[allow(dead_code)] u32);
impl Message for Work {}

impl DeviceActor for Waits {
    type Msg = Work;
    type Device = HostDevice;
    fn handle(
        &mut self,
        batch: &mut Batch<'_, Work>,
        device: &mut HostDevice,
        _: &mut DeviceContext<'_, Self>,
    ) -> Result<(), DeviceError> {
        self.is_there.store(true, Ordering::SeqCst);
        device.launch(|| self.door.pass());
        batch.finish(|_| {
            self.done.fetch_add(1, Ordering::SeqCst);
        });
        Ok(())
    }
}

#[derive(Clone, Default)]
struct Seen {
    door: Door,
    is_there: Arc<AtomicBool>,
    done: Arc<AtomicU32>,
}

impl Seen {
    fn plan(&self, batching: Batching) -> DevicePlan<Waits> {
        let Self { door, is_there, done } = self.clone();
        DevicePlan::new(batching, move || {
            let (door, is_there, done) = (door.clone(), is_there.clone(), done.clone());
            Ok((Waits { door, is_there, done }, HostDevice::new(0)))
        })
    }
}

#[test]
fn s41_a_handler_that_waits_for_its_device_holds_up_nobody() {
    struct Echo;
    impl odeon_core::Actor for Echo {
        type Msg = Box<odeon_core::Reply<u32>>;
        fn handle(
            &mut self,
            reply: Box<odeon_core::Reply<u32>>,
            _: &mut odeon_core::Context<'_, Self>,
        ) {
            reply.send(7);
        }
    }
    let theater = Theater::builder().workers(1).build().unwrap();
    let seen = Seen::default();
    let plan = seen.plan(Batching::new());
    let waits = theater
        .actor()
        .dedicated("waits")
        .supervised(Supervision::new())
        .spawn(move || plan.actor())
        .unwrap();
    waits.send(Work(1)).unwrap();
    support::wait_for(|| seen.is_there.load(Ordering::SeqCst));
    let echo = theater.spawn(Echo);
    assert_eq!(echo.ask(Box::new).wait_timeout(PATIENCE), Ok(7));
    seen.door.open();
    support::wait_for(|| seen.done.load(Ordering::SeqCst) == 1);
}

#[test]
fn s41_stopped_it_leaves_what_waits_to_the_dead_letters() {
    let theater = Theater::new().unwrap();
    let maker = Maker::new(Faults::new());
    let make = {
        let maker = maker.clone();
        move || maker.make()
    };
    let actor = theater.spawn_device("stops", Batching::new().window(HOUR), make).unwrap();
    for number in 0..5 {
        actor.send(To::Number(number)).unwrap();
    }
    // Long enough, mostly, for the actor to have them.
    std::thread::sleep(Duration::from_millis(20));
    support::stop_and_wait(&actor);
    support::wait_for(|| theater.dead_letters() == 5);
    assert_eq!(theater.dead_letter_counts().of(DeadLetterReason::Stopped), 5);
    assert!(maker.book.batches().is_empty());
}

/// `ctx.stop()` in a handler: what is left of the batch, and what waits, are dead letters.
#[test]
fn s41_an_actor_that_stops_itself_is_given_no_more() {
    let theater = Theater::new().unwrap();
    let maker = Maker::new(Faults::new());
    let make = {
        let maker = maker.clone();
        move || maker.make()
    };
    let batching = Batching::new().at_most(3).window(HOUR);
    let actor = theater.spawn_device("stops", batching, make).unwrap();
    let mut ended = actor.ended();
    let messages = [To::Number(1), To::Stop, To::Number(2), To::Number(3), To::Number(4)];
    let sent = messages.into_iter().filter_map(|message| actor.send(message).ok()).count();
    ended.wait_timeout(PATIENCE).unwrap();
    assert_eq!(maker.book.done(), [1, 2]);
    support::wait_for(|| theater.dead_letters() == sent as u64 - 3);
}

#[test]
fn s41_a_shutdown_waits_for_the_batch_that_forms() {
    for window in [Duration::ZERO, Duration::from_micros(100), Duration::from_millis(20)] {
        let theater = Theater::new().unwrap();
        let maker = Maker::new(Faults::new());
        let make = {
            let maker = maker.clone();
            move || maker.make()
        };
        let actor = theater.spawn_device("drains", Batching::new().window(window), make).unwrap();
        for number in 0..50 {
            actor.send(To::Number(number)).unwrap();
        }
        let report = theater.shutdown(PATIENCE);
        assert!(report.drained && report.leftovers.is_empty(), "{report:?}");
        assert_eq!(maker.book.done(), (0..50).collect::<Vec<_>>());
    }
}

/// What waits for company comes back when the time is up.
#[test]
fn s41_a_shutdown_that_cannot_wait_gives_messages_back() {
    let theater = Theater::new().unwrap();
    let maker = Maker::new(Faults::new());
    let make = {
        let maker = maker.clone();
        move || maker.make()
    };
    let actor = theater.spawn_device("waits", Batching::new().window(HOUR), make).unwrap();
    for number in 0..5 {
        actor.send(To::Number(number)).unwrap();
    }
    support::wait_for(|| maker.book.opened() == 1);
    let report = theater.shutdown(Duration::from_millis(50));
    assert_eq!((report.drained, report.leftovers.len(), report.stuck), (false, 5, 0));
    assert!(maker.book.batches().is_empty() && maker.used() == 0 && actor.is_stopped());
}

#[test]
fn s41_the_last_reference_ends_it_after_its_messages_and_its_thread_with_it() {
    for window in [Duration::ZERO, Duration::from_micros(100), Duration::from_millis(20)] {
        let theater = Theater::new().unwrap();
        let maker = Maker::new(Faults::new());
        let make = {
            let maker = maker.clone();
            move || maker.make()
        };
        let actor = theater.spawn_device("leaves", Batching::new().window(window), make).unwrap();
        for number in 0..50 {
            actor.send(To::Number(number)).unwrap();
        }
        let mut ended = actor.ended();
        drop(actor);
        ended.wait_timeout(PATIENCE).unwrap();
        assert_eq!(maker.book.done(), (0..50).collect::<Vec<_>>());
        support::wait_for(|| theater.live_actors() == 0);
    }
}

#[test]
fn s41_a_full_mailbox_gives_messages_back() {
    let theater = Theater::new().unwrap();
    let seen = Seen::default();
    let plan = seen.plan(Batching::new().at_most(2).window(Duration::ZERO));
    let make = {
        let plan = plan.clone();
        move || Bounded::new(plan.actor()).mailbox(0, Bound::reject(3))
    };
    let actor =
        theater.actor().dedicated("bounded").supervised(Supervision::new()).spawn(make).unwrap();
    actor.send(Work(0)).unwrap();
    support::wait_for(|| seen.is_there.load(Ordering::SeqCst));
    for n in 1..=3 {
        actor.send(Work(n)).unwrap();
    }
    assert!(matches!(actor.send(Work(4)), Err(SendError::Full(Work(4)))));
    seen.door.open();
    support::wait_for(|| seen.done.load(Ordering::SeqCst) == 4);
    actor.send(Work(5)).unwrap();
    support::wait_for(|| plan.stats().messages == 5);
    assert!(plan.stats().largest <= 2);
}

#[test]
fn s41_a_flood_is_held_back() {
    const FLOOD: u32 = 20_000;
    let theater = Theater::new().unwrap();
    let seen = Seen::default();
    let plan = seen.plan(Batching::new().at_most(100));
    let actor = theater
        .actor()
        .dedicated("flooded")
        .supervised(Supervision::new())
        .spawn(move || plan.actor())
        .unwrap();
    let sent = Arc::new(AtomicU32::new(0));
    let flood = std::thread::spawn({
        let (actor, sent) = (actor.clone(), sent.clone());
        move || {
            for n in 0..FLOOD {
                actor.send(Work(n)).unwrap();
                sent.store(n + 1, Ordering::SeqCst);
            }
        }
    });
    support::wait_for(|| seen.is_there.load(Ordering::SeqCst));
    // Nobody takes anything: the sender comes to a standstill before its flood is over.
    let mut before = u32::MAX;
    support::wait_for(|| {
        let now = sent.load(Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(20));
        std::mem::replace(&mut before, now) == now && now > 0
    });
    assert!(before < FLOOD / 2, "{before} were sent to an actor that takes none");
    seen.door.open();
    flood.join().unwrap();
    support::wait_for(|| seen.done.load(Ordering::SeqCst) == FLOOD);
}

#[test]
fn s41_a_theater_counts_messages_and_restarts_of_device_actors() {
    let theater = Theater::builder().stats(true).build().unwrap();
    let maker = Maker::new(Faults::new().lost_at(Step::Launch, 2));
    let make = {
        let maker = maker.clone();
        move || maker.make()
    };
    let actor = theater.spawn_device("seen", Batching::new().at_most(10), make).unwrap();
    for number in 0..100 {
        actor.send(To::Number(number)).unwrap();
    }
    support::wait_for(|| maker.book.done().len() == 100);
    // What a batch had is counted when its handler has returned.
    support::wait_for(|| {
        let stats = theater.stats().unwrap();
        let seen = stats.actors.iter().find(|seen| seen.id == actor.id());
        let stage = stats.stages.iter().find(|stage| &*stage.name == "seen");
        seen.is_some_and(|seen| seen.messages >= 100 && seen.waiting == 0)
            && stage.is_some_and(|stage| stage.messages >= 100)
    });
    let stats = theater.stats().unwrap();
    let seen = stats.actors.iter().find(|seen| seen.id == actor.id()).unwrap();
    assert_eq!((seen.messages, seen.restarts, seen.waiting), (100, 1, 0));
    let stage = stats.stages.iter().find(|stage| &*stage.name == "seen").unwrap();
    assert_eq!(stage.messages, 100);
}

/// Looking for messages ends: a device actor that has nothing to do uses no processor.
#[test]
fn s41_an_idle_device_actor_sleeps() {
    let theater = Theater::builder().stats(true).build().unwrap();
    let maker = Maker::new(Faults::new());
    let actor = theater.spawn_device("idle", Batching::new(), move || maker.make()).unwrap();
    assert_eq!(actor.ask(To::Sum).wait_timeout(PATIENCE), Ok(0));
    let parks_and_busy = || {
        let stats = theater.stats().unwrap();
        let stage = stats.stages.iter().find(|stage| &*stage.name == "idle").unwrap();
        (stage.parks, stage.busy)
    };
    // Asleep all the time between two looks.
    support::wait_for(|| {
        let before = parks_and_busy();
        std::thread::sleep(Duration::from_millis(30));
        before == parks_and_busy()
    });
}
