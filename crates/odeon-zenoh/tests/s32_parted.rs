//! S32 with a theater in a process of its own, and a network between that is bad or parts them for
//! a while: a relay of TCP connections, and, where the machine allows it, network namespaces.

#![cfg(unix)]

use crate::support::member::{self, Member};
use crate::support::namespace::{self, Cable, ENDPOINT, Trouble};
use crate::support::place::{Place, cluster, count, patient};
use crate::support::relay::Relay;
use crate::support::says::Say;
use crate::support::skipped::skipped;
use crate::support::traffic::{Conversation, Numbers};
use crate::support::{LONG, until};
use odeon_core::AskError;
use odeon_theater::{End, LinkConfig, MembershipEvent};
use odeon_zenoh::{LARGEST_PACKET, ZenohSettings};
use std::time::Duration;

/// A network parts two theaters for longer than they wait, and then does no longer.
fn are_parted_and_meet_anew(here: &Place, member: &Member, cut: impl Fn(bool)) {
    let there = here.meets(1);
    let (hears_there, hears_here) = (here.find(there, "hears one"), here.speaks());
    let says_there = here.find(there, "says to one");
    says_there.send(Say::SpeakTo(hears_here.clone())).unwrap();
    let numbers = Numbers::to(&hears_there);
    until("both hear something", || {
        count(&hears_here) > 1_000 && member.heard("hears one") > 1_000
    });
    let kept = says_there.ask(Say::Keep);
    cut(true);
    here.misses(there);
    let silent = MembershipEvent::Gone(there, End::Silent);
    assert!(here.events.lock().unwrap().contains(&silent));
    assert_eq!(kept.wait_timeout(LONG), Err(AskError::NoReply));
    until("references have ended", || hears_there.is_stopped());
    let sent = numbers.returned();
    let acknowledged = here.acknowledged_of(sent);
    until("what is acknowledged is heard", || member.heard("hears one") >= acknowledged);
    cut(false);
    assert_eq!(here.meets(2), there, "it is the same, and has joined anew");
    assert!(hears_there.is_stopped(), "an old reference stays so");
    // The other side has found out too: what it says comes back, or is unanswered.
    let says_again = here.find(there, "says to one");
    until("the member knows that it was parted", || {
        says_again.ask(Say::Said).wait_timeout(LONG).unwrap().is_returned
    });
    let said = says_again.ask(Say::Said).wait_timeout(LONG).unwrap();
    assert!(count(&hears_here) <= said.numbers);
    let again = (here.find(there, "hears other"), here.speaks());
    let numbers = Numbers::to(&again.0);
    here.find(there, "says to other").send(Say::SpeakTo(again.1.clone())).unwrap();
    until("both hear each other again", || count(&again.0) > 1_000 && count(&again.1) > 1_000);
    let sent_again = numbers.enough();
    assert_eq!(count(&again.0), sent_again);
    let heard = member.heard("hears one");
    println!("of {sent}: {acknowledged} acknowledged, {} in doubt", heard - acknowledged);
    assert_eq!(here.lost.lock().unwrap().others, []);
}

#[test]
fn s32_connections_that_are_slow_and_cut_again_and_again_lose_nothing() {
    const NAME: &str = "s32_connections_that_are_slow_and_cut_again_and_again_lose_nothing";
    if member::is_one() {
        return member::run();
    }
    let config = patient(&cluster("cut"));
    let (at_a, a) = Place::listening(&config, &[]);
    let relay = Relay::to(&at_a);
    relay.delay(Duration::from_millis(5));
    let _member = Member::start(NAME, &config, &[&relay.endpoint]);
    let b = a.meets(1);
    let conversation = Conversation::begin(&a, b);
    for _ in 0..6 {
        conversation.goes_on();
        until("they are connected by the relay", || relay.cut() > 0);
    }
    conversation.goes_on();
    conversation.ends_well();
    assert!(!a.has_missed(b));
}

#[test]
fn s32_theaters_that_a_silent_connection_parts_account_for_all_and_meet_anew() {
    const NAME: &str = "s32_theaters_that_a_silent_connection_parts_account_for_all_and_meet_anew";
    if member::is_one() {
        return member::run();
    }
    let config = LinkConfig::new(cluster("silent"), LARGEST_PACKET);
    let (at_a, a) = Place::listening(&config, &[]);
    let relay = Relay::to(&at_a);
    let member = Member::start(NAME, &config, &[&relay.endpoint]);
    are_parted_and_meet_anew(&a, &member, |is_cut| relay.silence(is_cut));
}

/// Has the test done in a network of its own. `None`: it is done, or skipped.
pub(crate) fn by_cable(test: &str, config: &LinkConfig) -> Option<(Place, Member, Cable)> {
    if member::is_one() {
        member::run();
        return None;
    }
    if !namespace::is_inside() {
        if let Err(reason) = namespace::run_inside(test) {
            skipped(test, &reason);
        }
        return None;
    }
    let mut member = Member::start_by(namespace::member(), test, config, &[ENDPOINT]);
    let cable = Cable::lay(&mut member.child);
    let settings = ZenohSettings { listen: vec![ENDPOINT.into()], ..Default::default() };
    Some((Place::join(&settings, config.clone()).unwrap(), member, cable))
}

#[test]
fn s32_a_network_that_loses_and_delays_packets_loses_no_message() {
    const NAME: &str = "s32_a_network_that_loses_and_delays_packets_loses_no_message";
    let config = patient(&cluster("bad"));
    let Some((a, _member, cable)) = by_cable(NAME, &config) else { return };
    let b = a.meets(1);
    let conversation = Conversation::begin(&a, b);
    conversation.goes_on();
    if cable.trouble() == Trouble::LossAndQueue {
        skipped(NAME, "this system has no netem: no packet is overtaken");
    }
    (0..5).for_each(|_| conversation.goes_on());
    // Few packets may have had much in them.
    until("a packet is lost", || {
        conversation.goes_on();
        cable.dropped() > 0
    });
    conversation.ends_well();
    assert!(!a.has_missed(b));
}

#[test]
fn s32_theaters_whose_cable_is_cut_account_for_all_and_meet_anew() {
    const NAME: &str = "s32_theaters_whose_cable_is_cut_account_for_all_and_meet_anew";
    let config = LinkConfig::new(cluster("cable"), LARGEST_PACKET);
    let Some((a, member, cable)) = by_cable(NAME, &config) else { return };
    are_parted_and_meet_anew(&a, &member, |is_cut| cable.cut(is_cut));
}
