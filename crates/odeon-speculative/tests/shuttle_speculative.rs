//! Speculative actors in whole small theaters under random schedules: lanes are handed over, the
//! mode changes under load, attempts are made ahead, actors end in the middle. What is lost shows
//! as a deadlock, what is handled twice or out of order in the sums. Run by `ci/shuttle.sh`.

use crate::shuttle_support::*;
use crate::support::Do;
use odeon_core::{ActorRef, Reply};
use odeon_speculative::{Coordinate, Ordering, Processing};
use odeon_stm::{TVar, atomically};
use odeon_sync::schedules::check_with_priorities;
use odeon_sync::{Mutex, thread};
use std::sync::Arc;

/// Two threads send steps to one actor, whose processing another one changes meanwhile.
fn steps_while_the_processing_changes(first: Processing, next: fn() -> Processing) {
    let theater = theater();
    let (lab, common) = lab(&theater, first);
    let commits = Arc::new(Commits::default());
    let senders = [0, 1].map(|sender| {
        let (lab, commits) = (lab.clone(), commits.clone());
        thread::spawn(move || (1..=4).for_each(|n| lab.send(step(&commits, sender, n)).unwrap()))
    });
    for _ in 0..3 {
        lab.set_processing(next());
        thread::yield_now();
    }
    senders.into_iter().for_each(|sender| sender.join().unwrap());
    commits.wait_for(8);
    drop(lab);
    end(theater);
    for sender in [0, 1] {
        assert_eq!(commits.of(sender), [1, 2, 3, 4], "sender {sender}");
    }
    let last = last(&common);
    assert_eq!([last[0], last[1], last[7]], [4, 4, 8]);
}

#[test]
fn s25_lanes_are_handed_over_while_the_width_changes() {
    check_with_priorities(2_000, || {
        let width = || Processing::concurrent().width(1 + random(3));
        steps_while_the_processing_changes(width(), width);
    });
}

#[test]
fn s24_the_mode_changes_under_load() {
    check_with_priorities(2_000, || {
        steps_while_the_processing_changes(some_processing(), some_processing)
    });
}

/// Two threads send steps while a third one has the two sums of different actors changed together,
/// and the mode changes.
#[test]
fn s24_s28_the_mode_changes_under_coordinated_transactions() {
    check_with_priorities(2_000, || {
        let theater = theater();
        let [(a, a_common), (b, b_common)] = [0, 1].map(|_| lab(&theater, some_processing()));
        let commits = Arc::new(Commits::default());
        let senders = [0, 1].map(|sender| {
            let (lab, commits) = ([&a, &b][sender].clone(), commits.clone());
            thread::spawn(move || {
                (1..=2).for_each(|n| lab.send(step(&commits, sender, n)).unwrap())
            })
        });
        let changer = thread::spawn({
            let labs = [a.clone(), b.clone()];
            move || {
                for _ in 0..3 {
                    labs[random(2)].set_processing(some_processing());
                    thread::yield_now();
                }
            }
        });
        for n in [1, 10] {
            let outcome = theater.coordinate(|co| {
                co.send(&a, add(7, -n));
                co.send(&b, add(7, n));
            });
            assert_eq!(wait(outcome), Ok(()));
        }
        senders.into_iter().chain([changer]).for_each(|thread| thread.join().unwrap());
        commits.wait_for(4);
        drop((a, b));
        end(theater);
        let [a, b] = [last(&a_common), last(&b_common)];
        assert_eq!([a[0], a[7], b[1], b[7]], [2, 2 - 11, 2, 2 + 11]);
    });
}

/// With attempts ahead, that write, read or fail: what commits does so in the order of arrival.
#[test]
fn s25_the_order_of_arrival_is_kept_with_attempts_ahead() {
    check_with_priorities(2_000, || {
        let theater = theater();
        let in_order = Processing::concurrent().width(2 + random(2)).ordering(Ordering::Mailbox);
        let (lab, common) = lab(&theater, in_order);
        let commits = Arc::new(Commits::default());
        let senders = [0, 1].map(|sender| {
            let (lab, commits) = (lab.clone(), commits.clone());
            thread::spawn(move || (1..=3).for_each(|n| lab.send(sum(&commits, sender, n)).unwrap()))
        });
        for _ in 0..2 {
            lab.set_processing(some_processing());
            thread::yield_now();
        }
        let one_more = theater.coordinate(|co| co.send(&lab, add(7, 100)));
        assert_eq!(wait(one_more), Ok(()));
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        commits.wait_for(6);
        drop(lab);
        end(theater);
        // What each one has seen is what is there when all before it are over.
        let seen: Vec<i64> = commits.all().iter().map(|of| of.1 % 100).collect();
        assert_eq!(seen, [1, 2, 3, 4, 5, 6]);
        for sender in [0, 1] {
            let numbers: Vec<i64> = commits.of(sender).iter().map(|told| told / 1_000).collect();
            assert_eq!(numbers, [1, 2, 3], "sender {sender}");
        }
        assert_eq!(last(&common)[7], 106);
    });
}

/// The `n`th message of a sender: adds one to the last variable, and tells what that is then, and a
/// thousand times `n`.
fn sum(commits: &Arc<Commits>, sender: usize, n: i64) -> Do {
    let commits = commits.clone();
    Do::update(move |lab, tx, _| {
        let seen = lab.add(tx, 7, 1)?;
        let commits = commits.clone();
        tx.on_commit(move || commits.add(sender, 1_000 * n + seen));
        Ok(seen)
    })
}

