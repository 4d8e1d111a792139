//! S12 timers under virtual time: when they fire, what cancels them, what they keep alive.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::extend::Outbox;
use odeon_core::*;
use odeon_testkit::conformance::stage::probe::{Do, Event, Log, Probe};
use odeon_testkit::{Deterministic, for_seeds};

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Runs `arm` in the context of an actor.
fn within(
    run: &Deterministic,
    actor: &ActorRef<Do>,
    arm: impl FnOnce(&mut Context<'_, Probe>) + Send + 'static,
) {
    actor.send(Do::run(arm)).unwrap();
    run.run_until_idle();
}

#[test]
fn s12_a_timer_fires_at_its_time_and_not_before() {
    let run = Deterministic::new(1);
    let log = Log::default();
    let actor = run.theater().spawn(Probe::new(&log));
    actor.send_after(ms(10), Do::Note(1));
    within(&run, &actor, |ctx| drop(ctx.send_after(ms(5), Do::Note(2))));
    run.clock().advance(ms(4));
    run.run_until_idle();
    assert_eq!(log.handled(), []);
    run.clock().advance(ms(1));
    assert!(!run.is_idle());
    run.run_until_idle();
    assert_eq!(log.handled(), [2]);
    run.clock().advance(ms(100));
    run.run_until_idle();
    assert_eq!((log.handled(), run.theater().pending_timers()), (vec![2, 1], 0));
}

/// Never early: fractions of the resolution are rounded up.
#[test]
fn s12_the_resolution_is_a_millisecond_and_rounds_up() {
    let run = Deterministic::new(1);
    let log = Log::default();
    let actor = run.theater().spawn(Probe::new(&log));
    run.clock().advance(Duration::from_micros(300));
    actor.send_after(Duration::from_nanos(2_000_001), Do::Note(1));
    run.clock().set(Duration::from_nanos(2_999_999));
    run.run_until_idle();
    assert_eq!(log.handled(), []);
    run.clock().set(ms(3));
    run.run_until_idle();
    assert_eq!(log.handled(), [1]);
    actor.send_after(Duration::ZERO, Do::Note(2));
    actor.send_after(Duration::MAX, Do::Note(3));
    run.run_until_idle();
    assert_eq!((log.handled(), run.theater().pending_timers()), (vec![1, 2], 1));
}

/// Timers that are due together fire in the order of their deadlines, equal ones in that of arming,
/// whatever the seed.
#[test]
fn s12_timers_fire_in_the_order_of_their_deadlines() {
    for_seeds(20, |seed| {
        let run = Deterministic::new(seed);
        let log = Log::default();
        let actor = run.theater().spawn(Probe::new(&log));
        let mut random = Random::from_seed(seed);
        let mut expected = Vec::new();
        for n in 0..500 {
            let delay = random.below(40) as u64;
            expected.push((delay, n));
            actor.send_after(ms(delay), Do::Note(n));
        }
        expected.sort_unstable();
        run.clock().advance(ms(40));
        run.run_until_idle();
        assert_eq!(log.handled(), expected.iter().map(|(_, n)| *n).collect::<Vec<_>>());
    });
}

#[test]
fn s12_a_cancelled_timer_does_not_fire_and_a_fired_one_cannot_be_cancelled() {
    let run = Deterministic::new(1);
    let log = Log::default();
    let actor = run.theater().spawn(Probe::new(&log));
    let (early, late) =
        (actor.send_after(ms(5), Do::Note(1)), actor.send_after(ms(6), Do::Note(2)));
    run.advance(ms(5));
    assert!(!early.cancel());
    assert!(late.cancel());
    run.advance(ms(100));
    assert_eq!(log.handled(), [1]);
    assert_eq!((run.theater().pending_timers(), run.theater().dead_letters()), (0, 0));
}

/// A watchdog: every message cancels the timer and arms it anew.
#[test]
fn s12_a_handler_arms_its_timer_anew() {
    struct Watchdog {
        timer: Option<Timer>,
        barked: Arc<Mutex<Vec<Duration>>>,
        clock: Duration,
    }
    #[derive(Clone, Copy)]
    enum Event {
        Stroke(Duration),
        Bark,
    }
    impl Message for Event {}
    impl Actor for Watchdog {
        type Msg = Event;
        fn handle(&mut self, event: Event, ctx: &mut Context<'_, Self>) {
            match event {
                Event::Stroke(at) => {
                    self.clock = at;
                    let timer = ctx.send_after(ms(10), Event::Bark);
                    if let Some(before) = self.timer.replace(timer) {
                        assert!(before.cancel());
                    }
                }
                Event::Bark => self.barked.lock().unwrap().push(self.clock),
            }
        }
    }
    let run = Deterministic::new(1);
    let barked = Arc::default();
    let dog = Watchdog { timer: None, barked: Arc::clone(&barked), clock: Duration::ZERO };
    let dog = run.theater().spawn(dog);
    for n in 0..100 {
        dog.send(Event::Stroke(ms(9 * n))).unwrap();
        run.advance(ms(9));
    }
    assert_eq!(*barked.lock().unwrap(), []);
    run.advance(ms(1));
    assert_eq!(*barked.lock().unwrap(), [ms(891)]);
}

#[test]
fn s12_a_periodic_timer_keeps_its_beat_and_skips_what_it_missed() {
    let run = Deterministic::new(1);
    let log = Log::default();
    let actor = run.theater().spawn(Probe::new(&log));
    let mut n = 0;
    let timer = actor.send_every(ms(10), move || {
        n += 1;
        Do::Note(n)
    });
    run.advance(ms(9));
    assert_eq!(log.handled(), []);
    run.advance(ms(41));
    assert_eq!(log.handled(), [1, 2, 3, 4, 5]);
    // A machine that was asleep for 37 ms: one message, and on at 90 ms as if nothing had been.
    run.clock().advance(ms(37));
    run.run_until_idle();
    assert_eq!(log.handled(), [1, 2, 3, 4, 5, 6]);
    run.advance(ms(2));
    assert_eq!(log.handled().len(), 6);
    run.advance(ms(1));
    assert_eq!(log.handled().len(), 7);
    assert!(timer.cancel());
    run.advance(ms(100));
    assert_eq!((log.handled().len(), run.theater().pending_timers()), (7, 0));
}

#[test]
#[should_panic(expected = "the period of a timer must not be zero")]
fn s12_a_period_of_zero_panics() {
    let run = Deterministic::new(1);
    let actor = run.theater().spawn(Probe::new(&Log::default()));
    actor.send_every(Duration::ZERO, || Do::Note(1));
}

/// S11: a pending timer does not keep its actor, neither one armed by itself nor a periodic one.
#[test]
fn s12_s11_timers_do_not_keep_their_actor() {
    let run = Deterministic::new(1);
    let log = Log::default();
    let actor = run.theater().spawn(Probe::new(&log));
    within(&run, &actor, |ctx| {
        ctx.send_after(ms(10), Do::Note(1));
        ctx.send_every(ms(10), || Do::Note(2));
    });
    drop(actor);
    run.run_until_idle();
    assert!(log.has(Event::Dropped));
    run.advance(ms(100));
    assert_eq!((log.handled(), run.theater().pending_timers()), (vec![], 0));
    assert_eq!(run.theater().dead_letters(), 0);
}

#[test]
fn s12_timers_of_a_stopped_actor_do_no_harm() {
    let run = Deterministic::new(1);
    let log = Log::default();
    let actor = run.theater().spawn(Probe::new(&log));
    actor.send_after(ms(10), Do::Note(1));
    let periodic = actor.send_every(ms(10), || Do::Note(2));
    actor.stop();
    run.advance(ms(100));
    // Armed when the actor has stopped already.
    actor.send_after(ms(10), Do::Note(3));
    run.advance(ms(100));
    assert_eq!((log.handled(), run.theater().pending_timers()), (vec![], 0));
    assert_eq!(run.theater().dead_letters(), 0);
    assert!(!periodic.cancel());
}

#[test]
fn s12_a_panic_in_a_timer_ends_that_timer_only() {
    let run = Deterministic::new(1);
    let log = Log::default();
    let actor = run.theater().spawn(Probe::new(&log));
    actor.send_every(ms(10), || odeon_testkit::silent_panic("no message"));
    actor.send_after(ms(10), Do::Note(1));
    run.advance(ms(100));
    assert_eq!((log.handled(), run.theater().pending_timers()), (vec![1], 0));
}

/// S8: timers of an attempt are armed with its release, and not at all if it is discarded.
#[test]
fn s12_s8_timers_are_held_back_with_an_attempt() {
    let run = Deterministic::new(1);
    let log = Log::default();
    let actor = run.theater().spawn(Probe::new(&log));
    let arm = |number| {
        let mut outbox = Outbox::new();
        let timers = outbox.hold_during(|| {
            let once = actor.send_after(ms(10), Do::Note(number));
            (once, actor.send_every(ms(10), move || Do::Note(10 * number)))
        });
        assert_eq!((outbox.len(), run.theater().pending_timers()), (2, 0));
        (outbox, timers)
    };
    let (mut released, timers) = arm(1);
    run.advance(ms(100));
    released.release();
    assert_eq!(run.theater().pending_timers(), 2);
    run.advance(ms(25));
    assert_eq!(log.handled(), [1, 10, 10]);
    assert!(!timers.0.cancel() && timers.1.cancel());

    let (discarded, timers) = arm(2);
    drop(discarded);
    assert!(timers.0.cancel() && timers.1.cancel());
    let (mut cancelled, timers) = arm(3);
    assert!(timers.0.cancel() && timers.1.cancel());
    cancelled.release();
    assert_eq!(run.theater().pending_timers(), 0);
    run.advance(ms(100));
    assert_eq!(log.handled().len(), 3);
}

#[test]
fn s12_one_seed_replays_a_run_with_timers() {
    let run = |seed| {
        let run = Deterministic::new(seed);
        let log = Log::default();
        let actors: Vec<_> = (0..5).map(|_| run.theater().spawn(Probe::new(&log))).collect();
        for (n, actor) in (0..).zip(&actors) {
            actor.send_every(ms(2 + n % 2), move || Do::Note(n));
            (0..20).for_each(|m| actor.send(Do::Note(100 + m)).unwrap());
        }
        run.clock().advance(ms(50));
        run.run_until_idle();
        run.advance(ms(30));
        (run.trace(), log.handled())
    };
    let ((trace, log), (again, log_again)) = (run(3), run(3));
    assert_eq!(trace.first_difference(&again), None);
    assert_eq!(log, log_again);
    assert!(trace.first_difference(&run(4).0).is_some());
}

#[test]
fn s12_a_run_jumps_from_deadline_to_deadline() {
    let run = Deterministic::new(1);
    let log = Log::default();
    let actor = run.theater().spawn(Probe::new(&log));
    actor.send_after(Duration::from_secs(3600), Do::Note(1));
    actor.send_after(Duration::from_secs(7200), Do::Note(2));
    actor.send_after(Duration::from_secs(86_400), Do::Note(3));
    run.run_through_timers(Duration::from_secs(10_000));
    assert_eq!((log.handled(), run.clock().now()), (vec![1, 2], Duration::from_secs(7200)));
    run.run_through_timers(Duration::MAX - run.clock().now());
    assert_eq!((log.handled(), run.clock().now()), (vec![1, 2, 3], Duration::from_secs(86_400)));
}

/// A shutdown does not wait for timers; they are dropped with it.
#[test]
fn s12_pending_timers_are_dropped_at_a_shutdown() {
    let run = Deterministic::new(1);
    let log = Log::default();
    let actor = run.theater().spawn(Probe::new(&log));
    let timer = actor.send_after(ms(1), Do::Note(1));
    let question = actor.clone();
    let answer = actor.ask(|reply: Reply<u32>| {
        Do::run(move |_| {
            let later = Do::run(move |_| reply.send(1));
            question.send_after(ms(1), later);
        })
    });
    run.run_until_idle();
    run.clock().advance(ms(10));
    let report = run.shutdown();
    assert!(report.leftovers.is_empty());
    assert_eq!(answer.wait(), Err(AskError::NoReply));
    assert!(!timer.cancel());
    assert_eq!(log.handled(), []);
    // Armed too late, it is dropped at once.
    let answer = actor.ask(|reply: Reply<u32>| Do::run(move |_| reply.send(1)));
    assert_eq!(answer.wait(), Err(AskError::Stopped));
    let (reply_dropped, dropped) = std::sync::mpsc::channel::<()>();
    actor.send_after(ms(1), Do::run(move |_| drop(reply_dropped)));
    assert!(dropped.recv().is_err());
}
