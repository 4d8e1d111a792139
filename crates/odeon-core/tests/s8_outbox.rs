//! S8 effects have one exit: an outbox holds sends, spawns, replies and stops, and releases or
//! discards them together.

use odeon_core::extend::Outbox;
use odeon_core::*;
use odeon_testkit::conformance::stage::probe::{Do, Event, Log, Probe};
use odeon_testkit::{Deterministic, Ledger, Ticket};

#[test]
fn s8_nothing_happens_before_the_release_then_all_in_order() {
    let run = Deterministic::new(5);
    let log = Log::default();
    let actor = run.theater().spawn(Probe::new(&log));
    let child_log = Log::default();
    let mut outbox = Outbox::new();
    outbox.hold_during(|| {
        (1..=3).for_each(|n| actor.send(Do::Note(n)).unwrap());
        let child = run.theater().spawn(Probe::new(&child_log));
        child.send(Do::Note(9)).unwrap();
        actor.stop();
    });
    run.run_until_idle();
    assert_eq!((log.events(), child_log.events()), (vec![Event::Started], vec![]));
    assert_eq!(outbox.len(), 6);
    // The stop is released with the rest, before any turn: it takes effect before the first
    // message.
    outbox.release();
    assert!(outbox.is_empty());
    run.run_until_idle();
    assert!(log.has(Event::Stopped) && log.handled().is_empty());
    assert_eq!(child_log.handled(), [9]);
}

#[test]
fn s8_a_discarded_outbox_leaves_no_trace() {
    let run = Deterministic::new(5);
    let (log, child_log) = (Log::default(), Log::default());
    let actor = run.theater().spawn(Probe::new(&log));
    let mut outbox = Outbox::new();
    outbox.hold_during(|| {
        actor.send(Do::Note(1)).unwrap();
        actor.stop();
        let child = run.theater().spawn(Probe::new(&child_log));
        child.send(Do::Note(9)).unwrap();
    });
    drop(outbox);
    run.run_until_idle();
    assert_eq!(log.events(), [Event::Started]);
    assert!(!child_log.has(Event::Started) && child_log.handled().is_empty());
    assert!(child_log.has(Event::Dropped), "the state of an actor that never was is dropped");
    assert_eq!(run.theater().live_actors(), 1);
    assert_eq!(run.theater().dead_letters(), 0);
}

#[test]
fn s8_replies_wait_for_the_release() {
    let run = Deterministic::new(5);
    let actor = run.theater().spawn(Probe::new(&Log::default()));
    let asked = |release: bool| {
        let answer = actor.ask(|reply: Reply<u32>| {
            Do::run(move |_| {
                let mut outbox = Outbox::new();
                outbox.hold_during(|| reply.send(7));
                if release {
                    outbox.release();
                }
            })
        });
        run.run_until_idle();
        answer.wait()
    };
    assert_eq!(asked(true), Ok(7));
    assert_eq!(asked(false), Err(AskError::NoReply));
}

#[test]
fn s8_effects_pass_again_after_the_attempt_also_after_a_panic() {
    let run = Deterministic::new(5);
    let log = Log::default();
    let actor = run.theater().spawn(Probe::new(&log));
    let mut outbox = Outbox::new();
    let attempt = std::panic::AssertUnwindSafe(|| {
        outbox.hold_during(|| -> () { odeon_testkit::silent_panic("the attempt") })
    });
    assert!(std::panic::catch_unwind(attempt).is_err());
    actor.send(Do::Note(1)).unwrap();
    run.run_until_idle();
    assert_eq!(log.handled(), [1]);
}

/// Panics when it is dropped, by a panic whose payload does as well.
struct Bomb<const N: u8>;
impl<const N: u8> Drop for Bomb<N> {
    fn drop(&mut self) {
        std::panic::resume_unwind(Box::new(Self));
    }
}

#[test]
fn s8_a_panic_of_one_effect_or_of_its_destructor_keeps_no_other_from_its_end() {
    let run = Deterministic::new(5);
    let (log, mut outbox) = (Log::default(), Outbox::new());
    let actor = run.theater().spawn(Probe::new(&log));
    for release in [true, false] {
        outbox.hold_during(|| {
            let (first, second) = (Bomb::<1>, Bomb::<2>);
            extend::let_happen(move || drop(first));
            actor.send(Do::Note(1)).unwrap();
            extend::let_happen(move || drop(second));
            actor.send(Do::Note(2)).unwrap();
        });
        let act = || if release { outbox.release() } else { outbox.discard() };
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(act)).unwrap_err();
        assert!(panic.is::<Bomb<1>>());
        std::mem::forget(panic);
        assert!(outbox.is_empty());
        run.run_until_idle();
        assert_eq!(log.handled(), [1, 2]);
    }
}

#[test]
fn s8_outboxes_nest_and_the_innermost_collects() {
    let run = Deterministic::new(5);
    let log = Log::default();
    let actor = run.theater().spawn(Probe::new(&log));
    let (mut outer, mut inner) = (Outbox::new(), Outbox::new());
    outer.hold_during(|| {
        actor.send(Do::Note(1)).unwrap();
        inner.hold_during(|| actor.send(Do::Note(2)).unwrap());
        actor.send(Do::Note(3)).unwrap();
        // Released inside the outer attempt, the effects happen at once: an effect is final.
        inner.release();
    });
    assert_eq!(outer.len(), 2);
    outer.release();
    run.run_until_idle();
    assert_eq!(log.handled(), [2, 1, 3]);
}

/// A held message whose receiver ends before the release is dead-lettered (S4).
#[test]
fn s8_s4_a_held_message_to_an_actor_that_ends_meanwhile_is_dead_lettered() {
    struct Taker;
    impl Actor for Taker {
        type Msg = Ticket;
        fn handle(&mut self, ticket: Ticket, _ctx: &mut Context<'_, Self>) {
            ticket.handled();
        }
    }
    let ledger = Ledger::new();
    let hook = ledger.dead_letter_hook::<Ticket>();
    let run = Deterministic::with(5, Theater::builder().on_dead_letter(hook));
    let actor = run.theater().spawn(Taker);
    let mut outbox = Outbox::new();
    outbox.hold_during(|| assert!(ledger.send(&actor, |ticket| ticket)));
    actor.stop();
    run.run_until_idle();
    outbox.release();
    assert_eq!(ledger.check().dead_lettered, 1);
}
