//! S24, S15, S21: messages that come one by one to an actor with several inboxes, which is idle
//! between them.

use crate::support::account::{divided, lab_by, supervised_lab_by};
use crate::support::{Do, Linked, ToLinked, ask, result};
use odeon_core::extend::as_numbered_sender;
use odeon_core::{Access, ActorRef, Supervision, Theater};
use odeon_speculative::Processing;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

fn theater() -> Theater {
    Theater::builder().workers(3).build().unwrap()
}

/// Until a shard is idle between two messages that it knows to be short.
fn one_by_one(lab: &ActorRef<Do>, messages: usize) {
    for _ in 0..messages {
        result(lab, Do::increment(0)).unwrap();
    }
}

#[track_caller]
fn soon(is_so: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < until, "never");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn s21_messages_that_come_one_by_one_are_all_counted() {
    for processing in divided() {
        let theater = theater();
        let (lab, _) = lab_by(&theater, &processing);
        for messages in 1..=600_u64 {
            as_numbered_sender(messages % 2, || one_by_one(&lab, 1));
            if messages % 7 == 0 {
                // It is answered before it is counted.
                soon(|| lab.speculation().commits == messages);
                // One that comes before the one before it is over has waited.
                assert!(lab.speculation().lane_waits <= 1 + messages / 2);
            }
        }
        assert!(lab.speculation().lanes_at_most >= 1);
    }
}

/// Nothing comes to its shards that would have them look.
#[test]
fn s15_an_idle_actor_that_is_made_anew_lets_go_of_its_state() {
    for processing in divided() {
        let theater = theater();
        let (lab, common) = supervised_lab_by(&theater, &processing, Supervision::new());
        let linked = theater.spawn(Linked(lab.actor_ref()));
        linked.ask(ToLinked::Hear).wait().unwrap();
        for sender in 0..4 {
            as_numbered_sender(sender, || one_by_one(&lab, 50));
        }
        linked.send(ToLinked::Fail).unwrap();
        soon(|| common.lives.load(SeqCst) == 2 && common.drops.load(SeqCst) == 1);
        // The new state has the count of its own life only.
        as_numbered_sender(1, || one_by_one(&lab, 1));
        assert_eq!(result(&lab, Do::look(0)), Ok(1), "{processing:?}");
    }
}

#[test]
fn s11_an_idle_actor_that_nobody_refers_to_ends() {
    for processing in divided() {
        let theater = theater();
        let (lab, common) = lab_by(&theater, &processing);
        as_numbered_sender(1, || one_by_one(&lab, 50));
        drop(lab);
        soon(|| common.drops.load(SeqCst) == 1);
        assert_eq!(common.stops.load(SeqCst), 1);
    }
}

/// What needs the actor to itself, or another width, finds it idle, with a place that is kept.
#[test]
fn s24_s25_one_by_one_among_messages_of_all_kinds() {
    for start in divided() {
        let theater = theater();
        let (lab, common) = lab_by(&theater, &start);
        let mut expected = 0;
        for round in 0..400_u64 {
            as_numbered_sender(round % 3, || one_by_one(&lab, 1 + round as usize % 3));
            expected += 1 + round as i64 % 3;
            match round % 5 {
                0 => {
                    let alone = Do::with(Access::Exclusive, |lab, tx, _| {
                        assert_eq!(lab.common.running.load(SeqCst), 1, "beside it");
                        lab.add(tx, 0, 1)
                    });
                    result(&lab, alone).unwrap();
                    expected += 1;
                }
                1 => {
                    let both = [7, 8]
                        .map(|sender| as_numbered_sender(sender, || ask(&lab, Do::increment(0))));
                    both.into_iter().for_each(|asked| _ = asked.wait().unwrap());
                    expected += 2;
                }
                2 => {
                    let widths = [1, 4, 2];
                    let width = widths[round as usize / 5 % 3];
                    lab.set_processing(Processing::concurrent().width(width));
                }
                3 => {
                    lab.call(|reply| Do::increment(0).answering(reply)).wait().unwrap();
                    expected += 1;
                }
                _ => {}
            }
            assert_eq!(result(&lab, Do::look(0)), Ok(expected), "round {round} of {start:?}");
        }
        assert_eq!(common.lives.load(SeqCst), 1);
    }
}
