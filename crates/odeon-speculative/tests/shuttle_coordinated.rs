//! Coordinated transactions in whole small theaters under random schedules: against messages that
//! are in their way, against each other, with messages that join them, with deadlines, participants
//! that fail, and actors that end in the middle. Whoever waits for somebody who waits for it shows
//! as a deadlock. Run by `ci/shuttle.sh`.

use crate::shuttle_support::*;
use crate::support::{Common, Do};
use odeon_core::{ActorRef, Theater};
use odeon_speculative::{
    Access, Coordinate, CoordinationError, Ordering, Outcome, Processing, SpeculativeRef, fail,
};
use odeon_sync::schedules::check_with_priorities;
use odeon_sync::thread;
use odeon_testkit::silent_panic;
use std::sync::Arc;
use std::time::Duration;

/// Every way of processing, the order of arrival among them.
fn any_processing() -> Processing {
    let processing = some_processing();
    match random(4) {
        0 => processing.ordering(Ordering::Mailbox),
        1 => processing.ordering(Ordering::Unordered),
        _ => processing,
    }
}

fn labs<const N: usize>(theater: &Theater) -> ([SpeculativeRef<Do>; N], [Arc<Common>; N]) {
    let made = [(); N].map(|()| lab(theater, any_processing()));
    (made.each_ref().map(|made| made.0.clone()), made.map(|made| made.1))
}

/// Moves `n` from one actor to another.
fn transfer(theater: &Theater, from: &ActorRef<Do>, to: &ActorRef<Do>, n: i64) -> Outcome {
    theater.coordinate(|co| {
        co.send(from, add(0, -n));
        co.send(to, add(0, n));
    })
}

/// Takes `n`, and then has the last of the others get it.
fn take_and_pass(n: i64, mut others: Vec<ActorRef<Do>>) -> Do {
    let next = others.pop();
    Do::update(move |lab, tx, ctx| {
        let sum = lab.add(tx, 0, if next.is_some() { -n } else { n })?;
        if let Some(next) = &next {
            let more = if others.is_empty() { add(0, n) } else { pass(n, others.clone()) };
            ctx.join(next, more);
        }
        Ok(sum)
    })
}

/// Passes `n` on.
fn pass(n: i64, mut others: Vec<ActorRef<Do>>) -> Do {
    let next = others.pop();
    Do::update(move |lab, tx, ctx| {
        let seen = lab.add(tx, 1, 1)?;
        if let Some(next) = &next {
            let more = if others.is_empty() { add(0, n) } else { pass(n, others.clone()) };
            ctx.join(next, more);
        }
        Ok(seen)
    })
}

fn refs<const N: usize>(labs: [&SpeculativeRef<Do>; N]) -> Vec<ActorRef<Do>> {
    labs.map(SpeculativeRef::actor_ref).to_vec()
}

/// The first variables of all that have ended.
fn firsts<const N: usize>(commons: &[Arc<Common>; N]) -> [i64; N] {
    commons.each_ref().map(|common| last(common)[0])
}

/// A transaction that has what it has read and written at the first actor protected while its
/// joined message is under way, against messages for the same variables.
#[test]
fn s28_protected_variables_against_messages_for_them() {
    check_with_priorities(2_000, || {
        let theater = theater();
        let ([a, b], commons) = labs::<2>(&theater);
        let commits = Arc::new(Commits::default());
        let others = [&a, &b].map(|lab| {
            let (lab, commits) = (lab.clone(), commits.clone());
            thread::spawn(move || {
                for _ in 0..2 {
                    lab.send(one_more(&commits)).unwrap();
                }
            })
        });
        let first = theater.coordinate(|co| co.send(&a, take_and_pass(10, refs([&b]))));
        let looked = theater.coordinate(|co| {
            co.send(&a, Do::look(0));
            co.send(&b, Do::look(0));
        });
        assert_eq!((wait(first), wait(looked)), (Ok(()), Ok(())));
        others.into_iter().for_each(|thread| thread.join().unwrap());
        commits.wait_for(4);
        drop((a, b));
        end(theater);
        assert_eq!(firsts(&commons), [2 - 10, 2 + 10]);
        let seen = commits.all();
        assert!(seen.iter().all(|(_, value)| (1..=2).contains(&value.rem_euclid(10))), "{seen:?}");
    });
}

