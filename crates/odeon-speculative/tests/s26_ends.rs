//! S26 and the end of a speculative actor: nothing is handled after the message that stops it, no
//! handler runs beside or after `stopped`, and every message is handled, has failed, or is a dead
//! letter.

use crate::support::{Common, Do, Lab, Log, Note, ask, lab, result, width};
use odeon_core::{Reply, Theater};
use odeon_speculative::{Access, Ordering, Processing, SpawnSpeculative, SpeculativeRef};
use odeon_testkit::silent_panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

/// Keeps an exclusive message running until it is opened.
#[derive(Clone, Default)]
struct Gate(Arc<AtomicBool>);

impl Gate {
    fn shut(&self) -> Do {
        let gate = self.clone();
        Do::with(Access::Exclusive, move |_, _, _| {
            while !gate.0.load(SeqCst) {
                thread::yield_now();
            }
            Ok(0)
        })
    }

    fn open(&self) {
        self.0.store(true, SeqCst);
    }
}

fn unordered(theater: &Theater, each: usize) -> (SpeculativeRef<Do>, Arc<Common>) {
    let common = Arc::new(Common::default());
    let processing: Processing = width(each).ordering(Ordering::Unordered);
    (theater.spawn_speculative(Lab::new(&common), processing), common)
}

#[test]
fn s26_nothing_is_handled_after_the_message_that_stops() {
    const MESSAGES: u64 = 100;
    for each in [1, 2, 4] {
        for last in 0..MESSAGES {
            let theater = Theater::builder().workers(2).build().unwrap();
            let (lab, _) = unordered(&theater, each);
            let (gate, after) = (Gate::default(), Arc::new(AtomicU64::new(0)));
            lab.send(gate.shut()).unwrap();
            for n in 0..MESSAGES {
                let after = after.clone();
                let message = if n == last {
                    Do::update(|lab, tx, ctx| {
                        ctx.stop();
                        lab.add(tx, 0, 1)
                    })
                } else {
                    // Without effects of its own.
                    Do::update(move |lab, tx, _| {
                        let after = after.clone();
                        if lab.vars[0].get(tx)? > 0 {
                            tx.on_commit(move || _ = after.fetch_add(1, SeqCst));
                        }
                        Ok(0)
                    })
                };
                lab.send(message).unwrap();
            }
            gate.open();
            lab.ended().wait();
            assert_eq!(after.load(SeqCst), 0, "width {each}, message {last} stopped");
            let dead = theater.dead_letters();
            let stats = lab.speculation();
            assert_eq!((stats.commits + dead, stats.failures), (MESSAGES + 1, 0));
        }
    }
}

#[test]
fn s26_a_parked_message_that_stops_is_the_last_one_with_one_at_a_time() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let (lab, _) = unordered(&theater, 1);
    let (gate, after) = (Gate::default(), Arc::new(AtomicU64::new(0)));
    let stops = Do::update(|lab, tx, ctx| {
        if lab.vars[0].get(tx)? == 0 {
            tx.retry()?;
        }
        ctx.stop();
        lab.add(tx, 1, 1)
    });
    lab.send(stops).unwrap();
    lab.send(gate.shut()).unwrap();
    lab.send(Do::increment(0)).unwrap();
    for _ in 0..100 {
        let after = after.clone();
        let looks = Do::update(move |lab, tx, _| {
            let after = after.clone();
            if lab.vars[1].get(tx)? > 0 {
                tx.on_commit(move || _ = after.fetch_add(1, SeqCst));
            }
            Ok(0)
        });
        lab.send(looks).unwrap();
    }
    gate.open();
    lab.ended().wait();
    assert_eq!(after.load(SeqCst), 0);
    assert_eq!(lab.speculation().commits + theater.dead_letters(), 103);
}

