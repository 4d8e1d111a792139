//! S4 nothing is lost silently: every message is handled, returned or dead-lettered.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::conformance::stage::probe::{Do, Event, Log, Probe};
use odeon_testkit::{Deterministic, Ledger, Ticket, for_seeds};

struct Taker;

impl Actor for Taker {
    type Msg = Ticket;
    fn handle(&mut self, ticket: Ticket, _ctx: &mut Context<'_, Self>) {
        ticket.handled();
    }
}

#[test]
fn s4_send_gives_back_the_very_message() {
    struct Owns;
    impl Actor for Owns {
        type Msg = Box<u64>;
        fn handle(&mut self, _msg: Box<u64>, _ctx: &mut Context<'_, Self>) {}
    }
    let theater = Theater::builder().workers(1).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    for actor in [theater.spawn(Owns), theater.actor().on(&stage).spawn(Owns)] {
        actor.stop();
        while !actor.is_stopped() {
            std::thread::yield_now();
        }
        let message = Box::new(7);
        let address = &raw const *message;
        let error = actor.send(message).unwrap_err();
        assert_eq!(error.to_string(), "the actor has stopped");
        let message = error.into_message();
        assert_eq!(&raw const *message, address);
        let error = actor.try_send(message).unwrap_err();
        assert_eq!(&raw const *error.into_message(), address);
    }
}

#[test]
fn s4_the_hook_gets_actor_reason_and_message() {
    let letters = Arc::new(Mutex::new(Vec::new()));
    let hook = {
        let letters = letters.clone();
        move |letter| letters.lock().unwrap().push(letter)
    };
    let builder = Theater::builder().on_dead_letter(hook);
    let run = Deterministic::with(3, builder);
    let actor = run.theater().spawn(Probe::new(&Log::default()));
    actor.send(Do::run(|ctx| ctx.stop())).unwrap();
    (0..3).for_each(|n| actor.send(Do::Note(n)).unwrap());
    run.run_until_idle();
    assert_eq!(run.theater().dead_letters(), 3);
    let counts = format!("{:?}", run.theater().dead_letter_counts());
    let expected = "{Stopped: 3, Failed: 0, Shutdown: 0, Displaced: 0, Rejected: 0, Unreachable: 0, Unwritable: 0}";
    assert_eq!(counts, expected);
    for (n, letter) in letters.lock().unwrap().drain(..).enumerate() {
        assert_eq!((letter.actor, letter.reason), (actor.id(), DeadLetterReason::Stopped));
        let message = letter.message.downcast::<Do>().unwrap();
        assert!(matches!(*message, Do::Note(number) if number == n as u64));
    }
}

#[test]
fn s4_shutdown_drains_then_stops() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let log = Log::default();
    let actor = theater.spawn(Probe::new(&log));
    (1..=1_000).for_each(|n| actor.send(Do::Note(n)).unwrap());
    let report = theater.shutdown(Duration::from_secs(30));
    assert!(report.drained && report.leftovers.is_empty());
    assert_eq!(report.stuck, 0);
    assert_eq!(log.handled(), (1..=1_000).collect::<Vec<_>>());
    assert!(log.has(Event::Stopped) && log.has(Event::Dropped));
    assert!(actor.send(Do::Note(0)).is_err());
}

#[test]
fn s4_a_shutdown_may_drain_for_as_long_as_a_duration() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let log = Log::default();
    let actor = theater.spawn(Probe::new(&log));
    (1..=1_000).for_each(|n| actor.send(Do::Note(n)).unwrap());
    let report = theater.shutdown(Duration::MAX);
    assert!(report.drained && report.leftovers.is_empty());
    assert_eq!(log.handled().len(), 1_000);
}

/// Threads go on sending while the theater is shut down under them.
#[test]
fn s4_a_shutdown_under_fire_accounts_for_every_message() {
    for_seeds(20, |seed| {
        let ledger = Ledger::new();
        let hook = ledger.dead_letter_hook::<Ticket>();
        let theater = Theater::builder().workers(2).on_dead_letter(hook).build().unwrap();
        let stage = theater.pinned("stage").unwrap();
        let actors = [
            theater.spawn(Taker),
            theater.actor().on(&stage).spawn(Taker),
            theater.actor().dedicated("own").spawn(Taker).unwrap(),
        ];
        let report = std::thread::scope(|scope| {
            for actor in &actors {
                let ledger = &ledger;
                scope.spawn(move || while ledger.send(actor, |ticket| ticket) {});
            }
            std::thread::sleep(Duration::from_micros(seed * 50));
            theater.shutdown(Duration::ZERO)
        });
        assert_eq!(report.stuck, 0);
        ledger.take_leftovers::<Ticket>(report);
        ledger.check();
    });
}

#[test]
fn s4_dropping_the_theater_tells_the_hook() {
    let ledger = Ledger::new();
    let hook = ledger.dead_letter_hook::<Ticket>();
    let run = Deterministic::with(1, Theater::builder().on_dead_letter(hook));
    let actor = run.theater().spawn(Taker);
    (0..10).for_each(|_| assert!(ledger.send(&actor, |ticket| ticket)));
    drop(run);
    assert_eq!(ledger.check().dead_lettered, 10);
}