/// Adds one to the first variable.
fn one_more(commits: &Arc<Commits>) -> Do {
    let commits = commits.clone();
    Do::update(move |lab, tx, _| {
        let seen = lab.add(tx, 0, 1)?;
        let commits = commits.clone();
        tx.on_commit(move || commits.add(0, seen));
        Ok(seen)
    })
}

/// Transfers between the same actors in opposite orders, begun by several threads, and looks at
/// both at one moment.
#[test]
fn s28_transactions_in_crossing_orders() {
    check_with_priorities(2_000, || {
        let theater = Arc::new(theater());
        let ([a, b], commons) = labs::<2>(&theater);
        let threads = [(a.clone(), b.clone()), (b.clone(), a.clone())].map(|(from, to)| {
            let theater = theater.clone();
            thread::spawn(move || {
                let outcomes = [1, 2].map(|n| transfer(&theater, &from, &to, n));
                outcomes.map(wait)
            })
        });
        let sums = Arc::new(Commits::default());
        let look = theater.coordinate(|co| co.send(&a, sum(&sums, 0, refs([&b]))));
        assert_eq!(wait(look), Ok(()));
        for thread in threads {
            assert_eq!(thread.join().unwrap(), [Ok(()), Ok(())]);
        }
        drop((a, b));
        end(Arc::into_inner(theater).unwrap());
        assert_eq!(sums.of(0), [0], "of different moments");
        assert_eq!(firsts(&commons), [0, 0]);
    });
}

/// Adds up the first variables of several actors.
fn sum(sums: &Arc<Commits>, so_far: i64, mut rest: Vec<ActorRef<Do>>) -> Do {
    let (next, sums) = (rest.pop(), sums.clone());
    Do::with(Access::Snapshot, move |lab, tx, ctx| {
        let sum_here = so_far + lab.vars[0].get(tx)?;
        let sums = sums.clone();
        match &next {
            Some(next) => ctx.join(next, sum(&sums, sum_here, rest.clone())),
            None => tx.on_commit(move || sums.add(0, sum_here)),
        }
        Ok(sum_here)
    })
}

/// Messages that join transactions, round a circle of three in both directions.
#[test]
fn s28_joins_in_crossing_orders() {
    check_with_priorities(2_000, || {
        let theater = theater();
        let ([a, b, c], commons) = labs::<3>(&theater);
        let ways = [refs([&a, &c, &b]), refs([&b, &c, &a])];
        let outcomes = [&a, &b].into_iter().zip(ways).zip([1, 10]).map(|((first, way), n)| {
            theater.coordinate(|co| co.send(first, take_and_pass(n, way)))
        });
        let outcomes: Vec<_> = outcomes.collect();
        // And two that begin as plain messages.
        a.send(take_and_pass(100, refs([&b]))).unwrap();
        b.send(take_and_pass(100, refs([&a]))).unwrap();
        let last_ones = transfer(&theater, &c, &a, 1_000);
        let outcomes = outcomes.into_iter().chain([last_ones]);
        outcomes.for_each(|outcome| assert_eq!(wait(outcome), Ok(())));
        drop((a, b, c));
        end(theater);
        assert_eq!(firsts(&commons), [1_000, 0, -1_000]);
    });
}

/// A transaction with a deadline, and one of which a participant fails: each has taken place
/// everywhere or nowhere.
#[test]
fn s28_deadlines_and_failures() {
    check_with_priorities(2_000, || {
        let theater = theater();
        let ([a, b], commons) = labs::<2>(&theater);
        let limited = theater.coordinate(|co| {
            co.send(&a, take_and_pass(1, refs([&b])));
            co.send(&b, add(1, 1));
            co.deadline(Duration::from_nanos(random(300_000) as u64));
        });
        let panics = random(2) == 0;
        let failing = theater.coordinate(|co| {
            co.send(&b, add(0, -10));
            co.send(&a, fails(panics));
        });
        let other = transfer(&theater, &b, &a, 100);
        let limited = wait(limited);
        assert!(matches!(limited, Ok(()) | Err(CoordinationError::Deadline)), "{limited:?}");
        assert!(matches!(wait(failing), Err(CoordinationError::Failed { .. })));
        assert_eq!(wait(other), Ok(()));
        drop((a, b));
        end(theater);
        let moved = i64::from(limited.is_ok());
        assert_eq!(firsts(&commons), [100 - moved, moved - 100]);
        assert_eq!(last(&commons[1])[1], moved);
    });
}

