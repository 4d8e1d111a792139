//! How links end, and what becomes of messages then.

use std::collections::BTreeMap;
use std::time::Duration;

use odeon_core::Random;
use odeon_testkit::for_seeds;
use odeon_theater::*;

use crate::delivery::{bad_conditions, length, message};
use crate::pair::*;

fn death_in_between(seed: u64) {
    let mut random = Random::from_seed(seed);
    let mut pair = Pair::new(seed);
    let mut pushed: BTreeMap<u64, Vec<Vec<u8>>> = BTreeMap::new();
    for _ in 0..random.below(12) + 1 {
        pair.network.set(A, B, bad_conditions(&mut random));
        pair.network.set(B, A, bad_conditions(&mut random));
        for _ in 0..random.below(40) {
            let channel = random.below(4) as u64;
            let on = pushed.entry(channel).or_default();
            let message = message(channel, on.len() as u64, length(&mut random));
            // It may have ended already: a network can be too bad.
            if pair.a.link.push(channel, &message).is_ok() {
                on.push(message);
            }
        }
        if random.below(6) == 0 {
            pair.b.link.pause(random.below(4) as u64);
        }
        pair.run_for(ms(random.below(40) as u64));
    }
    pair.network.cut(A, B);
    let delivered_until_then = pair.b.heard.messages.len();
    pair.run_for(ms(10_000));
    let (end, undelivered) = pair.a.heard.end().expect("nothing was heard for long");
    assert!(matches!(end, End::Silent | End::GivenUp), "{end:?}");
    assert_eq!(pair.b.heard.messages.len(), delivered_until_then);
    for (&channel, messages) in &pushed {
        let delivered = pair.b.heard.on(channel);
        let undelivered: Vec<&[u8]> = undelivered
            .iter()
            .filter(|lost| lost.channel == channel)
            .map(|l| &l.message[..])
            .collect();
        assert!(messages.starts_with(&delivered.iter().map(|m| m.to_vec()).collect::<Vec<_>>()));
        assert!(messages.iter().map(|m| &m[..]).collect::<Vec<_>>().ends_with(&undelivered));
        assert!(delivered.len() + undelivered.len() >= messages.len(), "a gap in {channel}");
    }
}

#[test]
fn delivered_and_undelivered_are_all_that_was_pushed() {
    for_seeds(60, death_in_between);
}

#[test]
fn a_silent_theater_is_suspected_then_dead() {
    let mut pair = Pair::linked(1);
    pair.run_for(ms(5_000));
    assert_eq!(pair.a.heard.events, [Event::Linked], "a quiet link lives");
    pair.network.crash(B);
    let begin = pair.now;
    pair.run_for(ms(1_250));
    assert!(matches!(pair.a.heard.events[1], Event::Suspected(silence) if silence >= ms(1_000)));
    assert!(pair.a.heard.end().is_none());
    pair.run_until(|pair| pair.a.link.has_ended());
    assert!(pair.now - begin <= ms(2_000));
    assert_eq!(pair.a.heard.end().unwrap().0, End::Silent);
    assert_eq!(pair.a.link.push(1, b"too late"), Err(PushError::Ended));
    assert_eq!(pair.a.link.deadline(), None);
}

#[test]
fn a_theater_that_never_answers_is_dead_too() {
    let mut pair = Pair::new(1);
    pair.network.crash(B);
    pair.a.push(4, b"hello?");
    pair.run_until(|pair| pair.a.link.has_ended());
    let (end, undelivered) = pair.a.heard.end().unwrap();
    assert_eq!(end, End::Silent);
    assert_eq!(undelivered, [Undelivered { channel: 4, message: b"hello?".to_vec() }]);
}

#[test]
fn who_looks_a_little_late_each_time_finds_out_that_nobody_answers() {
    // Greetings are repeated less often than a suspicion takes.
    let (heartbeat, suspect_after, dead_after) = (ms(20), ms(150), ms(600));
    let hasty = LinkConfig { heartbeat, suspect_after, dead_after, ..config() };
    let mut link = Link::new(hasty, A, B, Epoch::FIRST, ms(0));
    let (mut heard, mut now) = (Heard::default(), ms(0));
    while let Some(at) = link.deadline() {
        now = now.max(at) + ms(1);
        assert!(now < 2 * dead_after, "{now:?}");
        while link.poll(now, &mut Vec::new(), &mut heard) {}
    }
    assert_eq!(heard.end().unwrap().0, End::Silent);
}

#[test]
fn who_stood_still_does_not_take_the_others_for_dead() {
    let mut pair = Pair::linked(1);
    pair.b.push(1, b"waits in the network");
    let mut packet = Vec::new();
    assert!(pair.b.link.poll(pair.now, &mut packet, &mut pair.b.heard));
    // a's process is stopped for a minute, and looks at its clock before it looks at the network.
    let later = pair.now + ms(60_000);
    while pair.a.link.poll(later, &mut Vec::new(), &mut pair.a.heard) {}
    assert!(pair.a.heard.end().is_none());
    pair.a.link.receive(&packet, later, &mut pair.a.heard).unwrap();
    assert!(matches!(pair.a.heard.events[1..], [Event::Suspected(_), Event::Cleared]));
    assert_eq!(pair.a.heard.on(1), [b"waits in the network"]);
}

