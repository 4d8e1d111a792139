//! S28: coordinated transactions are atomic and isolated, in every way of processing.

use crate::support::{Common, Do, Lab, Log, Note, ask, result};
use odeon_core::{ActorRef, Ask, AskError, Theater};
use odeon_speculative::{
    Access, Coordinate, CoordinationError, Processing, SpawnSpeculative, SpeculativeRef, fail,
};
use odeon_testkit::silent_panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

fn combined(width: usize) -> Processing {
    Processing::concurrent().non_blocking().width(width)
}

fn every_processing() -> [(&'static str, Processing); 7] {
    [
        ("sequential", Processing::sequential()),
        ("concurrent", Processing::concurrent().width(3)),
        ("non-blocking", Processing::sequential().non_blocking()),
        ("combined", combined(3)),
        ("combined and unordered", combined(4).ordering(odeon_speculative::Ordering::Unordered)),
        ("in the order of arrival", combined(3).ordering(odeon_speculative::Ordering::Mailbox)),
        ("adaptive", Processing::adaptive()),
    ]
}

fn theater() -> Theater {
    Theater::builder().workers(2).build().unwrap()
}

fn labs(theater: &Theater, count: usize, processing: &Processing) -> Vec<SpeculativeRef<Do>> {
    (0..count)
        .map(|_| {
            theater.spawn_speculative(Lab::new(&Arc::new(Common::default())), processing.clone())
        })
        .collect()
}

fn add(var: usize, n: i64) -> Do {
    Do::update(move |lab, tx, _| lab.add(tx, var, n))
}

/// Adds up a variable of all these actors in one transaction, with or without protecting it.
fn sum(access: Access, mut rest: Vec<ActorRef<Do>>, var: usize, so_far: i64) -> Do {
    rest.reverse();
    walk(access, rest, var, so_far)
}

fn walk(access: Access, mut rest: Vec<ActorRef<Do>>, var: usize, so_far: i64) -> Do {
    let next = rest.pop();
    Do::handing_on(access, move |lab, tx, ctx, reply| {
        let sum = so_far + lab.vars[var].get(tx)?;
        match (&next, reply) {
            (Some(next), Some(reply)) => {
                let reply = ctx.pass_on(reply);
                let further = walk(access, rest.clone(), var, sum).answering(reply);
                ctx.join(next, further);
            }
            (None, Some(reply)) => ctx.reply(reply, sum),
            (_, None) => {}
        }
        Ok(sum)
    })
}

#[test]
fn s28_a_transfer_takes_place_at_both_actors_or_at_none() {
    for (name, processing) in every_processing() {
        let theater = theater();
        let labs = labs(&theater, 2, &processing);
        let transfer = |n: i64| {
            theater.coordinate(|co| {
                co.send(&labs[0], add(0, -n));
                co.send(&labs[1], add(0, n));
            })
        };
        transfer(3).wait().unwrap();
        let failing = theater.coordinate(|co| {
            co.send(&labs[0], add(0, -100));
            co.send(
                &labs[1],
                Do::update(|lab, tx, _| {
                    lab.add(tx, 0, 100)?;
                    fail("not today")
                }),
            );
        });
        let CoordinationError::Failed { participant, why } = failing.wait().unwrap_err() else {
            panic!("{name}: a handler has failed")
        };
        assert_eq!((participant, &*why), (labs[1].id(), "not today"), "{name}");
        let panicking = theater.coordinate(|co| {
            co.send(&labs[0], Do::update(|_, _, _| silent_panic("neither")));
            co.send(&labs[1], add(0, 100));
        });
        assert!(panicking.wait().is_err());
        transfer(4).wait().unwrap();
        let balances: Vec<_> = labs.iter().map(|lab| result(lab, Do::look(0)).unwrap()).collect();
        assert_eq!(balances, [-7, 7], "{name}");
        assert_eq!(labs[0].speculation().failures, 1);
        assert_eq!(labs[1].speculation().failures, 1);
    }
}

/// The sum that goes from actor to actor while transfers go on: the papers' benchmark tore some.
#[test]
fn s28_no_sum_is_torn() {
    const ACTORS: usize = 4;
    for (name, processing) in every_processing() {
        for access in [Access::Update, Access::Snapshot] {
            let theater = theater();
            let labs = labs(&theater, ACTORS, &processing);
            let refs: Vec<_> = labs.iter().map(|lab| lab.actor_ref()).collect();
            thread::scope(|scope| {
                for sender in 0..3 {
                    let (theater, labs) = (&theater, &labs);
                    scope.spawn(move || {
                        let mut outcomes = Vec::new();
                        for n in 0..200_usize {
                            let (from, to) = ((n * 7 + sender) % ACTORS, (n * 5 + 1) % ACTORS);
                            outcomes.push(theater.coordinate(|co| {
                                co.send(&labs[from], add(0, -1));
                                co.send(&labs[to], add(0, 1));
                                if n % 5 == 0 {
                                    co.send(&labs[from], add(1, 1));
                                }
                            }));
                        }
                        outcomes.into_iter().for_each(|outcome| outcome.wait().unwrap());
                    });
                }
                for first in 0..2 {
                    let refs = &refs;
                    scope.spawn(move || {
                        for n in 0..60 {
                            let mut way = refs.clone();
                            way.rotate_left((first + n) % ACTORS);
                            let start = way.remove(0);
                            let total = result(&start, sum(access, way, 0, 0)).unwrap();
                            assert_eq!(total, 0, "{name}, {access:?}");
                        }
                    });
                }
            });
            let all: i64 = labs.iter().map(|lab| result(lab, Do::look(1)).unwrap()).sum();
            assert_eq!(all, 3 * 40, "{name}: each message once");
        }
    }
}

/// Transactions go between two actors in both directions, and want the same variables.
#[test]
fn s28_transactions_that_cross_do_not_wait_for_each_other_for_ever() {
    for (name, processing) in every_processing() {
        let theater = theater();
        let labs = labs(&theater, 3, &processing);
        thread::scope(|scope| {
            for sender in 0..3_usize {
                let labs = &labs;
                scope.spawn(move || {
                    let mut answers = Vec::new();
                    for n in 0..150 {
                        let (here, there) =
                            (&labs[sender], labs[(sender + 1 + n % 2) % 3].actor_ref());
                        let to_and_fro = Do::update(move |lab, tx, ctx| {
                            let back = ctx.actor_ref();
                            let fro = Do::update(move |lab, tx, ctx| {
                                ctx.join(&back, add(0, 1));
                                lab.add(tx, 0, 1)
                            });
                            ctx.join(&there, fro);
                            lab.add(tx, 0, 1)
                        });
                        answers.push(ask(here, to_and_fro));
                    }
                    answers.into_iter().for_each(|answer| {
                        answer.wait().unwrap();
                    });
                });
            }
        });
        let all: i64 = labs.iter().map(|lab| result(lab, Do::look(0)).unwrap()).sum();
        assert_eq!(all, 3 * 150 * 3, "{name}");
    }
}

/// Holds a worker's handler until it is opened.
#[derive(Default)]
struct Gate(AtomicBool);

impl Gate {
    fn hold(self: &Arc<Self>) -> Do {
        let gate = self.clone();
        Do::with(Access::Exclusive, move |_, _, _| {
            while !gate.0.load(SeqCst) {
                thread::yield_now();
            }
            Ok(0)
        })
    }
}

/// A transaction that has been at the first actor, and cannot get on at the second one before the
/// gate is opened; the answers to the message that is in its way there, and to the transaction's
/// first one.
fn on_the_way(labs: &[SpeculativeRef<Do>]) -> (Arc<Gate>, Ask<i64>, Ask<i64>) {
    let gate = Arc::new(Gate::default());
    let held = ask(&labs[1], gate.hold());
    let second = labs[1].actor_ref();
    let been_here = Arc::new(AtomicUsize::new(0));
    let been = been_here.clone();
    let begin = Do::update(move |lab, tx, ctx| {
        ctx.join(&second, add(0, 1));
        been.fetch_add(1, SeqCst);
        lab.add(tx, 0, 1)
    });
    // Another sender than this thread, whose messages would have to wait behind it.
    let first = labs[0].clone();
    let on_its_way = thread::spawn(move || ask(&first, begin)).join().unwrap();
    // The first call was that of the message before it was part of a transaction.
    while been_here.load(SeqCst) < 2 {
        thread::yield_now();
    }
    // Its handler has begun. What it writes is protected a moment later; before that, another
    // message could overtake it.
    thread::sleep(Duration::from_millis(100));
    (gate, held, on_its_way)
}

#[test]
fn s28_a_participant_that_does_not_block_goes_on() {
    for blocks in [false, true] {
        let theater = Theater::builder().workers(3).build().unwrap();
        let processing = Processing::concurrent();
        let processing = if blocks { processing } else { processing.non_blocking() };
        let labs = labs(&theater, 2, &processing);
        let (gate, held, on_its_way) = on_the_way(&labs);
        let conflicting = ask(&labs[0], Do::increment(0));
        let first = labs[0].clone();
        let unrelated = thread::spawn(move || ask(&first, Do::increment(5))).join().unwrap();
        if blocks {
            assert_eq!(unrelated.wait_timeout(Duration::from_millis(50)), Err(AskError::Timeout));
        } else {
            assert_eq!(unrelated.wait(), Ok(1), "unrelated messages go on");
        }
        assert_eq!(conflicting.wait_timeout(Duration::from_millis(50)), Err(AskError::Timeout));
        gate.0.store(true, SeqCst);
        assert_eq!(on_its_way.wait(), Ok(1));
        assert_eq!(held.wait(), Ok(0));
        while result(&labs[0], Do::look(0)) != Ok(2) || result(&labs[0], Do::look(5)) != Ok(1) {
            thread::yield_now();
        }
    }
}

/// What it waits for is known from the attempt that has met it, also if that was one without a log.
#[test]
fn s28_a_message_that_meets_a_transaction_makes_one_attempt_in_vain() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let labs = labs(&theater, 2, &Processing::sequential().non_blocking());
    let (gate, held, on_its_way) = on_the_way(&labs);
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let first = labs[0].clone();
    let meets = Do::update(move |lab, tx, _| {
        counted.fetch_add(1, SeqCst);
        lab.add(tx, 0, 1)
    });
    let meets = thread::spawn(move || ask(&first, meets)).join().unwrap();
    while calls.load(SeqCst) == 0 {
        thread::yield_now();
    }
    // Until it has met the transaction; more attempts would be in vain.
    thread::sleep(Duration::from_millis(100));
    gate.0.store(true, SeqCst);
    assert_eq!((held.wait(), on_its_way.wait(), meets.wait()), (Ok(0), Ok(1), Ok(2)));
    // Or one, if it was interrupted in it until the outcome.
    assert!(calls.load(SeqCst) <= 2, "one before the outcome, and one after it: {calls:?}");
}

