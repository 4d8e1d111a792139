//! S15 a failure that comes up to the root ends the theater once, whoever else ends it meanwhile,
//! and loses nothing (S4).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::{Counted, Deterministic, DropTracker, Ledger, Ticket, Tracked};
use odeon_testkit::{for_seeds, silent_panic};

const SOON: Duration = Duration::from_secs(20);

struct Work {
    ticket: Ticket,
    fails: bool,
}

impl Message for Work {}

impl Counted for Work {
    fn into_ticket(self) -> Option<Ticket> {
        Some(self.ticket)
    }
}

struct Worker {
    _state: Tracked<()>,
}

impl Actor for Worker {
    type Msg = Work;
    fn handle(&mut self, Work { ticket, fails }: Work, _: &mut Context<'_, Self>) {
        ticket.handled();
        if fails {
            silent_panic("beyond repair");
        }
        std::hint::black_box((0..1_000).sum::<u64>());
    }
}

fn escalating() -> Supervision {
    Supervision::new().always(Directive::Escalate)
}

#[test]
fn s15_a_failure_at_the_root_of_a_deterministic_theater_leaves_no_turn_to_ended_actors() {
    for_seeds(200, |seed| {
        let (ledger, states) = (Ledger::new(), DropTracker::new());
        let builder = Theater::builder().on_dead_letter(ledger.dead_letter_hook::<Work>());
        let run = Deterministic::with(seed, builder);
        let make = || {
            let states = states.clone();
            move || Worker { _state: states.track(()) }
        };
        let bystanders: Vec<_> = (0..6).map(|_| run.theater().spawn(make()())).collect();
        let failing = run.theater().actor().supervised(escalating()).spawn(make());
        for n in 0..10 {
            for bystander in &bystanders {
                ledger.send(bystander, |ticket| Work { ticket, fails: false });
            }
            ledger.send(&failing, |ticket| Work { ticket, fails: n == 5 });
        }
        drop(bystanders);
        run.run_until_idle();
        assert_eq!(run.theater().failure().unwrap().text(), "beyond repair");
        assert_eq!(run.theater().live_actors(), 0);
        assert!(run.theater().spawn(make()()).is_stopped());
        ledger.take_leftovers::<Work>(run.shutdown());
        ledger.check();
        states.check();
    });
}

#[test]
fn s15_a_failure_at_the_root_during_a_shutdown_neither_loses_messages_nor_delays_it() {
    for round in 0..40 {
        let (ledger, states) = (Ledger::new(), DropTracker::new());
        let hook = ledger.dead_letter_hook::<Work>();
        let theater = Theater::builder().workers(2).on_dead_letter(hook).build().unwrap();
        let stage = theater.pinned("stage").unwrap();
        let actors: Vec<_> = (0..8)
            .map(|n| {
                let states = states.clone();
                let make = move || Worker { _state: states.track(()) };
                match n % 2 {
                    0 => theater.actor().supervised(escalating()).spawn(make),
                    _ => theater.actor().on(&stage).supervised(escalating()).spawn(make),
                }
            })
            .collect();
        for n in 0..50 {
            for (place, actor) in actors.iter().enumerate() {
                let fails = n == round && place == round % actors.len();
                ledger.send(actor, |ticket| Work { ticket, fails });
            }
        }
        let begun = Instant::now();
        ledger.take_leftovers::<Work>(theater.shutdown(SOON));
        assert!(begun.elapsed() < SOON / 2, "it waited for the deadline");
        drop(actors);
        ledger.check();
        states.check();
    }
}

#[test]
fn s15_a_theater_that_has_failed_is_dropped_like_any_other() {
    struct Slow {
        begun: Arc<AtomicBool>,
        done: Arc<AtomicBool>,
    }
    impl Actor for Slow {
        type Msg = ();
        fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
            self.begun.store(true, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(200));
            self.done.store(true, Ordering::SeqCst);
        }
    }
    let ledger = Ledger::new();
    let theater = Theater::builder().workers(2).build().unwrap();
    let [begun, done] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
    theater.spawn(Slow { begun: begun.clone(), done: done.clone() }).send(()).unwrap();
    while !begun.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
    let states = DropTracker::new();
    let failing =
        theater.actor().supervised(escalating()).spawn(move || Worker { _state: states.track(()) });
    ledger.send(&failing, |ticket| Work { ticket, fails: true });
    theater.wait();
    while !failing.is_stopped() {
        std::thread::yield_now();
    }
    // Time for whoever ends it to begin.
    std::thread::sleep(Duration::from_millis(20));
    drop(theater);
    assert!(done.load(Ordering::SeqCst), "a handler in progress is waited for");
}
