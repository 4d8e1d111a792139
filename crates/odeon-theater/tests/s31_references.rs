//! S31: a reference leads to its actor from everywhere, and messages come to it once and in order.

use super::support::{Count, Counter, LARGEST_PACKET, LONG, World, find, numbers, until};
use odeon_core::{ActorRef, AskError, DeadLetterReason, Supervision, extend};
use odeon_theater::{Conditions, LinkConfig, RemoteError};
use std::time::Duration;

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
    assert!(numbers(&counter).is_empty());
    assert_eq!(counter.ask(Count::Forget).wait_timeout(LONG), Err(AskError::NoReply));
    // So that it is not known so soon.
    world.net.cut(a.network.id(), b.network.id());
    assert_eq!(
        counter.ask(Count::Forget).wait_timeout(Duration::ZERO).unwrap_err(),
        AskError::Timeout
    );
}

#[test]
fn s31_who_asks_an_actor_elsewhere_that_fails_is_told_why() {
    let world = World::new(3);
    let places = [1, 2, 3].map(|number| world.theater(number));
    let [a, b, c] = &places;
    for place in [b, c] {
        let counter = place
            .theater
            .actor()
            .supervised(Supervision::new().restarts(100, LONG))
            .spawn(Counter::default);
        place.network.publish("counter", &counter);
    }
    let (at_b, at_c) = (find(a, b, "counter"), find(a, c, "counter"));
    let ask = |to: Option<&ActorRef<Count>>, why: &str| {
        let asked = at_b.ask(|reply| Count::FailOver(to.cloned(), why.into(), reply));
        asked.wait_timeout(LONG).unwrap_err()
    };
    assert_eq!(ask(None, "not covered"), AskError::Failed("not covered".into()));
    assert_eq!(ask(Some(&at_c), "far away"), AskError::Failed("far away".into()));
    // By a theater between that hands the right to answer back to where it comes from.
    let here = a.theater.spawn(Counter::default());
    assert_eq!(ask(Some(&here), "at home"), AskError::Failed("at home".into()));
    let long = "ä".repeat(1_000);
    assert_eq!(ask(None, &long).failure(), Some(&long[..1_024]));
    assert_eq!(at_b.ask(Count::Forget).wait_timeout(LONG), Err(AskError::NoReply));
    assert!(numbers(&at_b).is_empty(), "it goes on");
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
    // The right to answer is handed on as well: the question comes from `a`, goes to `b`, and is
    // answered by `c`.
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
        // But for those that transmit to the two others.
        until("actors go that nobody refers to", || place.theater.live_actors() == 2);
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

#[test]
fn s31_who_creates_actors_may_refuse() {
    let world = World::new(15);
    let (a, b) = (world.theater(1), world.theater(2));
    let spawner = std::sync::Arc::new(b.theater);
    let spawns = spawner.clone();
    b.network.register_version("counter", 2, move |numbers: Vec<u64>| match numbers.len() {
        0..3 => Ok(spawns.spawn(Counter { numbers })),
        many => Err(format!("{many} are too many")),
    });
    let created = |version, numbers: Vec<u64>| {
        let there = a.network.at(b.network.id()).version(version);
        let asked = there.spawn::<_, Count>("counter", &numbers).unwrap();
        asked.wait_timeout(LONG).unwrap()
    };
    assert_eq!(numbers(&created(2, vec![1, 2]).unwrap()), [1, 2]);
    let refused = created(2, vec![0; 3]).unwrap_err();
    assert_eq!(refused, RemoteError::Refused("3 are too many".into()));
    assert_eq!(refused.to_string(), "the theater does not create it: 3 are too many");
    for other in [0, 1, 3] {
        let refused = created(other, vec![0; 3]);
        assert_eq!(refused, Err(RemoteError::OtherVersion { here: 2 }));
    }
}

#[test]
fn s31_no_actor_is_made_for_whoever_expects_other_messages() {
    let world = World::new(16);
    let (a, b) = (world.theater(1), world.theater(2));
    let spawner = std::sync::Arc::new(b.theater);
    let spawns = spawner.clone();
    let made = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counts = made.clone();
    b.network.register("counter", move |()| {
        counts.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        spawns.spawn(Counter::default())
    });
    let there = a.network.at(b.network.id());
    let strange = there.spawn::<_, u32>("counter", &()).unwrap().wait_timeout(LONG).unwrap();
    assert!(matches!(strange, Err(RemoteError::OtherMessages(_))), "{strange:?}");
    assert_eq!(made.load(std::sync::atomic::Ordering::SeqCst), 0);
}

#[test]
fn s31_a_reference_given_back_does_not_overtake_what_was_sent_by_it() {
    let world = World::new(9);
    let (a, b) = (world.theater(1), world.theater(2));
    let slow = b.theater.spawn(Counter::default());
    for round in 0..3 {
        b.network.publish("slow", &slow);
        let from_a = find(&a, &b, "slow");
        b.network.unpublish("slow");
        from_a.send(Count::Sleep(100)).unwrap();
        for _ in 0..150_000 {
            from_a.send(Count::Add(round)).unwrap();
        }
        // Of a size that goes in fragments, with the only reference to an actor of `a` behind it.
        from_a.send(Count::Bytes(vec![0; 3_000_000])).unwrap();
        let asked = from_a.ask(Count::All);
        drop(from_a);
        let heard = asked.wait_timeout(LONG).unwrap();
        let of_round = heard.iter().filter(|&&number| number == round).count();
        assert_eq!(of_round, 150_000);
        assert_eq!(heard.last(), Some(&3_000_000));
    }
    assert!(b.lost.lock().unwrap().is_empty() && a.lost.lock().unwrap().is_empty());
    until("nobody refers to anybody", || {
        a.network.references() == (0, 0) && b.network.references() == (0, 0)
    });
}

#[test]
fn s31_messages_by_one_reference_after_the_other_stay_in_order() {
    let world = World::new(10);
    let (a, b) = (world.theater(1), world.theater(2));
    b.network.publish("counter", &b.theater.spawn(Counter::default()));
    let there = a.network.at(b.network.id());
    let mut lookups = Vec::new();
    for n in 0..3_000 {
        let next = there.lookup::<Count>("counter");
        lookups.push(next);
        if lookups.len() > 20 {
            let counter = lookups.remove(0).wait_timeout(LONG).unwrap().unwrap();
            counter.send(Count::Add(n)).unwrap();
        }
    }
    let heard = numbers(&find(&a, &b, "counter"));
    assert!(heard.is_sorted() && heard.len() == 2_980, "{} messages", heard.len());
}

#[test]
fn s31_a_reference_to_who_has_ended_already_ends_too() {
    let world = World::new(11);
    let (a, b) = (world.theater(1), world.theater(2));
    let ended = b.theater.spawn(Counter::default());
    b.network.publish("ended", &ended);
    ended.stop();
    until("it has ended", || ended.is_stopped());
    for _ in 0..2 {
        let found = find(&a, &b, "ended");
        until("whoever refers to it knows", || found.is_stopped());
    }
}

#[test]
fn s31_a_question_that_cannot_go_is_not_answered() {
    let config = LinkConfig {
        largest_message: 1 << 20,
        assembly: 1 << 20,
        ..LinkConfig::new("test", LARGEST_PACKET)
    };
    let world = World::with(12, config);
    let (a, b) = (world.theater(1), world.theater(2));
    b.network.publish("counter", &b.theater.spawn(Counter::default()));
    let counter = find(&a, &b, "counter");
    let there = a.network.at(b.network.id());
    let here = a.theater.spawn(Counter::default());
    let large = there.spawn::<_, Count>("counter", &(here, vec![0_u8; 2 << 20])).unwrap();
    assert_eq!(large.wait_timeout(LONG).unwrap_err(), AskError::NoReply);
    assert!(numbers(&counter).is_empty());
    assert_eq!(a.network.references(), (0, 1));
}

#[test]
fn s31_references_of_other_theaters_of_the_process_do_not_go_by_this_one() {
    let world = World::new(13);
    let (a, b) = (world.theater(1), world.theater(2));
    b.network.publish("counter", &b.theater.spawn(Counter::default()));
    let counter = find(&a, &b, "counter");
    let stranger = b.theater.spawn(Counter::default());
    counter.send(Count::Send(stranger, 1)).unwrap();
    until("it is a dead letter", || *a.lost.lock().unwrap() == [DeadLetterReason::Unwritable]);
    assert!(numbers(&counter).is_empty());
}

#[test]
fn s31_what_is_in_arguments_that_nobody_reads_is_given_back() {
    let world = World::new(17);
    let (a, b, c) = (world.theater(1), world.theater(2), world.theater(3));
    b.network.publish("b", &b.theater.spawn(Counter::default()));
    let at_b = find(&a, &b, "b");
    b.network.unpublish("b");
    let there = a.network.at(c.network.id());
    for _ in 0..10 {
        let here = a.theater.spawn(Counter::default());
        let (asker, question) = extend::question::<u64>();
        let arguments = (here, at_b.clone(), asker);
        let created = there.spawn::<_, Count>("nobody", &arguments).unwrap();
        drop(arguments);
        assert_eq!(created.wait_timeout(LONG).unwrap(), Err(RemoteError::UnknownKind));
        assert_eq!(question.wait_timeout(LONG), Err(AskError::NoReply));
    }
    drop(at_b);
    for place in [&a, &b, &c] {
        until("nobody refers to anybody", || place.network.references() == (0, 0));
    }
}