#[test]
fn s28_a_stopped_actor_fails_the_transaction_at_all_others() {
    for (name, processing) in every_processing() {
        let theater = theater();
        let labs = labs(&theater, 3, &processing);
        let ended = labs[2].ended();
        labs[2].stop();
        ended.wait();
        let outcome = theater.coordinate(|co| {
            for lab in &labs {
                co.send(lab, add(0, 1));
            }
        });
        assert_eq!(outcome.wait(), Err(CoordinationError::Stopped), "{name}");
        let gone = labs[2].actor_ref();
        let joining = ask(
            &labs[0],
            Do::update(move |lab, tx, ctx| {
                ctx.join(&gone, add(0, 1));
                lab.add(tx, 0, 1)
            }),
        );
        assert!(joining.wait().is_err(), "{name}");
        for lab in &labs[..2] {
            assert_eq!(result(lab, Do::look(0)), Ok(0), "{name}");
            assert_eq!(result(lab, Do::increment(0)), Ok(1), "{name}");
        }
    }
}

#[test]
fn s28_effects_of_all_participants_happen_with_the_commit_or_not_at_all() {
    for (name, processing) in every_processing() {
        let theater = theater();
        let labs = labs(&theater, 2, &processing);
        let log = Log::new();
        let to = theater.spawn(log.clone());
        let noting = |n: i64| {
            let to = to.clone();
            Do::update(move |lab, tx, _| {
                to.send(Note::Of(n)).unwrap();
                lab.add(tx, 0, 1)
            })
        };
        for n in 0..20 {
            let outcome = theater.coordinate(|co| {
                co.send(&labs[0], noting(n));
                co.send(&labs[1], noting(n));
                if n % 2 == 1 {
                    co.send(&labs[1], Do::update(|_, _, _| fail("odd")));
                }
            });
            assert_eq!(outcome.wait().is_ok(), n % 2 == 0, "{name}");
        }
        while to.ask(Note::Count).wait().unwrap() < 20 {
            thread::yield_now();
        }
        let expected: Vec<_> = (0..20).filter(|n| n % 2 == 0).flat_map(|n| [n, n]).collect();
        assert_eq!(log.all(), expected, "{name}");
    }
}