#[test]
fn no_end_lives_on_alone() {
    let mut pair = Pair::linked(1);
    pair.network.set(B, A, Conditions { cut: true, ..Conditions::GOOD });
    pair.run_until(|pair| pair.a.link.has_ended());
    assert!(pair.b.link.is_linked(), "it has heard a until then");
    pair.b.push(1, b"to nobody");
    pair.network.heal(A, B);
    pair.run_for(ms(500));
    let (end, undelivered) = pair.b.heard.end().unwrap();
    assert_eq!((end, undelivered.len()), (End::GivenUp, 1));
}

#[test]
fn what_was_for_an_ended_link_never_gets_into_the_next_one() {
    for_seeds(40, |seed| {
        let mut random = Random::from_seed(seed);
        let mut pair = Pair::linked(seed);
        let late = Conditions { delay: (ms(1), ms(60)), reordering: 0.9, ..Conditions::GOOD };
        pair.network.set_everywhere(Conditions { duplication: 0.5, ..late });
        (0..50_u64).for_each(|n| pair.a.push(n % 3, &message(0, n, length(&mut random))));
        pair.run_for(ms(random.below(100) as u64));
        let epoch = Epoch::FIRST.next().next();
        pair.a.link.give_up(&mut pair.a.heard);
        assert_eq!(pair.a.heard.end().unwrap().0, End::Dropped);
        pair.new_link_of_a(epoch);
        pair.a.push(1, b"new");
        pair.run_until(|pair| pair.b.link.has_ended());
        assert!(matches!(pair.b.heard.end().unwrap().0, End::Superseded | End::GivenUp));
        pair.new_link_of_b(epoch.next());
        pair.run_until(|pair| !pair.b.heard.messages.is_empty());
        pair.run_for(ms(1_500));
        assert_eq!(pair.b.heard.messages, [(1, b"new".to_vec())]);
    });
}

#[test]
fn who_leaves_delivers_all_that_was_pushed_first() {
    for_seeds(20, |seed| {
        let mut random = Random::from_seed(seed);
        let patient = LinkConfig { dead_after: ms(60_000), ..config() };
        let mut pair = Pair::with(seed, patient.clone(), patient);
        pair.network.set(A, B, bad_conditions(&mut random));
        pair.network.set(B, A, bad_conditions(&mut random));
        let count = random.below(60);
        for n in 0..count as u64 {
            pair.a.push(n % 3, &message(n % 3, n, length(&mut random)));
        }
        pair.a.link.leave();
        assert_eq!(pair.a.link.push(1, b"too late"), Err(PushError::Ended));
        pair.run_until(|pair| pair.a.link.has_ended() && pair.b.link.has_ended());
        assert_eq!(pair.b.heard.messages.len(), count);
        assert_eq!(pair.b.heard.end().unwrap(), (End::Left, &[][..]));
        assert_eq!(pair.a.heard.end().unwrap(), (End::Departed, &[][..]));
    });
}

#[test]
fn leaving_a_good_network_takes_a_round_trip() {
    let mut pair = Pair::linked(1);
    pair.network.set_everywhere(Conditions { delay: (ms(1), ms(1)), ..Conditions::GOOD });
    pair.a.push(1, b"last");
    pair.a.link.leave();
    pair.run_for(ms(2));
    assert_eq!(pair.a.heard.end().unwrap().0, End::Departed);
    assert_eq!(pair.b.heard.end().unwrap().0, End::Left);
}

#[test]
fn what_is_paused_while_leaving_does_not_hold_up_the_end() {
    let mut pair = Pair::linked(1);
    pair.network.set_everywhere(Conditions { delay: (ms(1), ms(1)), ..Conditions::GOOD });
    pair.a.link.leave();
    pair.run_for(Duration::ZERO);
    pair.a.link.pause(1);
    pair.run_for(ms(2));
    assert_eq!(pair.a.heard.end().unwrap().0, End::Departed);
}

#[test]
fn both_may_leave_at_once() {
    for_seeds(100, |seed| {
        let mut random = Random::from_seed(seed);
        let patient = LinkConfig { dead_after: ms(60_000), ..config() };
        let mut pair = Pair::with(seed, patient.clone(), patient);
        pair.network.set(A, B, bad_conditions(&mut random));
        pair.network.set(B, A, bad_conditions(&mut random));
        pair.run_for(ms(random.below(200) as u64));
        pair.a.push(1, b"from a");
        pair.b.push(1, b"from b");
        pair.a.link.leave();
        pair.b.link.leave();
        pair.run_until(|pair| pair.a.link.has_ended() && pair.b.link.has_ended());
        for (side, other) in [(&pair.a, &pair.b), (&pair.b, &pair.a)] {
            let (end, undelivered) = side.heard.end().unwrap();
            assert!(matches!(end, End::Left | End::Departed), "{end:?}");
            // It is accounted for; what has arrived may not have been acknowledged.
            assert!(other.heard.messages.len() + undelivered.len() >= 1);
        }
    });
}

#[test]
fn whoever_is_left_gets_back_what_it_had_to_say() {
    let mut pair = Pair::linked(1);
    pair.b.link.pause(9);
    pair.a.link.pause(8);
    pair.run_for(ms(10));
    pair.b.push(8, b"held back");
    pair.a.link.leave();
    pair.run_for(ms(100));
    let undelivered = [Undelivered { channel: 8, message: b"held back".to_vec() }];
    assert_eq!(pair.b.heard.end().unwrap(), (End::Left, &undelivered[..]));
}
