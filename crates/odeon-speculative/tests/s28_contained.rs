//! S28: a transaction is decided, and its participants go on, whatever a user's code does between
//! its handlers and its end.

use crate::support::{Bomb, Common, Do, Lab, ask, explode};
use odeon_core::{ActorRef, Supervision, Theater};
use odeon_speculative::{
    Coordinate, CoordinationError, Delivery, Ordering, Outcome, Processing, SpawnSpeculative,
    SpeculativeRef, fail,
};
use odeon_stm::{TVar, atomically};
use odeon_testkit::Deterministic;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

fn every_processing() -> [Processing; 5] {
    [
        Processing::sequential(),
        Processing::concurrent().width(3),
        Processing::sequential().non_blocking(),
        Processing::concurrent().non_blocking().width(2),
        Processing::concurrent().non_blocking().width(2).ordering(Ordering::Mailbox),
    ]
}

fn lab(theater: &Theater, processing: &Processing) -> SpeculativeRef<Do> {
    theater.spawn_speculative(Lab::new(&Arc::new(Common::default())), processing.clone())
}

/// What has become of it so far.
fn decided(outcome: Outcome) -> Result<(), CoordinationError> {
    outcome.wait_timeout(Duration::ZERO).expect("it is decided")
}

/// Each of these actors handles what this sender sends, and what others do, alone and together.
#[track_caller]
fn go_on(run: &Deterministic, labs: &[&SpeculativeRef<Do>]) {
    let together = run.theater().coordinate(|co| {
        labs.iter().for_each(|lab| co.send(lab, Do::increment(7)));
    });
    let answers: Vec<_> = labs.iter().map(|lab| ask(lab, Do::increment(7))).collect();
    run.run_until_idle();
    let answers: Vec<_> =
        answers.into_iter().map(|answer| answer.wait_timeout(Duration::ZERO)).collect();
    assert_eq!(answers, vec![Ok(2); labs.len()]);
    assert_eq!(decided(together), Ok(()));
}

fn failures(labs: &[&SpeculativeRef<Do>]) -> Vec<u64> {
    labs.iter().map(|lab| lab.speculation().failures).collect()
}

#[test]
fn s28_a_way_of_ones_own_that_panics_fails_the_transaction_and_its_actor() {
    for processing in every_processing() {
        for keeps in [false, true] {
            let run = Deterministic::new(1);
            let [a, b] = [0, 1].map(|_| lab(run.theater(), &processing));
            let to = b.actor_ref();
            let kept: Arc<Mutex<Vec<Delivery>>> = Arc::default();
            let keep = kept.clone();
            let joins = Do::update(move |lab, tx, ctx| {
                let keep = keep.clone();
                ctx.join_via(&to, Do::increment(0), move |delivery| {
                    if keeps {
                        keep.lock().unwrap().push(delivery);
                    }
                    explode()
                });
                let bomb = Bomb;
                ctx.join_via(&to, Do::increment(0), move |_| drop(bomb));
                lab.add(tx, 0, 1)
            });
            let outcome = run.theater().coordinate(|co| {
                co.send(&a, joins);
                co.send(&b, Do::increment(1));
            });
            run.run_until_idle();
            let why = decided(outcome).unwrap_err();
            let is_by_a = matches!(why, CoordinationError::Failed { participant, .. } if participant == a.id());
            assert!(is_by_a, "{why:?}, {processing:?}");
            assert_eq!(failures(&[&a, &b]), [1, 0]);
            // Delivered now, it is void.
            kept.lock().unwrap().drain(..).for_each(Delivery::deliver);
            go_on(&run, &[&a, &b]);
        }
    }
}

#[test]
fn s28_a_joined_message_that_is_refused_may_panic_when_it_is_dropped() {
    for processing in every_processing() {
        let run = Deterministic::new(1);
        let [a, b, gone] = [0; 3].map(|_| lab(run.theater(), &processing));
        gone.stop();
        run.run_until_idle();
        let to = gone.actor_ref();
        let joins = Do::update(move |lab, tx, ctx| {
            for bomb in [Bomb, Bomb] {
                ctx.join(&to, Do::update(move |_, _, _| Ok(i64::from(size_of_val(&bomb) > 0))));
            }
            lab.add(tx, 0, 1)
        });
        let outcome = run.theater().coordinate(|co| {
            co.send(&b, Do::increment(1));
            co.send(&a, joins);
        });
        let bomb = Bomb;
        let refused = Do::update(move |_, _, _| Ok(i64::from(size_of_val(&bomb) > 0)));
        let at_once = run.theater().coordinate(|co| {
            co.send(&gone, refused);
            co.send(&b, Do::increment(1));
        });
        run.run_until_idle();
        assert_eq!(decided(outcome), Err(CoordinationError::Stopped), "{processing:?}");
        assert_eq!(decided(at_once), Err(CoordinationError::Stopped), "{processing:?}");
        assert_eq!(failures(&[&a, &b]), [0, 0]);
        go_on(&run, &[&a, &b]);
    }
}