#[test]
fn s28_messages_of_one_sender_keep_their_order_around_a_transaction() {
    for (name, processing) in every_processing() {
        if name.contains("unordered") {
            continue;
        }
        let theater = theater();
        let labs = labs(&theater, 2, &processing);
        let log = Log::new();
        let to = theater.spawn(log.clone());
        let noting = |n: i64| {
            let to = to.clone();
            Do::update(move |lab, tx, _| {
                to.send(Note::Of(n)).unwrap();
                lab.add(tx, 0, 1)
            })
        };
        let mut outcomes = Vec::new();
        for n in 0..300_i64 {
            if n % 3 == 1 {
                outcomes.push(theater.coordinate(|co| {
                    co.send(&labs[0], noting(n));
                    co.send(&labs[1], add(1, 1));
                    co.send(&labs[0], add(2, 1));
                }));
            } else {
                labs[0].send(noting(n)).unwrap();
            }
        }
        outcomes.into_iter().for_each(|outcome| outcome.wait().unwrap());
        result(&labs[0], add(7, 1)).unwrap();
        while to.ask(Note::Count).wait().unwrap() < 300 {
            thread::yield_now();
        }
        assert!(log.all().into_iter().eq(0..300), "{name}");
        assert_eq!(result(&labs[0], Do::look(2)), Ok(100));
    }
}