fn fails(panics: bool) -> Do {
    Do::update(move |lab, tx, _| {
        lab.add(tx, 0, 10)?;
        if panics {
            silent_panic("as asked");
        }
        fail("as asked")
    })
}

/// A transaction whose second handler waits for what another one will bring, and exclusive messages
/// that wait until no variables are protected.
#[test]
fn s28_waiting_for_a_change_and_exclusive_messages() {
    check_with_priorities(2_000, || {
        let theater = Arc::new(theater());
        let ([a, b], commons) = labs::<2>(&theater);
        // Of a sender of its own, whose next messages would wait for it.
        let waiting = thread::spawn({
            let (theater, a, b) = (theater.clone(), a.clone(), b.clone());
            move || {
                wait(theater.coordinate(|co| {
                    co.send(&a, add(0, -1));
                    co.send(&b, covered(1));
                }))
            }
        });
        let exclusive = [&a, &b].map(|lab| {
            let lab = lab.clone();
            thread::spawn(move || lab.send(alone()).unwrap())
        });
        let bringing = theater.coordinate(|co| co.send(&a, take_and_pass(10, refs([&b]))));
        assert_eq!((wait(bringing), waiting.join().unwrap()), (Ok(()), Ok(())));
        exclusive.into_iter().for_each(|thread| thread.join().unwrap());
        drop((a, b));
        end(Arc::into_inner(theater).unwrap());
        assert_eq!(firsts(&commons), [-11, 11]);
        assert_eq!(commons.each_ref().map(|common| last(common)[2]), [1, 1]);
    });
}

/// Waits until the first variable is above zero, and adds `n`. In the order of arrival a message of
/// a transaction may wait, for that has its place where it runs.
fn covered(n: i64) -> Do {
    Do::update(move |lab, tx, _| {
        if lab.vars[0].get(tx)? <= 0 {
            tx.retry()?;
        }
        lab.add(tx, 0, n)
    })
}

/// Adds one to the third variable, while nothing else runs.
fn alone() -> Do {
    Do::with(Access::Exclusive, |lab, tx, _| lab.add(tx, 2, 1))
}

/// Actors end while transactions are under way: each has an outcome, and has taken place everywhere
/// or nowhere.
#[test]
fn s28_actors_that_end_in_the_middle() {
    check_with_priorities(6_000, || {
        let theater = theater();
        let ([a, b, c], commons) = labs::<3>(&theater);
        let ender = thread::spawn({
            let (b, way) = (b.clone(), random(3));
            move || match way {
                0 => b.stop(),
                1 => drop(b.send(last_one())),
                _ => {}
            }
        });
        let outcomes = [
            theater.coordinate(|co| co.send(&a, take_and_pass(1, refs([&c, &b])))),
            transfer(&theater, &b, &a, 10),
            theater.coordinate(|co| {
                co.send(&c, add(0, -100));
                co.send(&b, last_one());
                co.send(&a, add(0, 100));
            }),
        ];
        let moved = outcomes.map(|outcome| match wait(outcome) {
            Ok(()) => 1,
            Err(CoordinationError::Stopped) => 0,
            other => panic!("{other:?}"),
        });
        ender.join().unwrap();
        drop((a, b, c));
        end(theater);
        let [a, b, c] = firsts(&commons);
        let [first, second, third] = moved;
        assert_eq!([a, c], [10 * second - first + 100 * third, first - 100 * third]);
        assert_eq!(b, -10 * second);
    });
}

/// Asks for the end of its actor.
fn last_one() -> Do {
    Do::update(|_, _, ctx| {
        ctx.stop();
        Ok(0)
    })
}