#[test]
fn s28_what_a_handler_has_joined_before_it_fails_may_panic_when_it_is_dropped() {
    for processing in every_processing() {
        let run = Deterministic::new(1);
        let [a, b] = [0, 1].map(|_| lab(run.theater(), &processing));
        let to = b.actor_ref();
        let fails = Do::handing_on(odeon_core::Access::Update, move |lab, tx, ctx, _| {
            tx.on_rollback(|| explode());
            for bomb in [Bomb, Bomb] {
                ctx.join(&to, Do::update(move |_, _, _| Ok(i64::from(size_of_val(&bomb) > 0))));
            }
            for bomb in [Bomb, Bomb] {
                odeon_core::extend::let_happen(move || drop(bomb));
            }
            lab.add(tx, 0, 1)?;
            fail("given up")
        });
        let outcome = run.theater().coordinate(|co| {
            co.send(&b, Do::increment(1));
            co.send(&a, fails);
        });
        run.run_until_idle();
        assert!(
            matches!(decided(outcome), Err(CoordinationError::Failed { .. })),
            "{processing:?}"
        );
        assert_eq!(failures(&[&a, &b]), [1, 0]);
        go_on(&run, &[&a, &b]);
    }
}

/// Meanwhile the actor is made anew, and the transaction has the last reference to the state
/// before.
#[test]
fn s28_a_state_that_panics_when_it_is_dropped_keeps_no_transaction_from_its_end() {
    for processing in every_processing() {
        for by_deadline in [false, true] {
            let run = Deterministic::new(1);
            let common = Arc::new(Common::default());
            let made = common.clone();
            let make = move || {
                let mut lab = Lab::new(&made);
                lab.is_fragile = lab.life == 0;
                lab
            };
            let supervision = Supervision::new();
            let theater = run.theater();
            let a = theater.spawn_speculative_supervised(supervision, processing.clone(), make);
            let b = lab(theater, &processing);
            let waits = Do::update(|lab, tx, _| match lab.vars[1].get(tx)? {
                0 => Ok(tx.retry()?),
                n => Ok(n),
            });
            let outcome = theater.coordinate(|co| {
                co.send(&a, Do::increment(0));
                co.send(&b, waits);
                if by_deadline {
                    co.deadline(Duration::from_secs(1));
                }
            });
            run.run_until_idle();
            let other = |number, lab: &SpeculativeRef<Do>, what| {
                odeon_core::extend::as_numbered_sender(number, || lab.send(what).unwrap());
            };
            other(8, &a, Do::update(|_, _, _| explode()));
            run.run_until_idle();
            assert_eq!(common.lives.load(SeqCst), 2);
            if by_deadline {
                run.advance(Duration::from_secs(2));
            } else {
                other(9, &b, Do::increment(1));
            }
            run.run_until_idle();
            let expected = if by_deadline { Err(CoordinationError::Deadline) } else { Ok(()) };
            assert_eq!(decided(outcome), expected, "{processing:?}");
            assert_eq!(common.drops.load(SeqCst), 1);
            go_on(&run, &[&a, &b]);
        }
    }
}

/// Where somebody drops what he was to deliver.
#[derive(Debug, Clone, Copy)]
enum Where {
    Transaction,
    Handler,
    HookOfParticipant,
}