#[test]
fn s28_a_message_that_waits_in_a_transaction_holds_nothing() {
    for (name, processing) in every_processing() {
        let theater = theater();
        let labs = labs(&theater, 2, &processing);
        let outcome = theater.coordinate(|co| {
            co.send(&labs[0], add(0, 1));
            co.send(
                &labs[1],
                Do::update(|lab, tx, _| match lab.vars[3].get(tx)? {
                    0 => Ok(tx.retry()?),
                    _ => lab.add(tx, 0, 1),
                }),
            );
        });
        // From a thread of its own: behind the waiting messages nothing of this one's is handled.
        let other = labs.clone();
        let others = thread::spawn(move || {
            for _ in 0..10 {
                assert_eq!(result(&other[0], Do::look(0)), Ok(0), "{name}");
                result(&other[0], Do::increment(1)).unwrap();
            }
            result(&other[1], Do::increment(3)).unwrap();
        });
        others.join().unwrap();
        outcome.wait().unwrap();
        assert_eq!(result(&labs[0], Do::look(0)), Ok(1), "{name}");
    }
}

#[test]
fn s28_a_deadline_ends_what_cannot_be_decided() {
    let theater = theater();
    let labs = labs(&theater, 2, &Processing::default());
    let outcome = theater.coordinate(|co| {
        co.send(&labs[0], add(0, 1));
        co.send(&labs[1], Do::update(|_, tx, _| Ok(tx.retry()?)));
        co.deadline(Duration::from_millis(20));
    });
    let read_nothing = outcome.wait();
    assert!(read_nothing.is_err());
    let outcome = theater.coordinate(|co| {
        co.send(&labs[0], add(0, 1));
        co.send(
            &labs[1],
            Do::update(|lab, tx, _| match lab.vars[3].get(tx)? {
                0 => Ok(tx.retry()?),
                n => Ok(n),
            }),
        );
        co.deadline(Duration::from_millis(20));
    });
    assert_eq!(outcome.wait(), Err(CoordinationError::Deadline));
    assert_eq!(result(&labs[0], Do::increment(0)), Ok(1));
    assert_eq!(result(&labs[1], Do::increment(0)), Ok(1));
}

