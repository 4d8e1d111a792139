//! S32: what follows when an actor elsewhere ends, when its theater is lost, when a receiver is
//! slow.

use super::support::{self, Count, Counter, LARGEST_PACKET, LONG, World, find, numbers, until};
use odeon_core::{AskError, DeadLetterReason, EndReason};
use odeon_theater::{Conditions, End, LinkConfig, Membership, MembershipEvent};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Notices the end of others early; not so early that one that gets no time for a while is taken
/// for dead.
fn hasty() -> LinkConfig {
    LinkConfig {
        heartbeat: Duration::from_millis(50),
        suspect_after: Duration::from_millis(300),
        dead_after: Duration::from_millis(1_500),
        ..LinkConfig::new("test", LARGEST_PACKET)
    }
}

#[test]
fn s32_who_watches_an_actor_elsewhere_is_told_of_its_end() {
    let world = World::new(1);
    let (a, b) = (world.theater(1), world.theater(2));
    let (one, other) = (b.theater.spawn(Counter::default()), b.theater.spawn(Counter::default()));
    b.network.publish("one", &one);
    b.network.publish("other", &other);
    let (tell, told) = mpsc::channel();
    // A watch keeps nobody: an actor here to which nobody refers is gone.
    let kept = ["one", "other"].map(|name| find(&a, &b, name));
    for (number, watched) in kept.iter().enumerate() {
        let tell = tell.clone();
        let _ = watched.on_end(move |ended| tell.send((number, ended.reason())).unwrap());
    }
    one.stop();
    assert_eq!(told.recv_timeout(LONG).unwrap(), (0, EndReason::Stopped));
    other.send(Count::Fail).unwrap();
    assert_eq!(told.recv_timeout(LONG).unwrap(), (1, EndReason::Failed));
    until("both count as stopped", || kept.iter().all(|kept| kept.is_stopped()));
    assert_eq!(kept[0].ask(Count::All).wait_timeout(LONG), Err(AskError::Stopped));
}

#[test]
fn s32_a_lost_theater_is_noticed_and_nothing_waits_for_it() {
    // What is sent behind the crash is sent before that is noticed.
    let world = World::with(2, LinkConfig { dead_after: Duration::from_secs(3), ..hasty() });
    let (a, b) = (world.theater(1), world.theater(2));
    b.network.publish("counter", &b.theater.spawn(Counter::default()));
    let counter = find(&a, &b, "counter");
    let (tell, told) = mpsc::channel();
    let _ = counter.on_end(move |ended| tell.send(ended.reason()).unwrap());
    // It may be suspected for a moment.
    let there = [(b.network.id(), Membership::Present)];
    until("it is there", || a.network.members() == there);
    world.net.crash(b.network.id());
    for n in 0..10 {
        counter.send(Count::Add(n)).unwrap();
    }
    let lost = counter.ask(Count::All);
    assert_eq!(lost.wait_timeout(LONG), Err(AskError::NoReply));
    assert_eq!(told.recv_timeout(LONG).unwrap(), EndReason::Unreachable);
    until("all messages are accounted for", || a.lost.lock().unwrap().len() == 11);
    assert!(a.lost.lock().unwrap().iter().all(|&reason| reason == DeadLetterReason::Unreachable));
    until("it is no member", || a.network.members().is_empty());
    until("references are forgotten", || a.network.references() == (0, 0));
}

#[test]
fn s32_a_theater_that_is_only_slow_is_suspected_and_cleared() {
    struct Tells(mpsc::Sender<MembershipEvent>);
    impl odeon_core::Actor for Tells {
        type Msg = MembershipEvent;
        fn handle(&mut self, event: MembershipEvent, _: &mut odeon_core::Context<'_, Self>) {
            self.0.send(event).unwrap();
        }
    }
    let world = World::with(3, LinkConfig { dead_after: LONG, ..hasty() });
    let (a, b) = (world.theater(1), world.theater(2));
    let (tell, told) = mpsc::channel();
    a.network.subscribe(&a.theater.spawn(Tells(tell)));
    let there = b.network.id();
    assert_eq!(told.recv_timeout(LONG).unwrap(), MembershipEvent::Joined(there));
    world.net.cut(a.network.id(), there);
    assert_eq!(told.recv_timeout(LONG).unwrap(), MembershipEvent::Suspected(there));
    world.net.heal(a.network.id(), there);
    assert_eq!(told.recv_timeout(LONG).unwrap(), MembershipEvent::Cleared(there));
}

