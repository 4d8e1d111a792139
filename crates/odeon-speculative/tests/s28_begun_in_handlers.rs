//! S28: transactions that handlers begin, in whose lanes what is joined to others has to come past
//! their first messages.

use crate::support::{Common, Do, Lab, ask};
use odeon_core::{ActorRef, Theater};
use odeon_speculative::{
    Access, Coordinate, Ordering, Outcome, Processing, SpawnSpeculative, SpeculativeRef,
};
use odeon_testkit::{Deterministic, for_seeds};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

fn every_processing() -> [Processing; 4] {
    [
        Processing::sequential(),
        Processing::sequential().non_blocking(),
        Processing::concurrent().non_blocking().width(2),
        Processing::concurrent().non_blocking().width(2).ordering(Ordering::Mailbox),
    ]
}

fn labs<const N: usize>(theater: &Theater, processing: &Processing) -> [SpeculativeRef<Do>; N] {
    [(); N].map(|()| {
        theater.spawn_speculative(Lab::new(&Arc::new(Common::default())), processing.clone())
    })
}

/// Joins a message to the first one of these actors, whose handler joins one to the next, and so on
/// to the last one.
fn walk(access: Access, way: Vec<ActorRef<Do>>) -> Do {
    Do::with(access, move |lab, tx, ctx| {
        if let Some((next, rest)) = way.split_first() {
            ctx.join(next, walk(access, rest.to_vec()));
        }
        match access {
            Access::Update => lab.add(tx, 0, 1),
            _ => Ok(lab.vars[0].get(tx)?),
        }
    })
}

/// The first transaction joins a message to an actor where the second one has a message; that is
/// behind the first one at the actor that begins both.
#[test]
fn s28_two_transactions_that_one_actor_begins_do_not_wait_for_each_other() {
    for processing in every_processing() {
        for in_between in [false, true] {
            let run = Deterministic::new(1);
            let [a, b] = labs(run.theater(), &processing);
            let (tell, told) = channel::<Outcome>();
            let (me, other) = (a.actor_ref(), b.actor_ref());
            let begin = Do::update(move |_, _, ctx| {
                let first = ctx.coordinate(|co| {
                    co.send(&me, walk(Access::Update, vec![other.clone()]));
                });
                let second = ctx.coordinate(|co| {
                    co.send(&me, Do::increment(0));
                    co.send(&other, Do::increment(0));
                });
                if in_between {
                    other.send(Do::increment(0)).unwrap();
                }
                [first, second].into_iter().for_each(|outcome| tell.send(outcome).unwrap());
                Ok(0)
            });
            a.send(begin).unwrap();
            run.run_steps(5_000);
            assert!(run.is_idle(), "{processing:?}: they go round in circles");
            let outcomes: Vec<_> =
                told.try_iter().map(|outcome| outcome.wait_timeout(Duration::ZERO)).collect();
            assert_eq!(outcomes, [Some(Ok(())), Some(Ok(()))], "{processing:?}, {in_between}");
            let sums = [&a, &b].map(|lab| ask(lab, Do::look(0)));
            run.run_until_idle();
            let sums = sums.map(|sum| sum.wait());
            assert_eq!(sums, [Ok(2), Ok(2 + i64::from(in_between))], "{processing:?}");
        }
    }
}

/// Walks through actors that begin transactions and send plain messages to each other meanwhile,
/// one of which waits for what another one brings.
#[test]
fn s28_walks_beside_transactions_that_handlers_begin_come_to_an_end() {
    // In the order of arrival a handler must not wait for a change (S25).
    for (processing, waits) in every_processing().into_iter().zip([true, true, true, false]) {
        for_seeds(100, |seed| {
            let run = Deterministic::new(seed);
            let [a, b, c] = labs(run.theater(), &processing);
            let way = [&c, &a, &b].map(|lab| lab.actor_ref()).to_vec();
            let messages = [
                walk(Access::Snapshot, way.clone()),
                walk(Access::Update, way),
                begin(b.actor_ref(), c.actor_ref(), waits),
            ];
            // Each has a sender of its own.
            let asked = messages.map(|message| {
                let a = a.actor_ref();
                thread::spawn(move || ask(&a, message)).join().unwrap()
            });
            run.run_steps(20_000);
            assert!(run.is_idle(), "{processing:?}: they go round in circles");
            for outcome in asked {
                assert!(outcome.wait_timeout(Duration::ZERO).is_ok(), "{processing:?}");
            }
        });
    }
}

/// Begins a transaction of two actors; before that, if it `waits`, sends one of them a message that
/// waits for a change, and the other one what brings it.
fn begin(b: ActorRef<Do>, c: ActorRef<Do>, waits: bool) -> Do {
    Do::update(move |_, _, ctx| {
        if waits {
            b.send(Do::update(|lab, tx, _| match lab.vars[5].get(tx)? {
                0 => Ok(tx.retry()?),
                seen => Ok(seen),
            }))
            .unwrap();
            let b = b.clone();
            c.send(Do::update(move |_, _, _| {
                b.send(Do::increment(5)).unwrap();
                Ok(0)
            }))
            .unwrap();
        }
        drop(ctx.coordinate(|co| {
            co.send(&b, Do::increment(1));
            co.send(&c, Do::increment(1));
        }));
        Ok(0)
    })
}