#[test]
fn s28_exclusive_messages_take_no_part_and_wait_for_those_who_do() {
    for (name, processing) in every_processing() {
        let theater = theater();
        let labs = labs(&theater, 2, &processing);
        let outcome = theater.coordinate(|co| {
            co.send(&labs[0], add(0, 1));
            co.send(&labs[1], Do::with(Access::Exclusive, |_, _, _| Ok(0)));
        });
        assert_eq!(outcome.wait(), Err(CoordinationError::Exclusive), "{name}");
        thread::scope(|scope| {
            for sender in 0..2 {
                let (theater, labs) = (&theater, &labs);
                scope.spawn(move || {
                    for n in 0..100 {
                        let there = labs[1 - sender].actor_ref();
                        let journey = Do::update(move |lab, tx, ctx| {
                            ctx.join(&there, add(0, 1));
                            lab.add(tx, 0, -1)
                        });
                        let going = ask(&labs[sender], journey);
                        let alone = Do::with(Access::Exclusive, move |lab, tx, _| {
                            lab.add(tx, 1, 1)?;
                            Ok(lab.vars[0].get(tx)?)
                        });
                        result(&labs[(n + sender) % 2], alone).unwrap();
                        going.wait().unwrap();
                        theater.coordinate(|co| co.send(&labs[sender], add(2, 1))).wait().unwrap();
                    }
                });
            }
        });
        let of = |var| labs.iter().map(|lab| result(lab, Do::look(var)).unwrap()).sum::<i64>();
        assert_eq!((of(0), of(1), of(2)), (0, 200, 200), "{name}");
        assert!(labs.iter().all(|lab| lab.speculation().failures == 0), "{name}");
    }
}

/// What begins by reading one moment finds that it has to write, on its way.
#[test]
fn s28_a_reading_transaction_that_a_writing_message_joins_is_begun_anew() {
    for (name, processing) in every_processing() {
        let theater = theater();
        let labs = labs(&theater, 2, &processing);
        for n in 1..=20 {
            let second = labs[1].actor_ref();
            let reads_first = Do::with(Access::Snapshot, move |lab, tx, ctx| {
                ctx.join(&second, add(0, 1));
                Ok(lab.vars[0].get(tx)?)
            });
            assert_eq!(result(&labs[0], reads_first), Ok(n - 1), "{name}");
            assert_eq!(result(&labs[0], Do::increment(0)), Ok(n), "{name}");
            assert_eq!(result(&labs[1], Do::look(0)), Ok(n), "{name}");
            let alone = Do::with(Access::Exclusive, |lab, tx, _| Ok(lab.vars[0].get(tx)?));
            assert_eq!(result(&labs[0], alone), Ok(n), "{name}: all places were given back");
        }
    }
}