#[test]
fn s32_theaters_that_were_cut_off_for_too_long_meet_again_as_strangers() {
    let world = World::with(4, hasty());
    let (a, b) = (world.theater(1), world.theater(2));
    b.network.publish("counter", &b.theater.spawn(Counter::default()));
    let before = find(&a, &b, "counter");
    before.send(Count::Add(1)).unwrap();
    assert_eq!(numbers(&before), [1]);
    world.net.cut(a.network.id(), b.network.id());
    until("the link has ended at both ends", || {
        a.network.members().is_empty() && b.network.members().is_empty()
    });
    until("old references have ended", || before.is_stopped());
    world.net.heal(a.network.id(), b.network.id());
    // What is asked by a link that has waited for too long already is not answered.
    until("they meet again", || a.network.members().len() == 1);
    let again = find(&a, &b, "counter");
    again.send(Count::Add(2)).unwrap();
    assert_eq!(numbers(&again), [1, 2]);
}

#[test]
fn s32_theaters_that_were_cut_off_for_too_long_find_each_other_again() {
    let world = World::with(9, hasty());
    let (a, b) = (world.theater(1), world.theater(2));
    let have_met = || a.network.members().len() == 1 && b.network.members().len() == 1;
    for _ in 0..2 {
        until("they meet, although neither has anything to say", have_met);
        world.net.cut(a.network.id(), b.network.id());
        until("the link has ended at both ends", || {
            a.network.members().is_empty() && b.network.members().is_empty()
        });
        world.net.heal(a.network.id(), b.network.id());
    }
    until("they meet again", have_met);
}

#[test]
fn s32_a_receiver_that_is_slow_holds_its_senders_back_and_nobody_else() {
    let world = World::new(5);
    let (a, b) = (world.theater(1), world.theater(2));
    let slow = b.theater.spawn(Counter::default());
    b.network.publish("slow", &slow);
    b.network.publish("quick", &b.theater.spawn(Counter::default()));
    let (to_slow, quick) = (find(&a, &b, "slow"), find(&a, &b, "quick"));
    to_slow.send(Count::Sleep(300)).unwrap();
    let flood = std::thread::spawn(move || {
        for n in 0..200_000 {
            to_slow.send(Count::Add(n)).unwrap();
        }
        to_slow
    });
    for n in 0..100 {
        quick.send(Count::Add(n)).unwrap();
    }
    assert_eq!(numbers(&quick).len(), 100);
    let to_slow = flood.join().unwrap();
    assert_eq!(numbers(&to_slow), (0..200_000).collect::<Vec<_>>());
}

#[test]
fn s32_large_messages_come_and_too_large_ones_are_dead_letters() {
    let config = LinkConfig {
        largest_message: 1 << 20,
        assembly: 1 << 20,
        ..LinkConfig::new("test", LARGEST_PACKET)
    };
    let world = World::with(6, config);
    let (a, b) = (world.theater(1), world.theater(2));
    b.network.publish("counter", &b.theater.spawn(Counter::default()));
    let counter = find(&a, &b, "counter");
    counter.send(Count::Bytes(vec![7; 1_000_000])).unwrap();
    counter.send(Count::Bytes(vec![7; 2_000_000])).unwrap();
    counter.send(Count::Add(1)).unwrap();
    assert_eq!(numbers(&counter), [1_000_000, 1]);
    assert_eq!(*a.lost.lock().unwrap(), [DeadLetterReason::Unwritable]);
}

#[test]
fn s32_a_network_with_no_more_than_a_little_of_everything_wrong_loses_nothing() {
    for seed in 0..5 {
        let world = World::new(100 + seed);
        let (a, b) = (world.theater(1), world.theater(2));
        world.net.set_everywhere(Conditions {
            loss: 0.05,
            duplication: 0.05,
            reordering: 0.1,
            ..Conditions::GOOD
        });
        b.network.publish("counter", &b.theater.spawn(Counter::default()));
        let counter = find(&a, &b, "counter");
        for n in 0..500 {
            counter.send(Count::Bytes(vec![0; n as usize * 37 % 40_000])).unwrap();
        }
        let expected: Vec<u64> = (0..500).map(|n| n * 37 % 40_000).collect();
        assert_eq!(numbers(&counter), expected, "seed {seed}");
    }
}

