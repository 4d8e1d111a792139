//! S32 with theaters in processes of their own: killed, and stopped for a while.

#![cfg(unix)]

use crate::support::member::{self, Member};
use crate::support::place::{Place, cluster, count, patient};
use crate::support::says::Say;
use crate::support::traffic::{Conversation, Numbers, Questions};
use crate::support::{LONG, until};
use odeon_core::{AskError, EndReason};
use odeon_theater::{LinkConfig, Membership};
use odeon_zenoh::LARGEST_PACKET;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

#[test]
fn s32_a_theater_that_is_killed_under_load_loses_nothing_unsaid() {
    const NAME: &str = "s32_a_theater_that_is_killed_under_load_loses_nothing_unsaid";
    if member::is_one() {
        return member::run();
    }
    // Two survive: a, c. One is killed: b.
    let config = LinkConfig::new(cluster("killed"), LARGEST_PACKET);
    let (at_a, a) = Place::listening(&config, &[]);
    let (at_c, c) = Place::listening(&config, &[&at_a]);
    let (id_a, id_c) = (a.network.id(), c.network.id());
    assert_eq!((a.meets(1), c.meets(1)), (id_c, id_a));
    let mut member = Member::start(NAME, &config, &[&at_a, &at_c]);
    let b = a.meets(2);
    assert_eq!(c.meets(2), b);

    let hears = [a.find(b, "hears one"), c.find(b, "hears other")];
    let says = [a.find(b, "says to one"), c.find(b, "says to other")];
    let (tell, told) = mpsc::channel();
    for watched in &hears {
        let tell = tell.clone();
        let _ = watched.on_end(move |ended| tell.send(ended.reason()).unwrap());
    }
    let hear_b = [a.speaks(), c.speaks()];
    for (says, hears) in says.iter().zip(&hear_b) {
        says.send(Say::SpeakTo(hears.clone())).unwrap();
    }
    let to_b = hears.each_ref().map(Numbers::to);
    let questions = hears.each_ref().map(Questions::to);
    let kept: Vec<_> = (0..20).map(|_| says[0].ask(Say::Keep)).collect();
    // What the survivors say to each other.
    let (hear_a, hear_c) = (c.speaks(), a.speaks());
    c.network.publish("hears a", &hear_a);
    a.network.publish("hears c", &hear_c);
    let between = [(a.find(id_c, "hears a"), &hear_a), (c.find(id_a, "hears c"), &hear_c)]
        .map(|(to, heard)| (Numbers::to(&to), heard));

    until("all hear each other", || {
        let there = ["hears one", "hears other"].map(|name| member.heard(name));
        let here = [&hear_a, &hear_c, &hear_b[0], &hear_b[1]].map(count);
        there.into_iter().chain(here).all(|heard| heard > 2_000)
    });
    member.kill();
    let then = [&hear_a, &hear_c].map(count);
    a.misses(b);
    c.misses(b);

    let sent = to_b.map(Numbers::returned);
    for (number, (place, name)) in [(&a, "hears one"), (&c, "hears other")].into_iter().enumerate()
    {
        let (acknowledged, heard) = (place.acknowledged_of(sent[number]), member.heard(name));
        // In doubt are those that it has heard and not acknowledged, or acknowledged and not heard
        // yet.
        let in_doubt = acknowledged.abs_diff(heard);
        println!("of {}: {acknowledged} acknowledged, {in_doubt} in doubt", sent[number]);
        assert!(acknowledged > 0);
    }
    for question in questions {
        let (answered, why) = question.unanswered();
        assert!(answered > 0 && matches!(why, AskError::NoReply | AskError::Stopped), "{why:?}");
    }
    for kept in kept {
        assert_eq!(kept.wait_timeout(LONG), Err(AskError::NoReply));
    }
    for _ in &hears {
        assert_eq!(told.recv_timeout(LONG).unwrap(), EndReason::Unreachable);
    }
    until("references have ended", || hears.iter().chain(&says).all(|there| there.is_stopped()));
    assert!(hears[0].send(Say::Number(0)).is_err(), "a reference to the dead returns messages");

    until("the survivors go on", || {
        [&hear_a, &hear_c].map(count).iter().zip(then).all(|(now, then)| *now > then + 1_000)
    });
    for (numbers, heard) in between {
        let sent = numbers.enough();
        until("the survivors have lost nothing", || count(heard) == sent);
    }
    assert!(!a.has_missed(id_c) && !c.has_missed(id_a));
    // Whoever hears a wrong number fails, and what it is sent then is a dead letter.
    for (place, heard) in [(&a, &hear_b[0]), (&c, &hear_b[1])] {
        assert!(count(heard) > 2_000);
        assert_eq!(place.lost.lock().unwrap().others, []);
    }

    let _member = Member::start(NAME, &config, &[&at_a, &at_c]);
    let again = a.meets(3);
    assert!(again != b && c.meets(3) == again);
    let hears_again = a.find(again, "hears one");
    (0..100).for_each(|number| hears_again.send(Say::Number(number)).unwrap());
    assert_eq!(count(&hears_again), 100);
    assert!(hears[0].is_stopped(), "who is dead stays so");
}

#[test]
fn s32_a_theater_that_stands_still_is_suspected_and_loses_nothing() {
    const NAME: &str = "s32_a_theater_that_stands_still_is_suspected_and_loses_nothing";
    if member::is_one() {
        return member::run();
    }
    let config = patient(&cluster("still"));
    let (at_a, a) = Place::listening(&config, &[]);
    let member = Member::start(NAME, &config, &[&at_a]);
    let b = a.meets(1);
    let conversation = Conversation::begin(&a, b);
    // Shorter than Zenoh keeps a silent connection, and longer: then another one is made.
    for longer in [Duration::ZERO, Duration::from_secs(2)] {
        conversation.goes_on();
        a.finds(b, Membership::Present);
        member.signal("STOP");
        a.finds(b, Membership::Suspected);
        thread::sleep(longer);
        member.signal("CONT");
        a.finds(b, Membership::Present);
    }
    conversation.goes_on();
    conversation.ends_well();
    assert!(!a.has_missed(b));
    assert_eq!(member.heard("says to one"), 0);
    let lost = a.lost.lock().unwrap();
    assert!(lost.numbers.is_empty() && lost.others.is_empty(), "{lost:?}");
}
