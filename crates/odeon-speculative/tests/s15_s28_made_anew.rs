//! S15, S26, S28: what waits for a change of a state (`tx.retry()`) looks at the new one when its
//! actor is made anew, and what its sender has sent behind it goes on.

use crate::support::{Common, Do, Lab, ask, explode};
use odeon_core::extend::as_numbered_sender;
use odeon_core::{Actor, ActorRef, Context, Supervision, Theater};
use odeon_speculative::{Coordinate, Processing, SpawnSpeculative, SpeculativeRef};
use odeon_testkit::{Deterministic, silent_panic};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::{Duration, Instant};

fn every_processing() -> [Processing; 4] {
    [
        Processing::sequential(),
        Processing::concurrent().width(3),
        Processing::sequential().non_blocking(),
        Processing::concurrent().non_blocking().width(2),
    ]
}

fn supervised(theater: &Theater, processing: &Processing) -> (SpeculativeRef<Do>, Arc<Common>) {
    let common = Arc::new(Common::default());
    let made = common.clone();
    let make = move || Lab::new(&made);
    let supervision = Supervision::new();
    (theater.spawn_speculative_supervised(supervision, processing.clone(), make), common)
}

/// Waits until variable 1 is not zero, and adds one to variable 2.
fn waits() -> Do {
    Do::update(|lab, tx, _| {
        if lab.vars[1].get(tx)? == 0 {
            return Ok(tx.retry()?);
        }
        lab.add(tx, 2, 1)
    })
}

#[test]
fn s28_s15_a_transaction_that_waits_for_a_change_sees_that_of_the_new_state() {
    for processing in every_processing() {
        for is_first in [true, false] {
            let run = Deterministic::new(1);
            let (a, common) = supervised(run.theater(), &processing);
            let (b, _) = supervised(run.theater(), &processing);
            let outcome = run.theater().coordinate(|co| {
                if is_first {
                    co.send(&a, waits());
                    co.send(&b, Do::increment(0));
                } else {
                    co.send(&b, Do::increment(0));
                    co.send(&a, waits());
                }
            });
            let behind = ask(&a, Do::increment(5));
            run.run_until_idle();
            let by_others = |what| as_numbered_sender(9, || a.send(what).unwrap());
            by_others(Do::update(|_, _, _| explode()));
            run.run_until_idle();
            assert_eq!(common.lives.load(SeqCst), 2);
            by_others(Do::increment(1));
            run.run_until_idle();
            let outcome = outcome.wait_timeout(Duration::ZERO);
            assert_eq!(outcome, Some(Ok(())), "{processing:?}, {is_first}");
            assert_eq!(behind.wait_timeout(Duration::ZERO), Ok(1), "{processing:?}");
            let sum = ask(&a, Do::look(2));
            run.run_until_idle();
            assert_eq!(sum.wait_timeout(Duration::ZERO), Ok(1));
        }
    }
}

/// Panics when it is sent something, and its actor is made anew with it.
struct Linked(ActorRef<Do>);

impl Actor for Linked {
    type Msg = ();

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        ctx.link(&self.0);
    }

    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        silent_panic("the linked one");
    }
}

/// Its handler runs meanwhile, and asks to wait for a change of the state before.
#[test]
fn s26_s15_a_message_that_waits_for_a_state_that_is_gone_is_tried_on_the_new_one() {
    const LONG: Duration = Duration::from_secs(20);
    for is_coordinated in [false, true] {
        let theater = Theater::builder().workers(3).build().unwrap();
        let (a, common) = supervised(&theater, &Processing::concurrent().non_blocking().width(3));
        let linked = theater.spawn(Linked(a.actor_ref()));
        let lives = common.clone();
        let slow = Do::update(move |lab, tx, _| {
            if lab.vars[1].get(tx)? > 0 {
                return lab.add(tx, 2, 1);
            }
            let until = Instant::now() + LONG;
            while lives.lives.load(SeqCst) < 2 && Instant::now() < until {
                thread::yield_now();
            }
            Ok(tx.retry()?)
        });
        let (answer, outcome) = match is_coordinated {
            false => (Some(ask(&a, slow)), None),
            true => (None, Some(theater.coordinate(|co| co.send(&a, slow)))),
        };
        while common.running.load(SeqCst) == 0 {
            thread::yield_now();
        }
        linked.send(()).unwrap();
        let until = Instant::now() + LONG;
        while common.lives.load(SeqCst) < 2 && Instant::now() < until {
            thread::yield_now();
        }
        let set = thread::scope(|scope| {
            scope.spawn(|| ask(&a, Do::increment(1)).wait_timeout(LONG)).join().unwrap()
        });
        assert_eq!((set, common.lives.load(SeqCst)), (Ok(1), 2));
        if let Some(answer) = answer {
            assert_eq!(answer.wait_timeout(LONG), Ok(1));
        }
        if let Some(outcome) = outcome {
            assert_eq!(outcome.wait_timeout(LONG), Some(Ok(())));
        }
    }
}

/// Messages of one sender are taken together: those behind one that fails must not be handled on
/// the state that goes.
#[test]
fn s25_s15_behind_a_failure_a_senders_messages_are_handled_on_the_new_state() {
    for processing in every_processing() {
        for seed in 0..30 {
            let run = Deterministic::new(seed);
            let (a, common) = supervised(run.theater(), &processing);
            let sum = as_numbered_sender(9, || {
                (0..3).for_each(|_| a.send(Do::increment(1)).unwrap());
                a.send(Do::update(|_, _, _| explode())).unwrap();
                (0..2).for_each(|_| a.send(Do::increment(1)).unwrap());
                ask(&a, Do::look(1))
            });
            run.run_until_idle();
            assert_eq!(sum.wait_timeout(Duration::ZERO), Ok(2), "{processing:?}, seed {seed}");
            assert_eq!(common.lives.load(SeqCst), 2);
        }
    }
}

/// As before, where a message waits in the midst of them.
#[test]
fn s25_s15_behind_a_message_that_waits_a_senders_messages_wait_too() {
    for processing in every_processing() {
        for seed in 0..30 {
            let run = Deterministic::new(seed);
            let (a, _) = supervised(run.theater(), &processing);
            let sum = as_numbered_sender(9, || {
                (0..3).for_each(|_| a.send(Do::increment(3)).unwrap());
                a.send(waits()).unwrap();
                a.send(Do::increment(2)).unwrap();
                ask(&a, Do::look(2))
            });
            run.run_until_idle();
            let meanwhile = as_numbered_sender(7, || ask(&a, Do::look(2)));
            run.run_until_idle();
            assert_eq!(meanwhile.wait_timeout(Duration::ZERO), Ok(0), "{processing:?}");
            as_numbered_sender(8, || a.send(Do::increment(1)).unwrap());
            run.run_until_idle();
            assert_eq!(sum.wait_timeout(Duration::ZERO), Ok(2), "{processing:?}, seed {seed}");
        }
    }
}
