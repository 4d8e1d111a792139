//! S28: what handlers join to a transaction.

use crate::support::{Common, Do, Lab, ask, result};
use odeon_core::{ActorRef, Theater};
use odeon_speculative::{Delivery, Ordering, Processing, SpawnSpeculative};
use odeon_testkit::Deterministic;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

/// Joins `count` messages to `to`.
fn join_many(to: ActorRef<Do>, count: usize) -> Do {
    Do::update(move |lab, tx, ctx| {
        (0..count).for_each(|_| ctx.join(&to, Do::increment(1)));
        lab.add(tx, 0, 1)
    })
}

/// They are of one lane, and come to the board together.
#[test]
fn s28_a_handler_joins_several_messages_to_one_actor() {
    for processing in [
        Processing::sequential(),
        Processing::concurrent().width(3),
        Processing::sequential().non_blocking(),
        Processing::concurrent().non_blocking().width(3),
        Processing::concurrent().non_blocking().width(3).ordering(Ordering::Mailbox),
    ] {
        for count in 1..=12 {
            let run = Deterministic::new(count as u64);
            let lab = || {
                let lab = Lab::new(&Arc::new(Common::default()));
                run.theater().spawn_speculative(lab, processing.clone())
            };
            let (here, there) = (lab(), lab());
            let answer = ask(&here, join_many(there.actor_ref(), count));
            run.run_steps(1_000);
            assert_eq!(answer.wait_timeout(Duration::ZERO), Ok(1), "{count}, {processing:?}");
            let joined = ask(&there, Do::look(1));
            run.run_steps(1_000);
            assert_eq!(joined.wait_timeout(Duration::ZERO), Ok(count as i64));
        }
    }
}

#[test]
fn s28_a_joined_message_may_be_delivered_later_and_is_missed_if_it_never_is() {
    for processing in [Processing::sequential(), Processing::concurrent().non_blocking().width(3)] {
        let name = format!("{processing:?}");
        let theater = Theater::builder().workers(2).build().unwrap();
        let lab = || {
            theater.spawn_speculative(Lab::new(&Arc::new(Common::default())), processing.clone())
        };
        let labs = [lab(), lab()];
        let (carry, carried) = channel::<Delivery>();
        let postman = thread::spawn(move || {
            for delivery in carried {
                thread::sleep(Duration::from_millis(1));
                delivery.deliver();
            }
        });
        let to_second = |carry: Option<Sender<Delivery>>| {
            let second = labs[1].actor_ref();
            Do::update(move |lab, tx, ctx| {
                let carry = carry.clone();
                ctx.join_via(&second, Do::increment(0), move |delivery| match carry {
                    Some(carry) => carry.send(delivery).unwrap(),
                    None => drop(delivery),
                });
                lab.add(tx, 0, 1)
            })
        };
        let both: Vec<_> = (0..20).map(|_| ask(&labs[0], to_second(Some(carry.clone())))).collect();
        for answer in both {
            answer.wait().unwrap();
        }
        assert_eq!(result(&labs[1], Do::look(0)), Ok(20), "{name}");
        assert!(ask(&labs[0], to_second(None)).wait().is_err(), "{name}: it is lost");
        let sums = [&labs[0], &labs[1]].map(|lab| result(lab, Do::increment(0)));
        assert_eq!(sums, [Ok(21), Ok(21)], "{name}: neither has seen it");
        drop(carry);
        postman.join().unwrap();
    }
}