/// Two actors send each other, and threads send to both, more than a mailbox holds in a model.
#[test]
fn s17_s25_senders_that_are_held_back_go_on() {
    check_with_priorities(2_000, || {
        let theater = theater();
        let [(a, a_common), (b, b_common)] = [0, 1].map(|_| lab(&theater, some_processing()));
        let commits = Arc::new(Commits::default());
        let senders = [(0, &a, &b), (1, &b, &a)].map(|(sender, to, other)| {
            let (to, other, commits) = (to.clone(), other.actor_ref(), commits.clone());
            thread::spawn(move || {
                for n in 1..=4 {
                    to.send(step_there_too(&commits, sender, n, other.clone())).unwrap();
                }
            })
        });
        let both = theater.coordinate(|co| {
            co.send(&b, add(6, 1));
            co.send(&a, add(6, 1));
        });
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        assert_eq!(wait(both), Ok(()));
        commits.wait_for(8);
        drop((a, b));
        end(theater);
        for sender in [0, 1] {
            assert_eq!(commits.of(sender), [1, 2, 3, 4], "sender {sender}");
        }
        let [a, b] = [last(&a_common), last(&b_common)];
        assert_eq!([a[0], a[1], a[6], b[0], b[1], b[6]], [4, 4, 1, 4, 4, 1]);
    });
}

/// Adds one to the sender's variable, and has the other actor do the same, which tells.
fn step_there_too(commits: &Arc<Commits>, sender: usize, n: i64, other: ActorRef<Do>) -> Do {
    let commits = commits.clone();
    Do::update(move |lab, tx, _| {
        let sum = lab.add(tx, sender, 1)?;
        drop(other.send(step(&commits, sender, n)));
        Ok(sum)
    })
}

/// One message waits for what a transaction outside of the actor changes, and behind it its
/// sender's next ones; those of another sender go on.
#[test]
fn s24_s26_what_waits_for_a_change_goes_on() {
    check_with_priorities(2_000, || {
        let theater = theater();
        let (lab, common) =
            lab(&theater, Processing::concurrent().non_blocking().width(1 + random(3)));
        let commits = Arc::new(Commits::default());
        // For ever: handlers refer to it.
        let outside: &'static TVar<i64> = Box::leak(Box::new(TVar::new(0)));
        let senders = [0, 1].map(|sender| {
            let (lab, commits) = (lab.clone(), commits.clone());
            thread::spawn(move || {
                if sender == 0 {
                    lab.send(waits_for(outside)).unwrap();
                }
                (1..=2).for_each(|n| lab.send(step(&commits, sender, n)).unwrap());
            })
        });
        lab.set_processing(some_processing());
        senders.into_iter().for_each(|thread| thread.join().unwrap());
        commits.wait_for(2);
        assert!(commits.of(0).is_empty(), "overtaken");
        atomically(|tx| outside.set(tx, 1));
        commits.wait_for(4);
        drop(lab);
        end(theater);
        let last = last(&common);
        assert_eq!([last[0], last[1], last[6], last[7]], [2, 2, 1, 4]);
    });
}

fn waits_for(outside: &'static TVar<i64>) -> Do {
    Do::update(move |lab, tx, _| {
        if outside.get(tx)? == 0 {
            tx.retry()?;
        }
        lab.add(tx, 6, 1)
    })
}

/// A step that answers when it has committed.
fn called(commits: &Arc<Commits>, sender: usize, n: i64, reply: Reply<()>) -> Do {
    let (commits, reply) = (commits.clone(), Arc::new(Mutex::new(Some(reply))));
    Do::update(move |lab, tx, _| {
        let seen = lab.add(tx, sender, 1)?;
        lab.add(tx, 7, 1)?;
        let (commits, reply) = (commits.clone(), reply.clone());
        tx.on_commit(move || {
            commits.add(sender, if seen == n { n } else { -n });
            reply.lock().unwrap().take().expect("a step commits once").send(());
        });
        Ok(seen)
    })
}

/// Callers handle their own messages, beside senders, while the mode changes.
#[test]
fn s42_s25_callers_enter_and_leave_while_the_mode_changes() {
    check_with_priorities(3_000, || {
        let theater = theater();
        let (lab, common) = lab(&theater, Processing::concurrent().width(2 + random(2)));
        let commits = Arc::new(Commits::default());
        let threads: Vec<_> = (0..3)
            .map(|sender| {
                let (lab, commits) = (lab.clone(), commits.clone());
                thread::spawn(move || {
                    for n in 1..=3 {
                        if sender == 2 && n < 3 {
                            lab.send(step(&commits, sender, n)).unwrap();
                            continue;
                        }
                        let call = lab.call(|reply| called(&commits, sender, n, reply));
                        shuttle::future::block_on(call).unwrap();
                    }
                })
            })
            .collect();
        for _ in 0..2 {
            lab.set_processing(some_processing());
            thread::yield_now();
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        drop(lab);
        end(theater);
        for sender in 0..3 {
            assert_eq!(commits.of(sender), [1, 2, 3], "sender {sender}");
        }
        assert_eq!(last(&common)[7], 9);
    });
}