#[test]
fn s26_one_that_stops_ends_its_actor_also_if_its_effects_panic() {
    for each in [1, 4] {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (lab, common) = lab(&theater, each);
        let other = theater.spawn(Log::<i64>::new());
        lab.send(Do::update(move |_, _, ctx| {
            ctx.stop();
            let question = |_: Reply<i64>| -> Note<i64> { silent_panic("in the question") };
            ctx.ask(&other, question, |_| Do::increment(0));
            Ok(0)
        }))
        .unwrap();
        lab.ended().wait();
        assert_eq!(common.stops.load(SeqCst), 1);
    }
}

/// Two handlers run; one of them may be in the actor's own turn. One is let go, and the actor is
/// stopped.
#[test]
fn s26_no_handler_runs_beside_or_after_stopped() {
    for _ in 0..20 {
        let theater = Theater::builder().workers(3).build().unwrap();
        let (lab, common) = unordered(&theater, 2);
        let (gates, begun) = ([Gate::default(), Gate::default()], Arc::new(AtomicU64::new(0)));
        let late = Arc::new(AtomicU64::new(0));
        for gate in &gates {
            let (gate, begun, late) = (gate.clone(), begun.clone(), late.clone());
            let shared = common.clone();
            lab.send(Do::update(move |lab, tx, _| {
                begun.fetch_add(1, SeqCst);
                while !gate.0.load(SeqCst) {
                    thread::yield_now();
                }
                let sum = lab.add(tx, 0, 1)?;
                late.fetch_add(shared.stops.load(SeqCst), SeqCst);
                Ok(sum)
            }))
            .unwrap();
        }
        // The second one comes later, if the first was begun in the actor's own turn before it was
        // sent.
        while begun.load(SeqCst) < 1 {
            thread::yield_now();
        }
        for _ in 0..1_000 {
            if begun.load(SeqCst) == 2 {
                break;
            }
            thread::yield_now();
        }
        gates[0].open();
        lab.stop();
        (0..100).for_each(|_| thread::yield_now());
        gates[1].open();
        lab.ended().wait();
        assert_eq!(late.load(SeqCst), 0, "a handler ran after `stopped`");
        assert!(!common.stopped_beside.load(SeqCst), "a handler ran beside `stopped`");
        assert_eq!(
            common.drops.load(SeqCst),
            1,
            "whoever is told of the end finds the state dropped"
        );
    }
}

#[test]
fn s26_all_is_handled_before_an_actor_ends_that_nobody_refers_to() {
    for each in [1, 2, 4] {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (lab, common) = lab(&theater, each);
        let ended = lab.ended();
        let sum = Arc::new(AtomicU64::new(0));
        for _ in 0..3_000 {
            let sum = sum.clone();
            let count = move |lab: &Lab| sum.fetch_max(lab.vars[0].peek() as u64, SeqCst);
            lab.send(Do::update(move |lab, tx, _| {
                count(lab);
                lab.add(tx, 0, 1)
            }))
            .unwrap();
        }
        drop(lab);
        ended.wait();
        assert_eq!(theater.dead_letters(), 0, "width {each}");
        assert_eq!(common.stops.load(SeqCst), 1);
    }
}

#[test]
fn s26_a_shutdown_accounts_for_what_is_parked_and_behind() {
    let parks = || {
        Do::update(|lab, tx, _| match lab.vars[0].get(tx)? {
            0 => Ok(tx.retry()?),
            n => Ok(n),
        })
    };
    for each in [1, 4] {
        for order in [Ordering::PerSender, Ordering::Unordered] {
            let theater = Theater::builder().workers(2).build().unwrap();
            let common = Arc::new(Common::default());
            let lab = theater.spawn_speculative(Lab::new(&common), width(each).ordering(order));
            (0..10).for_each(|_| lab.send(parks()).unwrap());
            let asked = ask(&lab, parks());
            // By others, so that it is handled.
            thread::scope(|scope| _ = scope.spawn(|| result(&lab, Do::increment(1)).unwrap()));
            let report = theater.shutdown(Duration::from_secs(60));
            assert_eq!((report.leftovers.len(), report.stuck), (11, 0));
            assert_eq!((common.stops.load(SeqCst), common.drops.load(SeqCst)), (1, 1));
            drop(report);
            assert!(asked.wait().is_err(), "the question was given back with the message");
        }
    }
}
