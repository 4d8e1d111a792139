//! S31: a reference leads to its actor from everywhere, and messages come to it once and in order.

mod support;

use odeon_core::AskError;
use odeon_theater::{Conditions, RemoteError};
use std::time::Duration;
use support::{Count, Counter, LONG, World, find, numbers, until};

#[test]
fn s31_messages_come_once_and_in_order() {
    let world = World::new(1);
    let (a, b) = (world.theater(1), world.theater(2));
    b.network.publish("counter", &b.theater.spawn(Counter::default()));
    let counter = find(&a, &b, "counter");
    for n in 0..10_000 {
        counter.send(Count::Add(n)).unwrap();
    }
    assert_eq!(numbers(&counter), (0..10_000).collect::<Vec<_>>());
}

#[test]
fn s31_messages_come_once_and_in_order_by_a_bad_network() {
    let world = World::new(2);
    let (a, b) = (world.theater(1), world.theater(2));
    world.net.set_everywhere(Conditions {
        delay: (Duration::ZERO, Duration::from_millis(3)),
        loss: 0.2,
        duplication: 0.2,
        ..Conditions::GOOD
    });
    b.network.publish("counter", &b.theater.spawn(Counter::default()));
    let counter = find(&a, &b, "counter");
    for n in 0..3_000 {
        counter.send(Count::Add(n)).unwrap();
        if n % 100 == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    assert_eq!(numbers(&counter), (0..3_000).collect::<Vec<_>>());
}

#[test]
fn s31_a_question_is_answered_from_elsewhere_or_the_asker_learns_that_it_is_not() {
    let world = World::new(3);
    let (a, b) = (world.theater(1), world.theater(2));
    b.network.publish("counter", &b.theater.spawn(Counter::default()));
    let counter = find(&a, &b, "counter");
    assert_eq!(numbers(&counter), []);
    assert_eq!(counter.ask(Count::Forget).wait_timeout(LONG), Err(AskError::NoReply));
    assert_eq!(
        counter.ask(Count::Forget).wait_timeout(Duration::ZERO).unwrap_err(),
        AskError::Timeout
    );
}

#[test]
fn s31_a_reference_that_comes_home_leads_to_the_actor_itself() {
    let world = World::new(4);
    let (a, b) = (world.theater(1), world.theater(2));
    b.network.publish("there", &b.theater.spawn(Counter::default()));
    let there = find(&a, &b, "there");
    let here = a.theater.spawn(Counter::default());
    let (one, other) = (here.clone(), here.clone());
    assert_eq!(there.ask(|reply| Count::Are(one, other, reply)).wait_timeout(LONG), Ok(true));
    let itself = there.ask(Count::Myself).wait_timeout(LONG).unwrap();
    assert_eq!(itself, there, "one actor stands here for one elsewhere");
    there.send(Count::Send(here.clone(), 7)).unwrap();
    until("the number comes back", || numbers(&here) == [7]);
}

#[test]
fn s31_a_reference_handed_on_to_a_third_theater_leads_to_its_actor_and_keeps_it() {
    let world = World::new(5);
    let (a, b, c) = (world.theater(1), world.theater(2), world.theater(3));
    b.network.publish("b", &b.theater.spawn(Counter::default()));
    c.network.publish("c", &c.theater.spawn(Counter::default()));
    let (at_b, at_c) = (find(&a, &b, "b"), find(&a, &c, "c"));
    // `a` tells `c` of an actor of `b`.
    at_c.send(Count::Send(at_b.clone(), 3)).unwrap();
    until("the number comes to b", || numbers(&at_b) == [3]);
    // The right to answer is handed on as well: the question comes from `a`, goes to `b`, and is answered by `c`.
    let to_c = at_c.clone();
    let answer = at_b.ask(|reply| Count::HandOn(to_c, reply));
    assert_eq!(answer.wait_timeout(LONG), Ok(vec![]));
}

#[test]
fn s31_references_are_given_back() {
    let world = World::new(6);
    let (a, b, c) = (world.theater(1), world.theater(2), world.theater(3));
    b.network.publish("b", &b.theater.spawn(Counter::default()));
    c.network.publish("c", &c.theater.spawn(Counter::default()));
    let (at_b, at_c) = (find(&a, &b, "b"), find(&a, &c, "c"));
    for n in 0..100 {
        let here = a.theater.spawn(Counter::default());
        at_c.send(Count::Send(at_b.clone(), n)).unwrap();
        at_c.send(Count::Send(here, n)).unwrap();
    }
    until("all have come", || numbers(&at_b).len() == 100);
    assert_eq!(numbers(&at_b), (0..100).collect::<Vec<_>>());
    drop((at_b, at_c));
    b.network.unpublish("b");
    c.network.unpublish("c");
    for place in [&a, &b, &c] {
        until("nobody refers to anybody", || place.network.references() == (0, 0));
        until("actors go that nobody refers to", || place.theater.live_actors() == 0);
    }
}

#[test]
fn s31_what_is_not_there_is_said() {
    let world = World::new(7);
    let (a, b) = (world.theater(1), world.theater(2));
    let there = a.network.at(b.network.id());
    assert_eq!(there.lookup::<Count>("x").wait_timeout(LONG).unwrap(), Err(RemoteError::NotFound));
    let counter = b.theater.spawn(Counter::default());
    b.network.publish("x", &counter);
    let other = there.lookup::<u32>("x").wait_timeout(LONG).unwrap();
    assert!(matches!(other, Err(RemoteError::OtherMessages(_))), "{other:?}");
    let unknown = there.spawn::<_, Count>("counter", &()).unwrap().wait_timeout(LONG).unwrap();
    assert_eq!(unknown, Err(RemoteError::UnknownKind));
}

#[test]
fn s31_actors_are_created_elsewhere() {
    let world = World::new(8);
    let (a, b) = (world.theater(1), world.theater(2));
    let builder = b.theater.spawn(Counter::default());
    drop(builder);
    let spawner = std::sync::Arc::new(b.theater);
    let spawns = spawner.clone();
    b.network.register("counter", move |numbers: Vec<u64>| {
        assert!(numbers.len() < 3, "too many");
        spawns.spawn(Counter { numbers })
    });
    let there = a.network.at(b.network.id());
    let new = there.spawn::<_, Count>("counter", &vec![1_u64, 2]).unwrap();
    let new = new.wait_timeout(LONG).unwrap().unwrap();
    new.send(Count::Add(3)).unwrap();
    assert_eq!(numbers(&new), [1, 2, 3]);
    let fails = there.spawn::<_, Count>("counter", &vec![0_u64; 3]).unwrap();
    assert_eq!(fails.wait_timeout(LONG).unwrap(), Err(RemoteError::Panicked));
    let misread = there.spawn::<_, Count>("counter", &()).unwrap();
    let misread = misread.wait_timeout(LONG).unwrap();
    assert!(matches!(misread, Err(RemoteError::Arguments(_))), "{misread:?}");
}