#[test]
fn s32_who_leaves_says_all_it_has_to_say_and_goodbye() {
    let world = World::new(7);
    world.net.set_everywhere(Conditions { loss: 0.1, ..Conditions::GOOD });
    let (a, b) = (world.theater(1), world.theater(2));
    let counter = b.theater.spawn(Counter::default());
    b.network.publish("counter", &counter);
    let from_a = find(&a, &b, "counter");
    for n in 0..1_000 {
        from_a.send(Count::Add(n)).unwrap();
    }
    // They have been written when this is answered.
    assert_eq!(numbers(&from_a).len(), 1_000);
    for n in 0..1_000 {
        from_a.send(Count::Bytes(vec![0; n])).unwrap();
    }
    until("they have been written", || from_a.ask(Count::Forget).wait_timeout(LONG).is_err());
    assert!(a.network.leave(LONG));
    assert_eq!(numbers(&counter).len(), 2_000);
    until("b knows", || b.network.members().is_empty());
    until("its references have ended", || from_a.is_stopped());
    let late = a.network.at(b.network.id()).lookup::<Count>("counter");
    assert_eq!(late.wait_timeout(LONG).unwrap_err(), AskError::NoReply);
}

#[test]
fn s32_a_network_that_is_dropped_has_left_at_once() {
    let world = World::new(8);
    let (a, b) = (world.theater(1), world.theater(2));
    b.network.publish("counter", &b.theater.spawn(Counter::default()));
    let counter = find(&a, &b, "counter");
    let (tell, told) = mpsc::channel();
    let _ = counter.on_end(move |ended| tell.send(ended.reason()).unwrap());
    let support::Place { theater, network, .. } = a;
    drop(network);
    assert_eq!(told.recv_timeout(LONG).unwrap(), EndReason::Unreachable);
    until("the other one knows", || b.network.members().is_empty());
    until("its references are forgotten", || b.network.references() == (0, 0));
    drop(theater);
}

#[test]
fn s32_a_theater_that_ends_leaves_also_if_its_network_is_kept() {
    let world = World::new(8);
    let (a, b) = (world.theater(1), world.theater(2));
    b.network.publish("counter", &b.theater.spawn(Counter::default()));
    let counter = find(&a, &b, "counter");
    struct Tells(mpsc::Sender<MembershipEvent>);
    impl odeon_core::Actor for Tells {
        type Msg = MembershipEvent;
        fn handle(&mut self, event: MembershipEvent, _: &mut odeon_core::Context<'_, Self>) {
            self.0.send(event).unwrap();
        }
    }
    let (tell, told) = mpsc::channel();
    a.network.subscribe(&a.theater.spawn(Tells(tell)));
    let there = b.network.id();
    assert_eq!(told.recv_timeout(LONG).unwrap(), MembershipEvent::Joined(there));

    let kept = b.network.clone();
    counter.send(Count::Add(1)).unwrap();
    let _ = b.theater.shutdown(Duration::from_secs(2));
    assert_eq!(told.recv_timeout(LONG).unwrap(), MembershipEvent::Gone(there, End::Left));
    until("its actors count as stopped", || counter.is_stopped());
    assert_eq!(kept.members(), []);
    // Nobody is there to be asked.
    let asked = a.network.at(there).lookup::<Count>("counter");
    assert_eq!(asked.wait_timeout(LONG).unwrap_err(), AskError::NoReply);
    assert_eq!(a.network.members(), []);
}

#[test]
fn s32_a_theater_that_ends_waits_for_others_no_longer_than_a_moment() {
    let world = World::new(9);
    // It would wait for the end of the link.
    let patient = LinkConfig { dead_after: LONG, ..hasty() };
    let (a, b) = (world.theater(1), world.theater_with(2, patient));
    until("they have met", || !a.network.members().is_empty() && !b.network.members().is_empty());
    world.net.cut(a.network.id(), b.network.id());
    let (begun, kept) = (Instant::now(), b.network.clone());
    drop(b);
    assert!(begun.elapsed() < LONG / 3, "{:?}", begun.elapsed());
    assert_eq!(kept.members(), []);
    until("it counts as lost", || a.network.members().is_empty());
}