/// The transaction waits for nothing else than that message of the round before.
#[test]
fn s28_a_delivery_that_is_dropped_anywhere_has_nobody_gone_on_with_there() {
    for processing in every_processing() {
        for place in [Where::Transaction, Where::Handler, Where::HookOfParticipant] {
            let run = Deterministic::new(1);
            let [a, b, c] = [0; 3].map(|_| lab(run.theater(), &processing));
            let kept: Arc<Mutex<Vec<Delivery>>> = Arc::default();
            let (to, keep) = (c.actor_ref(), kept.clone());
            let joins = Do::update(move |lab, tx, ctx| {
                let keep = keep.clone();
                ctx.join_via(&to, Do::increment(0), move |it| keep.lock().unwrap().push(it));
                lab.add(tx, 0, 1)
            });
            let waits = Do::update(|lab, tx, _| match lab.vars[1].get(tx)? {
                0 => Ok(tx.retry()?),
                n => Ok(n),
            });
            let outcome = run.theater().coordinate(|co| {
                co.send(&a, joins);
                co.send(&b, waits);
            });
            run.run_until_idle();
            let others = |what: &mut dyn FnMut()| {
                odeon_core::extend::as_numbered_sender(9, what);
                run.run_until_idle();
            };
            others(&mut || b.send(Do::increment(1)).unwrap());
            let mut old = kept.lock().unwrap().pop();
            let drops = |mut old: Option<Delivery>, in_hook| {
                let old = Mutex::new(old.take());
                let old = Arc::new(old);
                Do::update(move |lab, tx, _| {
                    let old = old.clone();
                    let drops = move || drop(old.lock().unwrap().take());
                    if in_hook {
                        tx.on_commit(drops);
                    } else {
                        drops();
                    }
                    lab.add(tx, 3, 1)
                })
            };
            match place {
                Where::Transaction => {
                    let count = TVar::new(0);
                    atomically(|tx| {
                        drop(old.take());
                        count.update(tx, |n| n + 1)
                    });
                    run.run_until_idle();
                }
                Where::Handler => {
                    let mut drops = Some(drops(old, false));
                    others(&mut || c.send(drops.take().unwrap()).unwrap());
                }
                Where::HookOfParticipant => {
                    let mut drops = Some(drops(old, true));
                    others(&mut || a.send(drops.take().unwrap()).unwrap());
                }
            }
            // In its next round it joins once more.
            let again = std::mem::take(&mut *kept.lock().unwrap());
            assert_eq!(again.len(), 1, "{processing:?}, {place:?}");
            again.into_iter().for_each(Delivery::deliver);
            run.run_until_idle();
            assert_eq!(decided(outcome), Ok(()), "{processing:?}, {place:?}");
            go_on(&run, &[&a, &b, &c]);
        }
    }
}

#[test]
fn s28_who_waits_for_the_outcome_may_panic_when_woken() {
    struct Explodes;
    impl Wake for Explodes {
        fn wake(self: Arc<Self>) {
            explode();
        }
    }
    for processing in every_processing() {
        let run = Deterministic::new(1);
        let [a, b] = [0, 1].map(|_| lab(run.theater(), &processing));
        let mut outcome = pin!(run.theater().coordinate(|co| {
            co.send(&a, Do::increment(0));
            co.send(&b, Do::increment(0));
        }));
        let waker = Waker::from(Arc::new(Explodes));
        assert!(outcome.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        run.run_until_idle();
        assert!(outcome.as_mut().poll(&mut Context::from_waker(&waker)).is_ready());
        assert_eq!(failures(&[&a, &b]), [0, 0]);
        go_on(&run, &[&a, &b]);
    }
}

/// A reply that answers by a function: the second one is called although the first one has
/// panicked.
#[test]
fn s28_answers_that_are_passed_on_are_all_given() {
    for processing in every_processing() {
        let run = Deterministic::new(1);
        let [a, b] = [0, 1].map(|_| lab(run.theater(), &processing));
        let passes_on = |to: ActorRef<Do>| {
            Do::handing_on(odeon_core::Access::Update, move |_, _, ctx, reply| {
                let reply = reply.expect("asked");
                for _ in 0..2 {
                    let passed_on = ctx.pass_on(reply);
                    ctx.join(&to, Do::increment(0).answering(passed_on));
                }
                Ok(0)
            })
        };
        let explodes = odeon_core::extend::reply_by(|_| explode());
        a.send(passes_on(b.actor_ref()).answering(explodes)).unwrap();
        let answer = ask(&a, passes_on(b.actor_ref()));
        run.run_steps(10_000);
        assert!(answer.wait_timeout(Duration::ZERO).is_ok(), "{processing:?}");
        // What an asker makes of its answer is its own.
        assert_eq!(failures(&[&a, &b]), [0, 0]);
        go_on(&run, &[&a, &b]);
    }
}
